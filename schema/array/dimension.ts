/**
 * Dimensions in the array schema.
 *
 * @module
 */
import { boundedMemo } from "../binary/bounded_memo.ts"
import * as Schema from "effect/Schema"
import {
  BinaryIssue,
  bool,
  type Codec,
  type Cursor,
  type Field,
  field,
  since,
  type Sink,
  struct,
  u32,
  u64,
  utf8,
} from "../binary/mod.ts"
import { CellValNum, VAR } from "./cell_val_num.ts"
import { type Datatype, DatatypeField, sizeOf } from "./datatype.ts"
import { FilterPipeline, noFilters } from "./filter_pipeline.ts"
import type { RangeSize } from "./range.ts"
import { Since } from "../version/version.ts"

/** One axis of an array. */
export interface Dimension {
  /** The name; an empty name is anonymous. */
  readonly name: string
  /** The datatype of the coordinates. */
  readonly type: Datatype
  /** 1, or {@link VAR} for strings. */
  readonly cellValNum: number
  /** The filter pipeline of the coordinates; if it is empty, the schema's `coordsFilters` apply. */
  readonly filters: FilterPipeline
  /** The lowest and the highest coordinate, raw; empty for strings. */
  readonly domain: Uint8Array
  /** The tile extent, raw; `null` for strings, which have no tile extent. */
  readonly tileExtent: Uint8Array | null
}

type Typed = Pick<Dimension, "type" | "cellValNum">

/**
 * Returns the size of a coordinate in bytes, or "var".
 *
 * ```ts
 * import { coordinateSize, VAR } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(coordinateSize({ type: "datetime_day", cellValNum: 1 }), 8)
 * assertEquals(coordinateSize({ type: "string_ascii", cellValNum: VAR }), "var")
 * ```
 */
export const coordinateSize = (dimension: Typed): RangeSize =>
  dimension.cellValNum === VAR ? "var" : sizeOf(dimension.type)

const resize = (a: Uint8Array, length: number): Uint8Array => {
  const out = new Uint8Array(length)
  out.set(a.subarray(0, length))
  return out
}

const domainSize = (self: Typed): number => (self.cellValNum === VAR ? 0 : 2 * sizeOf(self.type))

/** The domain. Up to format 4 its size is not stored, because it follows from the type. */
const DomainBytes: Field<Uint8Array> = field({
  schema: () => Schema.Uint8ArrayFromSelf,
  minBytes: 0,
  get: (c: Cursor, self: Typed) => {
    const size = domainSize(self)
    if (c.version >= Since.splitDimensions) {
      const at = c.offset
      const length = u64.get(c, undefined)
      if (length !== size) {
        throw new BinaryIssue(at, `a domain of ${length} bytes; ${self.type} requires ${size}`)
      }
    }
    return c.bytesOf(size)
  },
  put: (s: Sink, a, self: Typed) => {
    const size = domainSize(self)
    if (a.byteLength !== size) throw new BinaryIssue(s.offset, `a domain of ${a.byteLength} bytes, not ${size}`)
    if (s.version >= Since.splitDimensions) u64.put(s, size, undefined)
    s.append(a)
  },
  fit: (a, _, self: Typed) => resize(a, domainSize(self)),
})

const TileExtent: Field<Uint8Array | null> = field({
  schema: () => Schema.NullOr(Schema.Uint8ArrayFromSelf) as unknown as Schema.Schema<Uint8Array | null>,
  minBytes: 1,
  get: (c, self: Typed) => bool.get(c, undefined) ? null : c.bytesOf(sizeOf(self.type)),
  put: (s, a, self: Typed) => {
    bool.put(s, a === null, undefined)
    if (a === null) return
    const size = sizeOf(self.type)
    if (a.byteLength !== size) throw new BinaryIssue(s.offset, `an extent of ${a.byteLength} bytes, not ${size}`)
    s.append(a)
  },
  fit: (a, _, self: Typed) => a === null ? null : resize(a, sizeOf(self.type)),
})

const DimensionCellValNum: Field<number> = field({
  ...CellValNum,
  schema: () => CellValNum.schema,
  get: (c) => {
    const at = c.offset
    const n = CellValNum.get(c, undefined)
    if (n !== 1 && n !== VAR) throw new BinaryIssue(at, `a coordinate is one value or var-length, not ${n} values`)
    return n
  },
  fit: (a) => a === VAR ? VAR : 1,
})

const make = (homogeneous: Datatype): Codec<Dimension> =>
  struct({
    name: utf8(u32),
    type: since(Since.splitDimensions, DatatypeField, homogeneous),
    cellValNum: since(Since.splitDimensions, DimensionCellValNum, 1),
    filters: since(Since.splitDimensions, FilterPipeline, noFilters),
    domain: DomainBytes,
    tileExtent: TileExtent,
  })

/**
 * Returns the codec of a dimension. Up to format 4, the type of a dimension is not stored with it: all dimensions of
 * the array have the type `homogeneous`. Memoised. Format: `array_schema.md`, "Dimension".
 *
 * ```ts
 * import { decode, type Dimension, dimensionOf, encode, noFilters } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const row: Dimension = {
 *   name: "row",
 *   type: "uint8",
 *   cellValNum: 1,
 *   filters: noFilters,
 *   domain: Uint8Array.of(0, 99),
 *   tileExtent: Uint8Array.of(10),
 * }
 * const Row = dimensionOf("uint8")
 * assertEquals(decode(Row, encode(Row, row, 22), 22, "mem://a"), row)
 * assertEquals(encode(Row, row, 4).length, 11) // name, domain and extent; the type is stored before all dimensions
 * ```
 */
export const dimensionOf: (homogeneous: Datatype) => Codec<Dimension> = boundedMemo(
  (homogeneous: Datatype) => homogeneous,
  make,
)

/**
 * Dimensions as they lie in the array schema.
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
  /** The name; the empty one is anonymous. */
  readonly name: string
  /** The datatype of its coordinates. */
  readonly type: Datatype
  /** 1, or {@link VAR} for strings */
  readonly cellValNum: number
  /** What its tiles went through; without any, the schema's `coordsFilters` stand in. */
  readonly filters: FilterPipeline
  /** The lowest and the highest coordinate, raw; no bytes for strings. */
  readonly domain: Uint8Array
  /** How long a space tile is, raw; `null` for strings, which have none. */
  readonly tileExtent: Uint8Array | null
}

type Typed = Pick<Dimension, "type" | "cellValNum">

/**
 * Bytes of one coordinate, or "var".
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

/** Until format 4 the bytes' number is left out, as it follows from the type. */
const DomainBytes: Field<Uint8Array> = field({
  schema: () => Schema.Uint8ArrayFromSelf,
  least: 0,
  get: (c: Cursor, self: Typed) => {
    const want = domainSize(self)
    if (c.version >= Since.splitDimensions) {
      const at = c.offset
      const length = u64.get(c, undefined)
      if (length !== want) {
        throw new BinaryIssue(at, `a domain of ${length} bytes where ${self.type} has one of ${want}`)
      }
    }
    return c.bytesOf(want)
  },
  put: (s: Sink, a, self: Typed) => {
    const want = domainSize(self)
    if (a.byteLength !== want) throw new BinaryIssue(s.offset, `a domain of ${a.byteLength} bytes, not ${want}`)
    if (s.version >= Since.splitDimensions) u64.put(s, want, undefined)
    s.append(a)
  },
  fit: (a, _, self: Typed) => resize(a, domainSize(self)),
})

const TileExtent: Field<Uint8Array | null> = field({
  schema: () => Schema.NullOr(Schema.Uint8ArrayFromSelf) as unknown as Schema.Schema<Uint8Array | null>,
  least: 1,
  get: (c, self: Typed) => bool.get(c, undefined) ? null : c.bytesOf(sizeOf(self.type)),
  put: (s, a, self: Typed) => {
    bool.put(s, a === null, undefined)
    if (a === null) return
    const want = sizeOf(self.type)
    if (a.byteLength !== want) throw new BinaryIssue(s.offset, `an extent of ${a.byteLength} bytes, not ${want}`)
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
 * A dimension whose type, until format 4, is not its own but that of all the array's dimensions. Memoised. Format:
 * `array_schema.md`, "Dimension".
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
 * assertEquals(encode(Row, row, 4).length, 11) // name, domain and extent; the type lies before all dimensions
 * ```
 */
export const dimensionOf: (homogeneous: Datatype) => Codec<Dimension> = boundedMemo(
  (homogeneous: Datatype) => homogeneous,
  make,
)

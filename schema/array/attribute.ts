/**
 * Attributes in the array schema.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { BinaryIssue, bool, type Codec, type Field, field, since, struct, u32, u64, u8, utf8 } from "../binary/mod.ts"
import { cellSize, CellValNum, defaultCellFill, VAR } from "./cell_val_num.ts"
import { DataOrder } from "./data_order.ts"
import { type Datatype, DatatypeField } from "./datatype.ts"
import { FilterPipeline } from "./filter_pipeline.ts"
import { Since } from "../version/version.ts"

/** An attribute: a named value in every cell. */
export interface Attribute {
  /** The name. An empty name is the anonymous attribute, which engines 1.x call `__attr`. */
  readonly name: string
  /** The datatype of the values. */
  readonly type: Datatype
  /** The number of values in a cell; {@link VAR} for var-sized cells. */
  readonly cellValNum: number
  /** The filter pipeline of the cells. */
  readonly filters: FilterPipeline
  /** The value of unwritten cells: the bytes of a whole cell. */
  readonly fillValue: Uint8Array
  /** Whether cells may be null. */
  readonly nullable: boolean
  /** The validity of unwritten cells: 0 if they are null. */
  readonly fillValueValidity: number
  /** The order of the values in a label array; "unordered" for all other attributes. */
  readonly order: DataOrder
  /** The name of the enumeration that the cells are indexes into; "" if there is no enumeration. */
  readonly enumeration: string
}

type Typed = Pick<Attribute, "type" | "cellValNum">

/** The fill value: exactly one cell for cells of fixed size; any non-empty value for var-sized cells. */
const FillValue: Field<Uint8Array> = field({
  schema: () => Schema.Uint8ArrayFromSelf,
  minBytes: 0,
  get: (c, self: Typed) => {
    const at = c.offset
    if (c.version < Since.fillValue) {
      const fill = defaultCellFill(self.type, self.cellValNum)
      if (fill === undefined) {
        throw new BinaryIssue(at, `a cell of ${self.cellValNum} ${self.type} values exceeds the supported size`)
      }
      return fill
    }
    const length = u64.get(c, undefined)
    const size = cellSize(self.type, self.cellValNum)
    if (self.cellValNum === VAR ? length === 0 : length !== size) {
      throw new BinaryIssue(at, `a fill value of ${length} bytes for cells of ${size} bytes`)
    }
    return c.bytesOf(length)
  },
  put: (s, a, self: Typed) => {
    if (s.version < Since.fillValue) return
    const size = cellSize(self.type, self.cellValNum)
    if (self.cellValNum === VAR ? a.byteLength === 0 : a.byteLength !== size) {
      throw new BinaryIssue(s.offset, `a fill value of ${a.byteLength} bytes for cells of ${size} bytes`)
    }
    u64.put(s, a.byteLength, undefined)
    s.append(a)
  },
  fit: (a, version, self: Typed) => {
    if (version >= Since.fillValue && self.cellValNum === VAR && a.byteLength > 0) return a
    const fill = defaultCellFill(self.type, self.cellValNum)!
    if (version < Since.fillValue) return fill
    const out = fill.slice()
    out.set(a.subarray(0, out.byteLength))
    return out
  },
})

/**
 * The codec of an attribute. Format: `array_schema.md`, "Attribute".
 *
 * ```ts
 * import { Attribute, decode, defaultFill, encode, noFilters } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const depth: Attribute = {
 *   name: "depth",
 *   type: "float32",
 *   cellValNum: 1,
 *   filters: noFilters,
 *   fillValue: defaultFill("float32"),
 *   nullable: false,
 *   fillValueValidity: 0,
 *   order: "unordered",
 *   enumeration: "",
 * }
 * const bytes = encode(Attribute, depth, 22)
 * assertEquals(decode(Attribute, bytes, 22, "mem://a"), depth)
 * assertEquals(bytes.length - encode(Attribute, depth, 5).length, 19) // before format 6 there is no fill value
 * ```
 */
export const Attribute: Codec<Attribute> = struct({
  name: utf8(u32),
  type: DatatypeField,
  cellValNum: CellValNum,
  filters: FilterPipeline,
  fillValue: FillValue,
  nullable: since(Since.nullable, bool, false),
  fillValueValidity: since(Since.nullable, u8, 0),
  order: since(Since.attributeOrder, DataOrder, "unordered"),
  enumeration: since(Since.enumerations, utf8(u32), ""),
})

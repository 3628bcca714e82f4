/**
 * Attributes as they lie in the array schema.
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

/** A named value of every cell. */
export interface Attribute {
  /** The empty name is the one anonymous attribute; engines 1.x call it `__attr`. */
  readonly name: string
  /** The datatype of its values. */
  readonly type: Datatype
  /** Values in a cell; {@link VAR} for var-sized cells. */
  readonly cellValNum: number
  /** What its cells go through. */
  readonly filters: FilterPipeline
  /** What unwritten cells read as: the bytes of a whole cell. */
  readonly fillValue: Uint8Array
  /** Whether cells may be null. */
  readonly nullable: boolean
  /** 0 if unwritten cells are null. */
  readonly fillValueValidity: number
  /** Whether its values run up or down: of dimension labels. */
  readonly order: DataOrder
  /** The enumeration whose values the cells index; "" for none. */
  readonly enumeration: string
}

type Typed = Pick<Attribute, "type" | "cellValNum">

/** A cell of fixed size has a fill of just that size; a var-length cell one of any size but zero. */
const FillValue: Field<Uint8Array> = field({
  schema: () => Schema.Uint8ArrayFromSelf,
  least: 0,
  get: (c, self: Typed) => {
    const at = c.offset
    if (c.version < Since.fillValue) {
      const fill = defaultCellFill(self.type, self.cellValNum)
      if (fill === undefined) {
        throw new BinaryIssue(at, `a cell of ${self.cellValNum} ${self.type} values is larger than any that is written`)
      }
      return fill
    }
    const length = u64.get(c, undefined)
    const want = cellSize(self.type, self.cellValNum)
    if (self.cellValNum === VAR ? length === 0 : length !== want) {
      throw new BinaryIssue(at, `a fill value of ${length} bytes for cells of ${want}`)
    }
    return c.bytesOf(length)
  },
  put: (s, a, self: Typed) => {
    if (s.version < Since.fillValue) return
    const want = cellSize(self.type, self.cellValNum)
    if (self.cellValNum === VAR ? a.byteLength === 0 : a.byteLength !== want) {
      throw new BinaryIssue(s.offset, `a fill value of ${a.byteLength} bytes for cells of ${want}`)
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
 * An attribute of the schema. Format: `array_schema.md`, "Attribute".
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

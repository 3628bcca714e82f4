/**
 * How many values make up a cell.
 *
 * @module
 */
import { BinaryIssue, type Field, field, u32 } from "../binary/mod.ts"
import { type Datatype, defaultFill, sizeOf } from "./datatype.ts"
import * as Schema from "effect/Schema"

/**
 * Values per cell of var-length fields: all ones.
 *
 * ```ts
 * import { CellValNum, encode, VAR } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(encode(CellValNum, VAR, 22), Uint8Array.of(255, 255, 255, 255))
 * ```
 */
export const VAR = 0xffffffff

/**
 * Values per cell: a number of at least one, or {@link VAR}.
 *
 * ```ts
 * import { CellValNum, decode, FormatError } from "@tessera/array/schema"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * assertEquals(decode(CellValNum, Uint8Array.of(3, 0, 0, 0), 22, "mem://a"), 3)
 * assertThrows(() => decode(CellValNum, new Uint8Array(4), 22, "mem://a"), FormatError, "at least one value")
 * ```
 */
export const CellValNum: Field<number> = field({
  ...u32,
  schema: () =>
    Schema.Int.pipe(Schema.between(1, VAR)).annotations({
      // sizes follow from it, so arbitrary ones stay small
      arbitrary: () => (fc) => fc.oneof(fc.constant(1), fc.constant(VAR), fc.integer({ min: 1, max: 17 })),
    }),
  get: (c) => {
    const at = c.offset
    const n = u32.get(c, undefined)
    if (n === 0) throw new BinaryIssue(at, "a cell has at least one value, not 0")
    return n
  },
})

/**
 * Bytes of one cell; of one value if the cells have variable length.
 *
 * ```ts
 * import { cellSize, VAR } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(cellSize("float64", 2), 16)
 * assertEquals(cellSize("string_utf16", VAR), 2)
 * ```
 */
export const cellSize = (type: Datatype, cellValNum: number): number =>
  sizeOf(type) * (cellValNum === VAR ? 1 : cellValNum)

const fills = new Map<Datatype, Uint8Array>()
/** Before format 6 the size of a fill value follows from the schema alone; no cell that is met in practice is larger. */
const LARGEST_DEFAULT = 1 << 24

/**
 * The fill of a whole cell where the schema has none of its own; `undefined` if the cell is larger than 16 MiB, which none is
 * that anybody writes. It is a view that others share: copy it before changing it.
 *
 * ```ts
 * import { defaultCellFill } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(defaultCellFill("uint8", 3), Uint8Array.of(255, 255, 255))
 * assertEquals(defaultCellFill("float64", 2 ** 30), undefined)
 * ```
 */
export const defaultCellFill = (type: Datatype, cellValNum: number): Uint8Array | undefined => {
  const size = cellSize(type, cellValNum)
  if (size > LARGEST_DEFAULT) return undefined
  // every default is a prefix of the longest one, so a forged schema cannot make us allocate one per attribute
  let fill = fills.get(type)
  if (fill === undefined || fill.byteLength < size) {
    const one = defaultFill(type)
    let length = one.byteLength
    while (length < size) length *= 2
    fill = new Uint8Array(length)
    for (let at = 0; at < length; at += one.byteLength) fill.set(one, at)
    fills.set(type, fill)
  }
  return fill.subarray(0, size)
}

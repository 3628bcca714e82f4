/**
 * The number of values in a cell.
 *
 * @module
 */
import { BinaryIssue, type Field, field, u32 } from "../binary/mod.ts"
import { type Datatype, defaultFill, sizeOf } from "./datatype.ts"
import * as Schema from "effect/Schema"

/**
 * The number of values per cell of var-sized fields: all bits set.
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
 * The codec of the number of values per cell: at least one, or {@link VAR}.
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
      // the sizes of other fields depend on it, so arbitrary numbers are small
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
 * Returns the size of a cell in bytes; for var-sized cells, the size of one value.
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
/** Maximum fill value, in bytes, that is allocated before format 6, where only the schema determines its size. */
const MAX_DEFAULT_SIZE = 1 << 24

/**
 * Returns the default fill value of a whole cell, or `undefined` if the cell is larger than 16 MiB. The bytes are a
 * shared view: copy them before changing them.
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
  if (size > MAX_DEFAULT_SIZE) return undefined
  // every default is a prefix of the longest one, so that a forged schema cannot cause one allocation per attribute
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

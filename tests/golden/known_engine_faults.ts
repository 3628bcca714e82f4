/**
 * Recorded results that are wrong because of an engine bug, with the right results.
 *
 * Engine 2.30 returns no cells, without an error, for a condition on a dense array that contains a sparse fragment
 * (`format.md`, section 22, item 13): nine cases, `dense_sparse_write` of formats 1 to 9. The right result equals that of other
 * dense reads with a condition: all cells, with fill values in cells that do not match.
 */
import { cellBytesJson, type CellJson } from "../../schema/array/scalar.ts"
import type { ExpectedArray, ExpectedRead } from "./expected.ts"

/** The cases, by the end of their URI. */
const cases = /(^|\/)dense_sparse_write\/array$/

/** Whether the recorded result of a read is affected. */
export const isEngineFault = (uri: string, read: ExpectedRead): boolean =>
  cases.test(uri) && read.condition !== undefined && read.cells === 0

const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16))

/** Returns the right result: the same read without a condition, with fill values in cells that do not match. */
export const righted = (expected: ExpectedArray, read: ExpectedRead): ExpectedRead => {
  const whole = expected.reads.find((other) =>
    other.condition === undefined && other.timestamp_end === read.timestamp_end && other.layout === read.layout &&
    JSON.stringify(other.ranges) === JSON.stringify(read.ranges)
  )!
  const listOf = (name: string): ReadonlyArray<CellJson> => {
    const column = whole.columns[name]
    if (!Array.isArray(column)) throw new Error(`${name} is recorded as a digest`)
    return column
  }
  const [{ field, op, value }, ...more] = read.condition!
  if (op !== "ge" || typeof value !== "number" || more.length > 0) throw new Error("another condition than is recorded")
  const holds = listOf(field).map((cell) => (cell as number) >= value)
  return {
    ...whole,
    columns: Object.fromEntries(expected.schema.attributes.map(({ name, type, cell_val_num, fill_hex }) => {
      const fill = cellBytesJson(type, cell_val_num, fromHex(fill_hex))
      return [name, listOf(name).map((cell, i) => holds[i] ? cell : fill)]
    })),
  }
}

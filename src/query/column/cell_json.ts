/**
 * Cells as JSON, in the form that the command line prints and the fixtures record: 64-bit integers, dates and times as
 * strings; non-finite floats as `"NaN"` and `"±Infinity"`; text as strings (`{"hex": …}` if it is not printable UTF-8);
 * var-sized blobs as `{"hex": …}`; cells of several values and var-sized numbers as lists; null as null.
 *
 * @module
 */
import type { TypedArray } from "../../../schema/array/datatype.ts"
import { type CellJson, isBinary, isText, scalarJson, textJson, toHex } from "../../../schema/array/scalar.ts"
import type { Column } from "./column.ts"

/** Returns one cell of a column as JSON. */
export type CellEncoder = (index: number) => CellJson

const bytesOf = (values: TypedArray): Uint8Array => new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

const listOf = (values: TypedArray, from: number, to: number): Array<number | string> => {
  const out: Array<number | string> = new Array(to - from)
  for (let i = from; i < to; i++) out[i - from] = scalarJson(values[i])
  return out
}

/** Returns the encoder of non-null cells. */
const valueEncoder = (column: Column): CellEncoder => {
  const { type, cellValNum, values, offsets } = column
  if (cellValNum === "var") {
    if (offsets === undefined) throw new Error(`column ${column.name}: var-sized without offsets`)
    const size = values.BYTES_PER_ELEMENT
    if (isText(type) || isBinary(type)) {
      const bytes = bytesOf(values)
      const encode = isText(type) ? textJson : (cell: Uint8Array) => ({ hex: toHex(cell) })
      return (i) => encode(bytes.subarray(offsets[i] * size, offsets[i + 1] * size))
    }
    return (i) => listOf(values, offsets[i], offsets[i + 1])
  }
  if (isText(type)) {
    const bytes = bytesOf(values)
    return (i) => textJson(bytes.subarray(i * cellValNum, (i + 1) * cellValNum))
  }
  if (cellValNum === 1) return (i) => scalarJson(values[i])
  return (i) => listOf(values, i * cellValNum, (i + 1) * cellValNum)
}

/**
 * Returns a function that encodes single cells of a column. Create it once for each column, then call it for each cell;
 * it does not build a list of all cells.
 *
 * ```ts
 * import { Cells, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   return yield* Sparse.read(quakes, { select: ["place"] })
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * const encode = Cells.cellEncoder(columns.place)
 * assertEquals([encode(0), encode(1)], ["Crete", "Niigata"])
 * ```
 */
export const cellEncoder = (column: Column): CellEncoder => {
  const encode = valueEncoder(column)
  const validity = column.validity
  return validity === undefined ? encode : (i) => validity[i] === 0 ? null : encode(i)
}

/**
 * Returns one cell as JSON.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const column = { name: "n", type: "int64" as const, cellValNum: 1, length: 1, values: BigInt64Array.of(2n ** 60n) }
 * assertEquals(Cells.cellJson(column, 0), "1152921504606846976") // exact, which a JSON number would not be
 * ```
 */
export const cellJson = (column: Column, index: number): CellJson => cellEncoder(column)(index)

/**
 * Returns all cells of a column as JSON.
 *
 * ```ts
 * import { Cells } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const column = { name: "v", type: "float32" as const, cellValNum: 1, length: 3, values: Float32Array.of(1, NaN, 3) }
 * assertEquals(Cells.columnJson({ ...column, validity: Uint8Array.of(1, 1, 0) }), [1, "NaN", null])
 * ```
 */
export const columnJson = (column: Column): Array<CellJson> => {
  const { values, validity, length } = column
  const whole = column.cellValNum === 1 && validity === undefined && !isText(column.type)
  // JSON numbers represent integers of up to 32 bits exactly
  if (whole && !(values instanceof BigInt64Array || values instanceof BigUint64Array)) {
    if (!(values instanceof Float32Array || values instanceof Float64Array)) {
      return Array.from(values.subarray(0, length))
    }
  }
  const encode = cellEncoder(column)
  const out: Array<CellJson> = new Array(length)
  for (let i = 0; i < length; i++) out[i] = encode(i)
  return out
}

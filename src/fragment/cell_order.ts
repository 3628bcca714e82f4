/**
 * The order of sparse cells as key words of their coordinates.
 */
import type { ArraySchema } from "../../schema/array_schema.ts"
import { isFloat, sizeOf, type TypedArray } from "../../schema/datatype.ts"
import type { Dimension } from "../../schema/dimension.ts"
import { readScalar } from "../../schema/scalar.ts"
import { VAR } from "../../schema/cell_val_num.ts"
import { CURRENT_VERSION, Since } from "../../schema/version.ts"
import { hilbertBits, hilbertWords, numberBuckets, stringBuckets } from "../kernel/hilbert.ts"
import { type KeyWords, keyWords } from "../kernel/order_key.ts"
import { stringRanks } from "../kernel/string_rank.ts"

/** The coordinates of cells along one dimension; `offsets` (one more than cells) cut strings. */
export interface Coordinates {
  readonly values: TypedArray
  readonly offsets?: Uint32Array
}

const wordsOf = (column: Coordinates): KeyWords =>
  column.offsets === undefined ? keyWords(column.values) : [stringRanks(column.values as Uint8Array, column.offsets)]

/** Key words that compare the coordinates of cells, dimension after dimension; −0 is 0. */
export const coordinateWords = (columns: ReadonlyArray<Coordinates>): KeyWords => columns.flatMap(wordsOf)

/**
 * Words that tell −0 from 0, of the columns that hold −0. Two cells at −0 and 0 are two cells, as to the engine, which
 * compares the bytes of coordinates; yet neither comes first, so that the dimensions behind decide, and then these words.
 */
export const zeroWords = (columns: ReadonlyArray<Coordinates>): KeyWords =>
  columns.flatMap(({ values }) => {
    if (!(values instanceof Float32Array) && !(values instanceof Float64Array)) return []
    let words: Uint32Array | undefined
    for (let i = 0; i < values.length; i++) {
      if (values[i] !== 0 || !Object.is(values[i], -0)) continue
      words ??= new Uint32Array(values.length).fill(1)
      words[i] = 0
    }
    return words === undefined ? [] : [words]
  })

/**
 * Key words of the global order: the order in which the cells of a sparse fragment of format `version` lie. It has changed
 * twice; what is given out in global order has today's, whatever it was read from.
 */
export const globalWords = (
  schema: ArraySchema,
  columns: ReadonlyArray<Coordinates>,
  version: number = CURRENT_VERSION,
): KeyWords => {
  if (schema.cellOrder === "hilbert") return [...hilbertOf(schema, columns, version), ...coordinateWords(columns)]
  // engines 1.x do not round the number of a float's tile down: cells go by value alone
  if (version < Since.splitDimensions && isFloat(schema.dimensions[0].type)) {
    return coordinateWords(schema.tileOrder === "col-major" ? [...columns].reverse() : columns)
  }
  const tiles = schema.dimensions.map((d, i) => tileWords(d, columns[i]))
  const cells = columns.map(wordsOf)
  return [
    ...(schema.tileOrder === "col-major" ? tiles.reverse() : tiles).flat(),
    ...(schema.cellOrder === "col-major" ? cells.reverse() : cells).flat(),
  ]
}

/** Numbers as float64, as the engine converts them. */
const asDoubles = (values: TypedArray): Float64Array => {
  if (values instanceof Float64Array) return values
  if (!(values instanceof BigInt64Array) && !(values instanceof BigUint64Array)) return Float64Array.from(values)
  const low = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  const high = values instanceof BigInt64Array
    ? new Int32Array(values.buffer, values.byteOffset, 2 * values.length)
    : low
  const out = new Float64Array(values.length)
  for (let i = 0; i < out.length; i++) out[i] = high[2 * i + 1] * 0x100000000 + low[2 * i]
  return out
}

/** The numbers of the space tiles that coordinates lie in; none for strings, which have no tiles. */
const tileWords = (dimension: Dimension, column: Coordinates): KeyWords => {
  const { type, cellValNum, tileExtent, domain } = dimension
  if (cellValNum === VAR || tileExtent === null) return []
  const low = readScalar(type, domain)
  const extent = readScalar(type, tileExtent)
  const { values } = column
  const n = values.length
  if (typeof low === "number") {
    const e = Number(extent)
    const tiles = new Float64Array(n)
    const single = type === "float32"
    for (let i = 0; i < n; i++) {
      const offset = (values[i] as number) - low
      tiles[i] = Math.floor(single ? Math.fround(Math.fround(offset) / e) : offset / e)
    }
    return keyWords(isFloat(type) ? tiles : Uint32Array.from(tiles))
  }
  // 64 bits: offsets from the domain's start are exact as numbers up to 2^53, in practice always
  const high = readScalar(type, domain, sizeOf(type)) as bigint
  const big = extent as bigint
  const tiles = new Float64Array(n)
  if (high - low < 2n ** 53n) {
    const bits = new Uint32Array(values.buffer, values.byteOffset, 2 * n)
    const base = BigInt.asUintN(64, low)
    const baseHigh = Number(base >> 32n)
    const baseLow = Number(base & 0xffffffffn)
    const e = Number(big)
    for (let i = 0; i < n; i++) {
      const difference = ((bits[2 * i + 1] - baseHigh) | 0) * 0x100000000 + (bits[2 * i] - baseLow)
      tiles[i] = Math.floor(difference / e)
    }
    return keyWords(tiles)
  }
  const exact = new BigUint64Array(n)
  for (let i = 0; i < n; i++) exact[i] = BigInt.asUintN(64, (values[i] as bigint) - low) / BigInt.asUintN(64, big)
  return keyWords(exact)
}

/** Engines up to this format count the cells of a domain, where later ones take the distance from its start to its end. */
const COUNTING = 8

const hilbertOf = (schema: ArraySchema, columns: ReadonlyArray<Coordinates>, version: number): KeyWords => {
  const bits = hilbertBits(columns.length)
  return hilbertWords(columns.map((column, i) => {
    const { type, domain } = schema.dimensions[i]
    if (column.offsets !== undefined) return stringBuckets(column.values as Uint8Array, column.offsets, bits)
    const low = Number(readScalar(type, domain))
    const distance = Number(readScalar(type, domain, sizeOf(type))) - low
    const range = version <= COUNTING && !isFloat(type) ? distance + 1 : distance
    return numberBuckets(asDoubles(column.values), low, range, bits)
  }))
}

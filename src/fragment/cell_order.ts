/**
 * The order of sparse cells, as key words of their coordinates.
 */
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import { isFloat, sizeOf, type TypedArray } from "../../schema/array/datatype.ts"
import type { Dimension } from "../../schema/array/dimension.ts"
import { readScalar } from "../../schema/array/scalar.ts"
import { VAR } from "../../schema/array/cell_val_num.ts"
import { CURRENT_VERSION, Since } from "../../schema/version/version.ts"
import {
  hilbertBits,
  hilbertWordsSteps,
  numberBucketsSteps,
  stringBucketsSteps,
  type Words,
} from "../kernel/sort/hilbert.ts"
import { type KeyWords, keyWordsSteps } from "../kernel/sort/order_key.ts"
import { finish, inParts, type Steps } from "../kernel/steps.ts"
import { stringRanksSteps } from "../kernel/sort/string_rank.ts"
import { tileExtentOf } from "./tile_extent.ts"

/** The coordinates of cells along one dimension; `offsets` (number of cells plus one) delimit strings. */
export interface Coordinates {
  readonly values: TypedArray
  readonly offsets?: Uint32Array
}

function* wordsOf(column: Coordinates): Steps<KeyWords> {
  return column.offsets === undefined
    ? yield* keyWordsSteps(column.values)
    : [yield* stringRanksSteps(column.values as Uint8Array, column.offsets)]
}

/** Returns key words that order cells by their coordinates, dimension by dimension; −0 equals 0. */
export const coordinateWords = (columns: ReadonlyArray<Coordinates>): KeyWords => finish(coordinateWordsSteps(columns))

/** Returns key words like {@link coordinateWords}, in steps. */
export function* coordinateWordsSteps(columns: ReadonlyArray<Coordinates>): Steps<KeyWords> {
  const words: Array<Uint32Array> = []
  for (const column of columns) words.push(...yield* wordsOf(column))
  return words
}

/**
 * Returns words that distinguish −0 from 0, for the columns that contain −0. Like in the engine, which compares
 * coordinates bytewise, cells at −0 and 0 are distinct; but their order depends on the other dimensions first, then on
 * these words.
 */
export const zeroWords = (columns: ReadonlyArray<Coordinates>): KeyWords => finish(zeroWordsSteps(columns))

/** Returns words like {@link zeroWords}, in steps. */
export function* zeroWordsSteps(columns: ReadonlyArray<Coordinates>): Steps<KeyWords> {
  const all: Array<Uint32Array> = []
  for (const { values } of columns) {
    if (!(values instanceof Float32Array) && !(values instanceof Float64Array)) continue
    let words: Uint32Array | undefined
    yield* inParts(values.length, (from, to) => {
      for (let i = from; i < to; i++) {
        if (values[i] !== 0 || !Object.is(values[i], -0)) continue
        words ??= new Uint32Array(values.length).fill(1)
        words[i] = 0
      }
    })
    if (words !== undefined) all.push(words)
  }
  return all
}

/** Returns whether the cell order of fragments of a format version is equal to the current one. */
export const hasCurrentOrder = ({ cellOrder, dimensions }: ArraySchema, version: number): boolean =>
  cellOrder === "hilbert"
    ? version >= Since.hilbertDistance
    : version >= Since.splitDimensions || !isFloat(dimensions[0].type)

/**
 * Returns key words of the global order of a fragment of format `version`. The order has changed twice; results in
 * global order always use the current one.
 */
export const globalWords = (
  schema: ArraySchema,
  columns: ReadonlyArray<Coordinates>,
  version: number = CURRENT_VERSION,
): KeyWords => finish(globalWordsSteps(schema, columns, version))

/** Returns key words like {@link globalWords}, in steps. */
export function* globalWordsSteps(
  schema: ArraySchema,
  columns: ReadonlyArray<Coordinates>,
  version: number = CURRENT_VERSION,
): Steps<KeyWords> {
  if (schema.cellOrder === "hilbert") {
    return [...yield* hilbertOf(schema, columns, version), ...yield* coordinateWordsSteps(columns)]
  }
  if (!hasCurrentOrder(schema, version)) {
    // engines 1.x do not round the tile number of floats down: the order depends on the values only
    return yield* coordinateWordsSteps(schema.tileOrder === "col-major" ? [...columns].reverse() : columns)
  }
  const places: Array<PlaceWords> = []
  for (const [i, dimension] of schema.dimensions.entries()) places.push(yield* placeWords(dimension, columns[i]))
  const tiles = places.map(({ tile }) => tile)
  const cells = places.map(({ cell }) => cell)
  return [
    ...(schema.tileOrder === "col-major" ? tiles.reverse() : tiles).flat(),
    ...(schema.cellOrder === "col-major" ? cells.reverse() : cells).flat(),
  ]
}

/** Converts numbers to float64 like the engine. */
function* asDoubles(values: TypedArray): Steps<Float64Array> {
  if (values instanceof Float64Array) return values
  if (!(values instanceof BigInt64Array) && !(values instanceof BigUint64Array)) {
    const numbers = new Float64Array(values.length)
    yield* inParts(numbers.length, (from, to) => numbers.set(values.subarray(from, to), from))
    return numbers
  }
  const low = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  const high = values instanceof BigInt64Array
    ? new Int32Array(values.buffer, values.byteOffset, 2 * values.length)
    : low
  const out = new Float64Array(values.length)
  yield* inParts(out.length, (from, to) => {
    for (let i = from; i < to; i++) out[i] = high[2 * i + 1] * 0x100000000 + low[2 * i]
  })
  return out
}

/**
 * The position of coordinates along a dimension: the space tile, and the position in it (or the absolute position,
 * which sorts the same).
 */
interface PlaceWords {
  readonly tile: KeyWords
  readonly cell: KeyWords
}

/** Strings have no tiles. */
function* placeWords(dimension: Dimension, column: Coordinates): Steps<PlaceWords> {
  const { type, cellValNum, domain } = dimension
  const extent = tileExtentOf(dimension)
  if (cellValNum === VAR || extent === null) return { tile: [], cell: yield* wordsOf(column) }
  const low = readScalar(type, domain)
  const high = readScalar(type, domain, sizeOf(type))
  const { values } = column
  if (isFloat(type)) {
    const tiles = yield* floatTiles(values as Float64Array, low as number, extent as number, type === "float32")
    const last = ((high as number) - (low as number)) / (extent as number)
    return { tile: yield* (last < TWO_32 ? asWords(tiles) : keyWordsSteps(tiles)), cell: yield* keyWordsSteps(values) }
  }
  const span = BigInt(high) - BigInt(low)
  if (span < 2n ** 53n) return yield* wholePlaces(values, low, Number(extent), Number(span))
  const tile = new BigUint64Array(values.length)
  yield* inParts(tile.length, (from, to) => {
    for (let i = from; i < to; i++) {
      tile[i] = BigInt.asUintN(64, (values[i] as bigint) - (low as bigint)) / (extent as bigint)
    }
  })
  return { tile: yield* keyWordsSteps(tile), cell: yield* keyWordsSteps(values) }
}

/** Converts integers below 2^32 to words. */
function* asWords(numbers: Float64Array): Steps<KeyWords> {
  const words = new Uint32Array(numbers.length)
  yield* inParts(words.length, (from, to) => words.set(numbers.subarray(from, to), from))
  return [words]
}

const TWO_32 = 2 ** 32

/** Returns tile numbers like the engine, which computes float32 tiles in that type. */
function* floatTiles(values: Float64Array, low: number, extent: number, single: boolean): Steps<Float64Array> {
  const tiles = new Float64Array(values.length)
  yield* inParts(tiles.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const offset = values[i] - low
      tiles[i] = Math.floor(single ? Math.fround(Math.fround(offset) / extent) : offset / extent)
    }
  })
  return tiles
}

/** The number of cells in a block. */
const BLOCK_CELLS = 4096

/**
 * Writes the distances of integers, starting with cell `from`, from the start of a domain shorter than 2^53: exact as
 * numbers.
 */
const distances = (values: TypedArray, low: number | bigint, from: number, out: Float64Array): void => {
  if (typeof low === "number") {
    out.set(values.subarray(from, from + out.length) as Int32Array)
    if (low !== 0) { for (let i = 0; i < out.length; i++) out[i] -= low }
    return
  }
  const bits = new Uint32Array(values.buffer, values.byteOffset + 8 * from, 2 * out.length)
  const base = BigInt.asUintN(64, low)
  const baseHigh = Number(base >> 32n)
  const baseLow = Number(base & 0xffffffffn)
  for (let i = 0; i < out.length; i++) {
    out[i] = ((bits[2 * i + 1] - baseHigh) | 0) * TWO_32 + (bits[2 * i] - baseLow)
  }
}

/** Returns the tile numbers of integers and the positions in them; the last position is `span` after `low`. */
function* wholePlaces(
  values: TypedArray,
  low: number | bigint,
  extent: number,
  span: number,
): Steps<PlaceWords> {
  const n = values.length
  const last = Math.floor(span / extent)
  const tile = words(n, last)
  const cell = words(n, extent - 1)
  const block = new Float64Array(BLOCK_CELLS)
  yield* inParts(n, (start, end) => {
    for (let from = start; from < end; from += BLOCK_CELLS) {
      const some = end - from < BLOCK_CELLS ? block.subarray(0, end - from) : block
      distances(values, low, from, some)
      for (let i = 0; i < some.length; i++) {
        const number = Math.floor(some[i] / extent)
        const place = some[i] - number * extent
        tile.low[from + i] = number
        cell.low[from + i] = place
        if (tile.high !== undefined) tile.high[from + i] = number / TWO_32
        if (cell.high !== undefined) cell.high[from + i] = place / TWO_32
      }
    }
  })
  const all = ({ high, low }: Pair): KeyWords => high === undefined ? [low] : [high, low]
  return { tile: all(tile), cell: all(cell) }
}

/** The words of integers. */
interface Pair {
  readonly high: Uint32Array | undefined
  readonly low: Uint32Array
}

const words = (n: number, max: number): Pair => ({
  high: max < TWO_32 ? undefined : new Uint32Array(n),
  low: new Uint32Array(n),
})

function* hilbertOf(schema: ArraySchema, columns: ReadonlyArray<Coordinates>, version: number): Steps<KeyWords> {
  const bits = hilbertBits(columns.length)
  const buckets: Array<Words> = []
  for (const [i, column] of columns.entries()) {
    const { type, domain } = schema.dimensions[i]
    if (column.offsets !== undefined) {
      buckets.push(yield* stringBucketsSteps(column.values as Uint8Array, column.offsets, bits))
      continue
    }
    const low = Number(readScalar(type, domain))
    const distance = Number(readScalar(type, domain, sizeOf(type))) - low
    const range = version < Since.hilbertDistance && !isFloat(type) ? distance + 1 : distance
    buckets.push(yield* numberBucketsSteps(yield* asDoubles(column.values), low, range, bits))
  }
  return yield* hilbertWordsSteps(buckets)
}

/** Returns the Hilbert values of cells, as current engines compute them: two words. */
export const curveWords = (schema: ArraySchema, columns: ReadonlyArray<Coordinates>): KeyWords =>
  finish(hilbertOf(schema, columns, CURRENT_VERSION))

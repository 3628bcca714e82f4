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
import { tileExtentOf } from "./tile_extent.ts"

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

/** Whether cells lie in fragments of a format as they lie in those of today. */
export const hasTodaysOrder = ({ cellOrder, dimensions }: ArraySchema, version: number): boolean =>
  cellOrder === "hilbert"
    ? version >= Since.hilbertDistance
    : version >= Since.splitDimensions || !isFloat(dimensions[0].type)

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
  if (!hasTodaysOrder(schema, version)) {
    // engines 1.x do not round the number of a float's tile down: cells go by value alone
    return coordinateWords(schema.tileOrder === "col-major" ? [...columns].reverse() : columns)
  }
  const places = schema.dimensions.map((d, i) => placeWords(d, columns[i]))
  const tiles = places.map(({ tile }) => tile)
  const cells = places.map(({ cell }) => cell)
  return [
    ...(schema.tileOrder === "col-major" ? tiles.reverse() : tiles).flat(),
    ...(schema.cellOrder === "col-major" ? cells.reverse() : cells).flat(),
  ]
}

/** Numbers as float64, as the engine converts them. */
const asDoubles = (values: TypedArray): Float64Array => {
  if (values instanceof Float64Array) return values
  if (!(values instanceof BigInt64Array) && !(values instanceof BigUint64Array)) return new Float64Array(values)
  const low = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  const high = values instanceof BigInt64Array
    ? new Int32Array(values.buffer, values.byteOffset, 2 * values.length)
    : low
  const out = new Float64Array(values.length)
  for (let i = 0; i < out.length; i++) out[i] = high[2 * i + 1] * 0x100000000 + low[2 * i]
  return out
}

/** Where coordinates lie along a dimension: in which space tile, and where in it (or, which sorts alike, where at all). */
interface PlaceWords {
  readonly tile: KeyWords
  readonly cell: KeyWords
}

/** Strings have no tiles. */
const placeWords = (dimension: Dimension, column: Coordinates): PlaceWords => {
  const { type, cellValNum, domain } = dimension
  const extent = tileExtentOf(dimension)
  if (cellValNum === VAR || extent === null) return { tile: [], cell: wordsOf(column) }
  const low = readScalar(type, domain)
  const high = readScalar(type, domain, sizeOf(type))
  const { values } = column
  if (isFloat(type)) {
    const tiles = floatTiles(values as Float64Array, low as number, extent as number, type === "float32")
    const last = ((high as number) - (low as number)) / (extent as number)
    return { tile: last < TWO_32 ? [new Uint32Array(tiles)] : keyWords(tiles), cell: keyWords(values) }
  }
  const span = BigInt(high) - BigInt(low)
  if (span < 2n ** 53n) return wholePlaces(values, low, Number(extent), Number(span))
  const tile = new BigUint64Array(values.length)
  for (let i = 0; i < tile.length; i++) {
    tile[i] = BigInt.asUintN(64, (values[i] as bigint) - (low as bigint)) / (extent as bigint)
  }
  return { tile: keyWords(tile), cell: keyWords(values) }
}

const TWO_32 = 2 ** 32

/** Tiles as the engine numbers them: of float32 in that type. */
const floatTiles = (values: Float64Array, low: number, extent: number, single: boolean): Float64Array => {
  const tiles = new Float64Array(values.length)
  for (let i = 0; i < tiles.length; i++) {
    const offset = values[i] - low
    tiles[i] = Math.floor(single ? Math.fround(Math.fround(offset) / extent) : offset / extent)
  }
  return tiles
}

/** Cells that are looked at together. */
const BLOCK = 4096

/** How far integers from `from` on lie from the start of a domain that is shorter than 2^53: exact as numbers. */
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

/** Tiles of integers, and places in them; the last one lies `span` behind `low`. */
const wholePlaces = (values: TypedArray, low: number | bigint, extent: number, span: number): PlaceWords => {
  const n = values.length
  const last = Math.floor(span / extent)
  const tile = words(n, last)
  const cell = words(n, extent - 1)
  const block = new Float64Array(BLOCK)
  for (let from = 0; from < n; from += BLOCK) {
    const some = n - from < BLOCK ? block.subarray(0, n - from) : block
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
  const all = ({ high, low }: Pair): KeyWords => high === undefined ? [low] : [high, low]
  return { tile: all(tile), cell: all(cell) }
}

/** Words of whole numbers. */
interface Pair {
  readonly high: Uint32Array | undefined
  readonly low: Uint32Array
}

const words = (n: number, most: number): Pair => ({
  high: most < TWO_32 ? undefined : new Uint32Array(n),
  low: new Uint32Array(n),
})

const hilbertOf = (schema: ArraySchema, columns: ReadonlyArray<Coordinates>, version: number): KeyWords => {
  const bits = hilbertBits(columns.length)
  return hilbertWords(columns.map((column, i) => {
    const { type, domain } = schema.dimensions[i]
    if (column.offsets !== undefined) return stringBuckets(column.values as Uint8Array, column.offsets, bits)
    const low = Number(readScalar(type, domain))
    const distance = Number(readScalar(type, domain, sizeOf(type))) - low
    const range = version < Since.hilbertDistance && !isFloat(type) ? distance + 1 : distance
    return numberBuckets(asDoubles(column.values), low, range, bits)
  }))
}

/** Where cells lie on the Hilbert curve, as engines of today compute it: two words. */
export const curveWords = (schema: ArraySchema, columns: ReadonlyArray<Coordinates>): KeyWords =>
  hilbertOf(schema, columns, CURRENT_VERSION)

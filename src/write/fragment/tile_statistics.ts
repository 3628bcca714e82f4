/**
 * Minimum, maximum, sum and null count of a tile, in the engine's form for each datatype.
 *
 * Three defects of the engine are not imitated: NaN is not a bound (unless all cells are NaN), null counts exist for
 * all nullable fields, and strings are compared beyond zero bytes.
 */
import { type Datatype, isFloat, sizeOf, viewAs } from "../../../schema/array/datatype.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import type { Field } from "../../fragment/field.ts"
import type { FieldTile } from "../../fragment/field_tiles.ts"
import { hasMinMax, isByteText, sumType, type TileStatistics } from "../../fragment/tile_statistics.ts"
import { boundHalves, boundNumbers, noHalves, noNumbers, saturatingSum } from "../../kernel/bounds.ts"
import { compareSlices } from "../../kernel/match/match_ranges.ts"
import { finish, inParts, STEP, type Steps } from "../../kernel/steps.ts"

function* nulls(validity: Uint8Array | undefined): Steps<number> {
  if (validity === undefined) return 0
  let count = 0
  yield* inParts(validity.length, (from, to) => {
    count += zeros(validity, from, to)
  })
  return count
}

const zeros = (bytes: Uint8Array, from: number, to: number): number => {
  let count = 0
  for (let i = from; i < to; i++) if (bytes[i] === 0) count++
  return count
}

/** Bounds and sum of a tile; no bounds if all cells are null. */
type Numbers = Pick<TileStatistics, "min" | "max" | "sum">

/** Returns the statistics of all cells of a tile. For dimensions, minimum and maximum are the tile's MBR. */
export const tileStatistics = (field: Field, tile: FieldTile): TileStatistics =>
  finish(tileStatisticsSteps(field, tile))

/** Like {@link tileStatistics}, in steps. */
export function* tileStatisticsSteps(field: Field, tile: FieldTile): Steps<TileStatistics> {
  const nullCount = yield* nulls(tile.validity)
  const dimension = field.file.kind === "dimension"
  const bounds = dimension || hasMinMax(field)
  const sum = sumType(field)
  // ignore validity if there are no nulls
  const validity = nullCount === 0 ? undefined : tile.validity
  const numbers = sum === undefined
    ? undefined
    : sizeOf(field.type) === 8 && sum !== "float64"
    ? yield* wideStatistics(field.type, sum === "int64", tile.values, validity)
    : yield* numberStatistics(field.type, sum, tile.values, validity)
  const match = !bounds ? undefined : isByteText(field.type) ? yield* textBounds(field, tile, validity) : numbers
  const zero = (bound: Uint8Array | undefined): Uint8Array | undefined =>
    dimension && bound !== undefined && isFloat(field.type) ? firstZero(field.type, tile.values, bound) : bound
  return { min: zero(match?.min), max: zero(match?.max), sum: numbers?.sum, nulls: nullCount }
}

/** Returns −0 or 0, whichever the engine stores: it keeps the first one in MBRs and the last one in statistics. */
const firstZero = (type: Datatype, values: Uint8Array, bound: Uint8Array): Uint8Array => {
  if (readScalar(type, bound) !== 0) return bound
  const at = viewAs(type, values).indexOf(0 as never) * sizeOf(type)
  return values.slice(at, at + sizeOf(type))
}

/** Computes bounds and sum of 64-bit integers. */
function* wideStatistics(
  type: Datatype,
  signed: boolean,
  values: Uint8Array,
  validity: Uint8Array | undefined,
): Steps<Numbers> {
  const view = viewAs(type, values)
  const words = new Uint32Array(view.buffer, view.byteOffset, 2 * view.length)
  const halvesBounds = noHalves()
  yield* inParts(view.length, (from, to) => boundHalves(words, signed, validity, from, to, halvesBounds))
  const raw = (high: number, low: number): Uint8Array => new Uint8Array(Uint32Array.of(low, high).buffer)
  const sum = raw(halvesBounds.sumHigh, halvesBounds.sumLow)
  if (halvesBounds.count === 0) return { min: undefined, max: undefined, sum }
  return {
    min: raw(halvesBounds.minHigh, halvesBounds.minLow),
    max: raw(halvesBounds.maxHigh, halvesBounds.maxLow),
    sum,
  }
}

/** Number of cells per block. */
const BLOCK_CELLS = 2048

/** Sums that must stay below this value cannot overflow and are not checked. */
const MAX_SAFE_SUM = 1e300

/** Computes bounds and sum of floats, and of integers of up to 32 bits. */
function* numberStatistics(
  type: Datatype,
  kind: "int64" | "uint64" | "float64",
  values: Uint8Array,
  validity: Uint8Array | undefined,
): Steps<Numbers> {
  const view = viewAs(type, values) as Float64Array<ArrayBuffer>
  const block = new Float64Array(BLOCK_CELLS)
  const bounds = noNumbers()
  let whole = 0n
  let sum = 0
  let saturated = false
  for (let from = 0; from < view.length; from += BLOCK_CELLS) {
    const to = Math.min(view.length, from + BLOCK_CELLS)
    let n = to - from
    let source = block
    if (validity !== undefined) {
      n = 0
      for (let i = from; i < to; i++) if (validity[i] !== 0) block[n++] = view[i]
    } else if (type === "float64") source = view.subarray(from, to)
    else block.set(view.subarray(from, to))
    bounds.sum = kind === "float64" ? sum : 0
    boundNumbers(source, n, bounds)
    if (kind !== "float64") whole += BigInt(bounds.sum)
    else if (!saturated) {
      const max = Math.max(Math.abs(bounds.min), Math.abs(bounds.max)) * n + Math.abs(sum)
      if (max < MAX_SAFE_SUM) sum = bounds.sum
      else ({ sum, saturated } = saturatingSum(source, n, sum))
    }
    if (to % STEP === 0) yield
  }
  const raw = (value: number): Uint8Array => bytesOf(type, value)
  const total = kind === "float64"
    ? new Uint8Array(Float64Array.of(sum).buffer)
    : new Uint8Array(BigInt64Array.of(whole).buffer)
  if (bounds.min <= bounds.max) return { min: raw(bounds.min), max: raw(bounds.max), sum: total }
  const some = validity === undefined ? view.length > 0 : validity.some((v) => v !== 0)
  return { min: some ? raw(NaN) : undefined, max: some ? raw(NaN) : undefined, sum: total }
}

const bytesOf = (type: Datatype, value: number): Uint8Array => {
  const out = new Uint8Array(sizeOf(type))
  ;(viewAs(type, out) as Float64Array)[0] = value
  return out
}

/** Number of texts compared between two yields. */
const TEXT_STEP = 1 << 12

/** Computes bounds of text, compared as unsigned bytes; a prefix precedes longer texts. */
function* textBounds(
  { cellSize }: Field,
  { values, offsets }: FieldTile,
  validity: Uint8Array | undefined,
): Steps<Pick<TileStatistics, "min" | "max">> {
  const cells = offsets === undefined ? values.byteLength / cellSize : offsets.length - 1
  const start = (cell: number): number => offsets === undefined ? cell * cellSize : offsets[cell]
  let min = -1
  let max = -1
  for (let i = 0; i < cells; i++) {
    if (i % TEXT_STEP === TEXT_STEP - 1) yield
    if (validity !== undefined && validity[i] === 0) continue
    if (min < 0) min = max = i
    else if (compareSlices(values, start(i), start(i + 1), values, start(min), start(min + 1)) < 0) min = i
    else if (compareSlices(values, start(i), start(i + 1), values, start(max), start(max + 1)) > 0) max = i
  }
  if (min < 0) return { min: undefined, max: undefined }
  return { min: values.slice(start(min), start(min + 1)), max: values.slice(start(max), start(max + 1)) }
}

/**
 * Splits a read in Hilbert order in two at a position on the curve. MBRs do not bound such positions, so the
 * coordinates of some tiles are read. Consecutive tiles of a fragment are consecutive sections of the curve.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import { viewAs } from "../../../schema/array/datatype.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { type Coordinates, curveWords, hasCurrentOrder } from "../../fragment/cell_order.ts"
import { fieldsOf } from "../../fragment/field.ts"
import { readCoordinates, type ReadTilesError } from "../../fragment/read/read_tiles.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { FragmentPlan, SparsePlan } from "./plan.ts"

/** A position on the curve as two words, the more significant one first. */
export type CurvePlace = readonly [high: number, low: number]

/** A section of the curve. */
export interface CurvePart {
  /** First position. */
  readonly from: CurvePlace | undefined
  /** First position after the section. */
  readonly to: CurvePlace | undefined
}

const isBefore = ([high, low]: CurvePlace, [otherHigh, otherLow]: CurvePlace): boolean =>
  high < otherHigh || (high === otherHigh && low < otherLow)

/** Returns a mask with 1 for each cell in a section of the curve. */
export const cellsOfPart = (
  array: OpenedArray,
  columns: ReadonlyArray<Coordinates>,
  { from, to }: CurvePart,
): Uint8Array => {
  const [high, low] = curveWords(array.schema, columns)
  const mask = new Uint8Array(high.length)
  for (let i = 0; i < mask.length; i++) {
    const place: CurvePlace = [high[i], low[i]]
    mask[i] = (from === undefined || !isBefore(place, from)) && (to === undefined || isBefore(place, to)) ? 1 : 0
  }
  return mask
}

/** Returns the first and the last position of a tile. */
export type TilePlaces = (
  fragment: number,
  tile: number,
) => Effect.Effect<readonly [first: CurvePlace, last: CurvePlace], ReadTilesError, Storage>

/** Returns a function for the positions of tiles. Each tile is read once. */
export const tilePlaces = (access: TileAccess, array: OpenedArray): TilePlaces => {
  const cache = new Map<string, readonly [CurvePlace, CurvePlace]>()
  return (number, tile) =>
    Effect.suspend(() => {
      const key = `${number} ${tile}`
      const there = cache.get(key)
      if (there !== undefined) return Effect.succeed(there)
      const fragment = array.fragments[number]
      const { dimensions } = fieldsOf(fragment.schema)
      return Effect.map(readCoordinates(access, fragment, dimensions, [tile]), (columns) => {
        const ends = columns.map(([{ values, offsets }], d): Coordinates => {
          const cell = (i: number): Uint8Array =>
            offsets === undefined
              ? values.subarray(i * dimensions[d].cellSize, (i + 1) * dimensions[d].cellSize)
              : values.subarray(offsets[i], offsets[i + 1])
          const count = offsets === undefined ? values.length / dimensions[d].cellSize : offsets.length - 1
          const [first, last] = [cell(0), cell(count - 1)]
          const bytes = new Uint8Array(first.length + last.length)
          bytes.set(first)
          bytes.set(last, first.length)
          return {
            values: viewAs(dimensions[d].type, bytes),
            ...(offsets === undefined ? {} : { offsets: Uint32Array.of(0, first.length, bytes.length) }),
          }
        })
        const [high, low] = curveWords(array.schema, ends)
        const places: readonly [CurvePlace, CurvePlace] = [[high[0], low[0]], [high[1], low[1]]]
        cache.set(key, places)
        return places
      })
    })
}

/** Converts a position to a number, possibly rounded. */
const numberOf = ([high, low]: CurvePlace): number => high * 2 ** 32 + low

/** Estimates the share of a tile inside a section of the curve, assuming evenly distributed cells. */
const shareIn = ([first, last]: readonly [CurvePlace, CurvePlace], { from, to }: CurvePart): number => {
  const [low, high] = [numberOf(first), numberOf(last)]
  if (high <= low) return 1
  const start = from === undefined ? low : Math.max(low, numberOf(from))
  const end = to === undefined ? high : Math.min(high, numberOf(to))
  return Math.max(0, Math.min(1, (end - start) / (high - low)))
}

/** Reduces the sizes of the first and last tile of each fragment, if they are only partly inside the section. */
export const lowerSizes = (
  plan: SparsePlan,
  curve: CurvePart,
  places: TilePlaces,
  sizes: ReadonlyArray<Float64Array>,
): Effect.Effect<void, ReadTilesError, Storage> =>
  Effect.forEach(
    plan,
    ({ fragment, tiles }, i) =>
      Effect.forEach([...new Set([0, tiles.length - 1])], (t) =>
        Effect.map(places(fragment, tiles[t].tile), (ends) => {
          sizes[i][t] *= shareIn(ends, curve)
        }), { discard: true }),
    { discard: true },
  )

/** A part of a plan and of the curve. */
export interface CurveCut {
  readonly plan: SparsePlan
  readonly curve: CurvePart
}

/**
 * Splits the plan of a section in two: between tiles if a fragment has several tiles in it, else within tiles. Returns
 * `undefined` for a single position, and for old fragments whose cells are in a different order.
 */
export const cutHilbert = (
  array: OpenedArray,
  plan: SparsePlan,
  curve: CurvePart,
  places: TilePlaces,
): Effect.Effect<readonly [CurveCut, CurveCut] | undefined, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    if (!plan.every(({ fragment }) => hasCurrentOrder(array.schema, array.fragments[fragment].version))) {
      return undefined
    }
    const { from, to } = curve
    const place = (yield* middleOf(plan, from, places)) ?? (yield* middleWithin(plan, curve, places))
    if (place === undefined) return undefined
    const before: Array<FragmentPlan> = []
    const after: Array<FragmentPlan> = []
    for (const { fragment, tiles } of plan) {
      /** returns the first tile that satisfies the predicate; all later tiles satisfy it too */
      const first = (holds: (ends: readonly [CurvePlace, CurvePlace]) => boolean) =>
        Effect.gen(function* () {
          let low = 0
          for (let high = tiles.length; low < high;) {
            const middle = (low + high) >>> 1
            if (holds(yield* places(fragment, tiles[middle].tile))) high = middle
            else low = middle + 1
          }
          return low
        })
      const end = yield* first(([start]) => !isBefore(start, place))
      const start = yield* first(([, last]) => !isBefore(last, place))
      if (end > 0) before.push({ fragment, tiles: tiles.slice(0, end) })
      if (start < tiles.length) after.push({ fragment, tiles: tiles.slice(start) })
    }
    return [{ plan: before, curve: { from, to: place } }, { plan: after, curve: { from: place, to } }]
  })

/** Returns the start of a tile in the middle of the largest fragment, after the start of the section. */
const middleOf = (
  plan: SparsePlan,
  from: CurvePlace | undefined,
  places: TilePlaces,
): Effect.Effect<CurvePlace | undefined, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    for (const { fragment, tiles } of [...plan].sort((a, b) => b.tiles.length - a.tiles.length)) {
      for (let t = Math.max(1, tiles.length >> 1); t < tiles.length; t++) {
        const [first] = yield* places(fragment, tiles[t].tile)
        const [start] = yield* places(fragment, tiles[t - 1].tile)
        // tiles of a single position cannot be separated
        if ((from === undefined || isBefore(from, first)) && isBefore(start, first)) return first
      }
    }
    return undefined
  })

/** Returns the middle of the section that the tiles of a plan span. */
const middleWithin = (
  plan: SparsePlan,
  { from, to }: CurvePart,
  places: TilePlaces,
): Effect.Effect<CurvePlace | undefined, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    let start: CurvePlace | undefined
    let end: CurvePlace | undefined
    for (const { fragment, tiles } of plan) {
      const [first] = yield* places(fragment, tiles[0].tile)
      const [, last] = yield* places(fragment, tiles[tiles.length - 1].tile)
      if (start === undefined || isBefore(first, start)) start = first
      if (end === undefined || isBefore(end, last)) end = last
    }
    if (start === undefined || end === undefined) return undefined
    if (from !== undefined && isBefore(start, from)) start = from
    if (to !== undefined && isBefore(to, end)) end = to
    const middle = numberOf(start) / 2 + numberOf(end) / 2
    const place: CurvePlace = [Math.floor(middle / 2 ** 32), Math.floor(middle % 2 ** 32)]
    return isBefore(start, place) && isBefore(place, end) ? place : undefined
  })

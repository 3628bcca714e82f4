/**
 * Aggregates of dense arrays: tiles that are selected whole and were written by one fragment contribute their
 * statistics; cells of other tiles are read batch by batch.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import { denseCells } from "../../fragment/dense_tiles.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { proveTileCount } from "../../fragment/field_tiles.ts"
import { loadTileBounds, type TileBounds } from "../../fragment/load/load_statistics.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Aggregates } from "./aggregate.ts"
import { lengthOf, type WholeRanges } from "../dense/axis_plan.ts"
import { fieldOfFragment } from "../column/gather.ts"
import { planDense, planSize } from "../dense/plan.ts"
import { attemptSelection, type ReadError } from "../options/read_error.ts"
import { denseRequest } from "../request/dense_request.ts"
import type { DenseReadRequest } from "../dense/read.ts"
import type { StreamOptions } from "../options/read_options.ts"
import { streamDenseRequest } from "../dense/stream.ts"
import { boxesOf, spaceTiles } from "../dense/covered_space_tiles.ts"
import { type AggregateValue, type Totals, totalsOf } from "./accumulator.ts"

/**
 * Maximum size of a plan for a whole selection, in tiles and segments; the tiles of larger selections are read batch by
 * batch.
 */
const MAX_TILES = 1n << 20n
const MAX_SEGMENTS = 1n << 22n

/** Computes aggregates of a dense array. */
export const aggregateDense = (
  array: OpenedArray,
  aggregates: Aggregates,
  options: StreamOptions = {},
): Effect.Effect<Readonly<Record<string, AggregateValue>>, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const totals = yield* attemptSelection(() => totalsOf(array, aggregates))
    const denseReadRequest = yield* denseRequest(array, { ...options, order: "row" })
    const request: DenseReadRequest = {
      ...denseReadRequest,
      fields: totals.fields.map(({ field }) => field),
      masked: true,
    }
    const { where, ranges } = request
    if (where === undefined) totals.cells = Number(ranges.reduce((n, ranges) => n * lengthOf(ranges), 1n))
    if (where === undefined && request.fields.length === 0) return totals.values()
    const access = yield* accessOf(array)
    const parts = where === undefined ? yield* addWholeTiles(access, array, totals, request) : [ranges]
    yield* Effect.forEach(parts, (part) =>
      Stream.runForEach(
        streamDenseRequest(array, { ...request, ranges: part }, options),
        ({ shape, columns, mask: mask }) =>
          Effect.sync(() => {
            const cells = shape.reduce((n, length) => n * length, 1)
            if (where !== undefined) {
              totals.cells += mask === undefined ? cells : count(mask)
            }
            for (const one of totals.fields) {
              one.add(columns[one.field.name], mask)
            }
          }),
      ), { discard: true })
    return totals.values()
  })

const count = (mask: Uint8Array): number => {
  let sum = 0
  for (let i = 0; i < mask.length; i++) sum += mask[i]
  return sum
}

/** Adds the tiles whose statistics suffice and returns boxes that contain the remaining tiles. */
const addWholeTiles = (
  access: TileAccess,
  array: OpenedArray,
  totals: Totals,
  { ranges }: DenseReadRequest,
): Effect.Effect<ReadonlyArray<ReadonlyArray<WholeRanges>>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const { schema, fragments } = array
    const size = planSize(schema, ranges)
    const measured = totals.fields.every(({ field }) => field.file.kind === "attribute")
    if (!measured || size.tiles > MAX_TILES || size.segments > MAX_SEGMENTS || fragments.length === 0) return [ranges]
    for (const fragment of fragments) yield* proveTileCount(access, fragment)
    const plan = planDense(schema, fragments, ranges, "row-major")
    // statistics do not include the cells of sparse fragments
    if (plan.steps.some((step) => step.kind === "sparse")) return [ranges]
    const cells = denseCells(schema)
    const existing: Array<ReadonlyArray<TileBounds> | undefined> = []
    for (const { fragment } of plan.steps) existing.push(yield* boundsOf(access, fragments[fragment], totals))
    const tiles = spaceTiles(plan, cells)
    const remaining = tiles.filter(({ whole }) => {
      const bounds = whole === undefined ? undefined : existing[whole.step]
      if (whole === undefined || bounds === undefined) return true
      if (!totals.fields.every((field, i) => field.hasStatistics(bounds[i], whole.tile, cells))) return true
      totals.fields.forEach((field, i) => field.addTile(bounds[i], whole.tile, cells))
      return false
    })
    return remaining.length === tiles.length ? [ranges] : boxesOf(plan, ranges, remaining.map(({ key }) => key))
  })

/**
 * Returns a fragment's tile statistics of the aggregated fields; `undefined` if the fragment lacks them for a field.
 */
const boundsOf = (
  access: TileAccess,
  fragment: Fragment,
  { fields }: Totals,
): Effect.Effect<ReadonlyArray<TileBounds> | undefined, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const tileBounds: Array<TileBounds> = []
    for (const { field } of fields) {
      const storedField = fieldOfFragment(fragment, field)
      const bounds = storedField === undefined || storedField.nullable !== field.nullable
        ? undefined
        : yield* loadTileBounds(access, fragment, storedField)
      if (bounds === undefined) return undefined
      tileBounds.push(bounds)
    }
    return tileBounds
  })

/**
 * Aggregates of sparse arrays: tiles that are selected whole contribute their statistics; cells of other tiles are read
 * batch by batch.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import { cellsInTile } from "../../fragment/fragment.ts"
import { loadTileBounds, type TileBounds } from "../../fragment/load/load_statistics.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Aggregates } from "./aggregate.ts"
import { fieldOfFragment } from "../column/gather.ts"
import type { SparsePlan } from "../sparse/plan.ts"
import { attemptSelection, type ReadError } from "../options/read_error.ts"
import type { StreamOptions } from "../options/read_options.ts"
import { sparseRequest } from "../request/sparse_request.ts"
import { planRequest, workOf } from "../sparse/read.ts"
import { isCutByTime } from "../sparse/match_tiles.ts"
import { streamSparseRequest } from "../sparse/stream.ts"
import { type AggregateValue, type FieldTotals, type Totals, totalsOf } from "./accumulator.ts"

/** Computes aggregates of a sparse array. */
export const aggregateSparse = (
  array: OpenedArray,
  aggregates: Aggregates,
  options: StreamOptions = {},
): Effect.Effect<Readonly<Record<string, AggregateValue>>, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const totals = yield* attemptSelection(() => totalsOf(array, aggregates))
    const requested = yield* sparseRequest(array, { ...options, order: "unordered" }, "unordered")
    const request = { ...requested, fields: totals.fields.map(({ field }) => field) }
    const access = yield* accessOf(array)
    let plan: SparsePlan | undefined = yield* planRequest(access, array, request)
    if (workOf(array, plan, { order: "unordered" }).dedups) plan = undefined
    else if (request.where === undefined && array.deletes.length === 0) {
      plan = yield* addWholeTiles(access, array, totals, plan)
      if (plan.length === 0) return totals.values()
    }
    yield* Stream.runForEach(streamSparseRequest(array, request, options, plan), ({ length, columns }) =>
      Effect.sync(() => {
        totals.cells += length
        for (const field of totals.fields) {
          field.add(columns[field.field.name], undefined)
        }
      }))
    return totals.values()
  })

/** Adds the tiles whose statistics suffice and returns a plan of the remaining tiles. */
const addWholeTiles = (
  access: TileAccess,
  array: OpenedArray,
  totals: Totals,
  plan: SparsePlan,
): Effect.Effect<SparsePlan, ReadTilesError, Storage> =>
  Effect.map(
    Effect.forEach(plan, (part) =>
      Effect.gen(function* () {
        const fragment = array.fragments[part.fragment]
        if (fragment.hasDeleteMetadata || isCutByTime(array, fragment) || !part.tiles.some(({ whole }) => whole)) {
          return part
        }
        const existing: Array<readonly [FieldTotals, TileBounds]> = []
        for (const fieldTotals of totals.fields) {
          const field = fieldOfFragment(fragment, fieldTotals.field)
          const bounds = field === undefined ? undefined : yield* loadTileBounds(access, fragment, field)
          if (bounds === undefined) return part
          existing.push([fieldTotals, bounds])
        }
        const remaining = part.tiles.filter(({ tile, whole }) => {
          const cells = cellsInTile(fragment, tile)
          if (!whole || !existing.every(([fieldTotals, bounds]) => fieldTotals.hasStatistics(bounds, tile, cells))) {
            return true
          }
          totals.cells += cells
          for (const [currentFieldTotals, bounds] of existing) currentFieldTotals.addTile(bounds, tile, cells)
          return false
        })
        return { ...part, tiles: remaining }
      })),
    (plans) => plans.filter(({ tiles }) => tiles.length > 0),
  )

/**
 * Prunes sparse plans: removes tiles in which no cell can satisfy the condition, according to attribute statistics and
 * MBRs, before any tile is read.
 */
import * as Effect from "effect/Effect"
import { addToMetrics } from "../../../platform/observability/counts.ts"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import type { Where } from "../../condition/where.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { loadMbrs } from "../../fragment/mbrs.ts"
import type { SectionError } from "../../fragment/sections.ts"
import { makeIntersects } from "../../kernel/boxes.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { fragmentMayMatch, knownAttribute, knownDimension } from "../condition/tile_metadata.ts"
import type { SparseTile } from "./tile_overlap.ts"
import type { FragmentPlan, SparsePlan } from "./plan.ts"
import { tileBoxes } from "./mbr_boxes.ts"
import { type KnownCells, mayMatch } from "../condition/may_match.ts"

/** The tiles of a fragment: `kept` may contain matching cells, `left` cannot. */
interface DividedTiles {
  readonly fragment: number
  readonly kept: ReadonlyArray<SparseTile>
  readonly left: ReadonlyArray<SparseTile>
}

/**
 * Returns a plan without tiles that contain no matching cells. If newer cells can replace older ones (`replaces`),
 * tiles whose cells may replace cells of a retained tile stay in the plan; otherwise an older cell would reappear.
 */
export const pruneTiles = (
  access: TileAccess,
  array: OpenedArray,
  where: Where,
  plan: SparsePlan,
  replaces: boolean,
): Effect.Effect<SparsePlan, SectionError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const divided = yield* Effect.forEach(plan, (part) => divideTiles(access, array, where, part), {
      concurrency: inFlight(storage, array.uri, 16),
    })
    const kept = divided.map(({ fragment, kept }): FragmentPlan => ({ fragment, tiles: kept }))
    const plans = replaces && divided.some(({ left: remaining }) => remaining.length > 0)
      ? yield* withReplacingTiles(access, array, divided, kept)
      : kept
    yield* addToMetrics({ tilesPruned: tileCount(plan) - tileCount(plans) })
    return plans.filter(({ tiles }) => tiles.length > 0)
  })

const tileCount = (plan: ReadonlyArray<FragmentPlan>): number => plan.reduce((sum, { tiles }) => sum + tiles.length, 0)

const divideTiles = (
  access: TileAccess,
  array: OpenedArray,
  where: Where,
  { fragment: number, tiles }: FragmentPlan,
): Effect.Effect<DividedTiles, SectionError, Storage> =>
  Effect.gen(function* () {
    const fragment = array.fragments[number]
    if (!(yield* fragmentMayMatch(access, fragment, where))) return { fragment: number, kept: [], left: tiles }
    const cache = new Map<string, (tile: number) => KnownCells | undefined>()
    for (const field of where.fields) {
      const { file, name } = field
      cache.set(
        name,
        file.kind === "dimension"
          ? yield* knownDimension(access, fragment, field, file.index)
          : yield* knownAttribute(access, fragment, field),
      )
    }
    const kept: Array<SparseTile> = []
    const remaining: Array<SparseTile> = []
    for (const sparseTile of tiles) {
      ;(mayMatch(where.predicate, (name) => cache.get(name)!(sparseTile.tile)) ? kept : remaining).push(sparseTile)
    }
    return { fragment: number, kept, left: remaining }
  })

/** Returns the retained tiles and, of the other tiles, those whose cells may replace cells of the retained ones. */
const withReplacingTiles = (
  access: TileAccess,
  array: OpenedArray,
  decided: ReadonlyArray<DividedTiles>,
  plan: ReadonlyArray<FragmentPlan>,
): Effect.Effect<ReadonlyArray<FragmentPlan>, SectionError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const levels = yield* Effect.forEach(decided, ({ fragment }) => loadMbrs(access, array.fragments[fragment]), {
      concurrency: inFlight(storage, array.uri, 16),
    })
    const inLevels = (tiles: (one: DividedTiles) => ReadonlyArray<SparseTile>) =>
      decided.flatMap((one, i) => tiles(one).map(({ tile }) => ({ level: levels[i], tile, fragment: one.fragment })))
    const kept = inLevels((one) => one.kept)
    if (kept.length === 0) return []
    const meets = makeIntersects(tileBoxes(kept))
    const boxes = tileBoxes(inLevels((one) => one.left))
    let k = 0
    return decided.map(({ fragment: number, left: remaining }, i) => {
      const { name, hasTimestamps } = array.fragments[number]
      const replacing = remaining.filter(() =>
        meets(boxes, k++, (i) => {
          const other = kept[i].fragment
          // a cell cannot replace a cell that was written later
          return other === number ? hasTimestamps : name.end >= array.fragments[other].name.start
        })
      )
      if (replacing.length === 0) return plan[i]
      return { fragment: number, tiles: [...plan[i].tiles, ...replacing].sort((a, b) => a.tile - b.tile) }
    })
  })

/**
 * Prunes dense plans: removes space tiles in which no cell can satisfy the condition, according to the statistics of
 * all fragments that wrote to them; after the condition is evaluated, removes tiles without matching cells.
 */
import * as Effect from "effect/Effect"
import { addToMetrics } from "../../../platform/observability/counts.ts"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { readScalar, scalarBytes } from "../../../schema/array/scalar.ts"
import { Since } from "../../../schema/version/version.ts"
import type { Where } from "../../condition/where.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import type { SectionError } from "../../fragment/sections.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { type AxisPlan, tileStart } from "./axis_plan.ts"
import { forTileLines } from "./cell_slabs.ts"
import { fragmentMayMatch, knownAttribute } from "../condition/tile_metadata.ts"
import type { DensePlan, DenseStep } from "./plan.ts"
import { tileKey } from "./covered_space_tiles.ts"
import { type KnownCells, mayMatch } from "../condition/may_match.ts"

/**
 * Returns a plan without the space tiles in which no fragment contains a matching cell. If only some fragments contain
 * matching cells, all fragments are read: a tile without matches may overwrite older cells that would match. Cells that
 * were never written have the fill value, matching or not.
 */
export const pruneDense = (
  access: TileAccess,
  array: OpenedArray,
  where: Where,
  plan: DensePlan,
): Effect.Effect<DensePlan, SectionError, Storage> =>
  Effect.gen(function* () {
    const { axes, steps, tiles } = plan
    // statistics do not include the cells of sparse fragments
    if (steps.some((step) => step.kind === "sparse")) return plan
    const dims = axes.length
    const retained = new Set<number>()
    const addMatching = (step: DenseStep): Effect.Effect<void, SectionError, Storage> =>
      Effect.gen(function* () {
        const fragment = array.fragments[step.fragment]
        if (!(yield* fragmentMayMatch(access, fragment, where))) return
        const cache = new Map<string, (k: number) => KnownCells | undefined>()
        for (const field of where.fields) {
          const { file, name } = field
          if (file.kind === "dimension") {
            cache.set(name, (k) => coordinates(axes[file.index], step.along[k * dims + file.index], field.type))
            continue
          }
          const ofTile = yield* knownAttribute(access, fragment, field)
          const isKnown = knownTiles(fragment, axes)
          cache.set(name, (k) => isKnown(step, k) ? ofTile(tiles[step.firstTile + k].tile) : undefined)
        }
        for (let k = 0; k < step.tileCount; k++) {
          const key = tileKey(axes, step, k)
          if (!retained.has(key) && mayMatch(where.predicate, (name) => cache.get(name)!(k))) retained.add(key)
        }
      })
    const storage = yield* Storage
    yield* Effect.forEach(steps as ReadonlyArray<DenseStep>, addMatching, {
      concurrency: inFlight(storage, array.uri, 16),
      discard: true,
    })
    const remaining = restrictPlan(plan, (step, k) => retained.has(tileKey(axes, step, k)))
    yield* addToMetrics({ tilesPruned: tiles.length - remaining.tiles.length })
    return remaining.tiles.length === tiles.length ? plan : { ...remaining, covered: false }
  })

/** Returns the metadata of a space tile's coordinates. */
const coordinates = ({ axis, tiles }: AxisPlan, t: number, type: KnownCells["type"]): KnownCells => {
  const low = tileStart(axis, tiles[t])
  const high = low + axis.extent - 1n
  return {
    type,
    text: false,
    bounds: { low: scalarBytes(type, low), high: scalarBytes(type, high < axis.high ? high : axis.high) },
    nulls: 0,
    cells: Infinity,
  }
}

/**
 * Returns a test whether a tile's statistics describe written cells only. Up to format 15 statistics describe the whole
 * tile, so the whole tile must have been written.
 */
const knownTiles = (
  { version, nonEmptyDomain, schema }: Fragment,
  axes: ReadonlyArray<AxisPlan>,
): (step: DenseStep, k: number) => boolean => {
  if (version >= Since.deletes) return () => true
  const whole = axes.map(({ axis, tiles }, d) => {
    const { low, high } = nonEmptyDomain![d]
    const { type } = schema.dimensions[d]
    const [from, to] = [BigInt(readScalar(type, low)), BigInt(readScalar(type, high))]
    return tiles.map((tile) => tileStart(axis, tile) >= from && tileStart(axis, tile + 1n) - 1n <= to)
  })
  return ({ along }, k) => whole.every((values, d) => values[along[k * whole.length + d]])
}

/** Restricts a plan to the tiles that pass a predicate, by step and tile number. */
export const restrictPlan = (plan: DensePlan, isKept: (step: DenseStep, k: number) => boolean): DensePlan => {
  const dims = plan.axes.length
  const tiles: Array<DensePlan["tiles"][number]> = []
  const steps: Array<DensePlan["steps"][number]> = []
  for (const step of plan.steps) {
    if (step.kind === "sparse") {
      steps.push(step)
      continue
    }
    const kept = Array.from({ length: step.tileCount }, (_, k) => k).filter((k) => isKept(step, k))
    if (kept.length === 0) continue
    const along = new Uint32Array(kept.length * dims)
    kept.forEach((k, i) => along.set(step.along.subarray(k * dims, (k + 1) * dims), i * dims))
    const firstTile = tiles.length
    for (const k of kept) tiles.push(plan.tiles[step.firstTile + k])
    const cells = Float64Array.from(kept, (k) => step.cells[k])
    steps.push({ ...step, firstTile, tileCount: kept.length, along, cells })
  }
  return { ...plan, tiles, steps }
}

/** Restricts a plan to the tiles that contain matching cells. */
export const planOfMatching = (plan: DensePlan, matching: Uint8Array): DensePlan =>
  restrictPlan(plan, (step, k) => {
    let some = false
    forTileLines(plan, step, k, (_, target, length, _stride, stride) => {
      for (let i = 0; i < length && !some; i++) some = matching[target + i * stride] === 1
    })
    return some
  })

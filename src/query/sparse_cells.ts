/**
 * The cells of sparse fragments that a selection holds: tiles by their MBRs, then cells by their coordinates and times.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../platform/storage.ts"
import type { OpenedArray } from "../array/open.ts"
import type { ResultTooLarge } from "../array/errors.ts"
import { fieldsOf } from "../fragment/field.ts"
import type { FieldTile } from "../fragment/field_tiles.ts"
import { cellsInTile } from "../fragment/fragment.ts"
import { readCoordinates, readTiles, type ReadTilesError } from "../fragment/read_tiles.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { type FoundCells, listCells } from "./found_cells.ts"
import type { Cells } from "./gather.ts"
import { type CellFilter, cellFilter } from "./match_cells.ts"
import { checkPlan, type FragmentPlan, planTiles, type SparsePlan } from "./plan_tiles.ts"
import { attemptAllocation } from "./read_error.ts"
import type { Selection } from "./selection.ts"

/** What is wanted of the cells beside where they are. */
export interface Wanted {
  /** Dimensions whose coordinates are needed of all cells. */
  readonly dimensions: ReadonlyArray<number>
  /** Whether the cells' own times are needed. */
  readonly times: boolean
  /** Where tiles hold more cells than this together, they are looked at in parts, and coordinates are not kept. */
  readonly most?: number
}

/** u64 times as numbers; all ones become larger than any time. */
export const timesOf = (bytes: Uint8Array): Float64Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const out = new Float64Array(bytes.byteLength / 8)
  for (let i = 0; i < out.length; i++) {
    out[i] = view.getUint32(8 * i + 4, true) * 0x100000000 + view.getUint32(8 * i, true)
  }
  return out
}

/** Finds the cells of a selection in fragments, by their numbers. */
export const findCells = (
  access: TileAccess,
  array: OpenedArray,
  selection: Selection,
  fragments: ReadonlyArray<number>,
): Effect.Effect<Cells, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const plan = yield* planTiles(access, array, selection, fragments)
    yield* checkPlan(access, array, plan, 8, Infinity)
    const found = yield* matchTiles(access, array, selection, plan, { dimensions: [], times: false })
    return yield* attemptAllocation(array.uri, 8 * found.length, () => listCells(found))
  })

/** The cells of a plan's tiles that belong to the selection. */
export const matchTiles = (
  access: TileAccess,
  array: OpenedArray,
  selection: Selection,
  plan: SparsePlan,
  wanted: Wanted,
): Effect.Effect<FoundCells, ReadTilesError, Storage> => {
  const filters = selection.map(cellFilter)
  const { most = Infinity } = wanted
  const keeps = plan.reduce((sum, its) => sum + cellsOf(array, its), 0) <= most
  const parts = keeps ? plan : plan.flatMap((its) => partsOf(array, its, most))
  return Effect.map(
    Effect.flatMap(
      Storage,
      (storage) =>
        Effect.forEach(parts, (its) => matchFragment(access, array, its, filters, wanted, keeps), {
          concurrency: keeps ? inFlight(storage, array.uri, 4) : 1,
        }),
    ),
    (found) => found.length === 1 ? found[0] : joinFound(found, selection.length),
  )
}

const cellsOf = (array: OpenedArray, { fragment, tiles }: FragmentPlan): number =>
  tiles.reduce((sum, { tile }) => sum + cellsInTile(array.fragments[fragment], tile), 0)

/** A fragment's tiles in parts of at most `most` cells, or one tile. */
const partsOf = (array: OpenedArray, { fragment, tiles }: FragmentPlan, most: number): ReadonlyArray<FragmentPlan> => {
  const out: Array<FragmentPlan> = []
  for (let from = 0; from < tiles.length;) {
    let to = from
    for (let cells = 0; to < tiles.length; to++) {
      cells += cellsInTile(array.fragments[fragment], tiles[to].tile)
      if (to > from && cells > most) break
    }
    out.push({ fragment, tiles: tiles.slice(from, to) })
    from = to
  }
  return out
}

const matchFragment = (
  access: TileAccess,
  array: OpenedArray,
  { fragment: number, tiles: planned }: FragmentPlan,
  filters: ReadonlyArray<CellFilter | undefined>,
  wanted: Wanted,
  keeps: boolean,
): Effect.Effect<FoundCells, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const fragment = array.fragments[number]
    const fields = fieldsOf(fragment.schema)
    const numbers = planned.map((t) => t.tile)
    // where all tiles are whole, no coordinate decides anything
    const partial = planned.some((t) => !t.whole)
    const reads = filters.map((filter, d) =>
      partial && (filter !== undefined || (keeps && wanted.dimensions.includes(d)))
    )
    const read = fields.dimensions.filter((_, d) => reads[d])
    const columns = read.length === 0 ? [] : yield* readCoordinates(access, fragment, read, numbers)
    const coordinates = reads.map((r, d) => r ? columns[read.indexOf(fields.dimensions[d])] : undefined)

    const { start, end } = array.time
    // a consolidated fragment that reaches beyond the time range: its cells say themselves when they were written
    const cutsTime = fragment.hasTimestamps && (fragment.name.start < start || fragment.name.end > end)
    const times = fragment.hasTimestamps && (cutsTime || wanted.times)
      ? (yield* readTiles(access, fragment, fields.timestamps, numbers)).map((t) => timesOf(t.values))
      : undefined

    const kept: Array<number> = []
    const counts: Array<number> = []
    const positions: Array<Uint32Array | undefined> = []
    let length = 0
    let scratch = new Uint32Array(0)
    for (let i = 0; i < planned.length; i++) {
      const cells = cellsInTile(fragment, planned[i].tile)
      let its: Uint32Array | undefined
      if (!planned[i].whole) {
        if (scratch.length < cells) scratch = new Uint32Array(cells)
        for (let d = 0; d < filters.length; d++) {
          const count = filters[d]?.(coordinates[d]![i], its, scratch)
          if (count !== undefined) its = scratch.subarray(0, count)
        }
      }
      if (cutsTime) {
        if (scratch.length < cells) scratch = new Uint32Array(cells)
        its = scratch.subarray(0, selectTimes(times![i], start, end, its, scratch))
      }
      if (its?.length === 0) continue
      const count = its?.length ?? cells
      kept.push(i)
      counts.push(count)
      positions.push(count === cells ? undefined : its!.slice())
      length += count
    }
    return {
      length,
      tiles: kept.map((i) => ({ fragment: number, tile: numbers[i] })),
      counts: Uint32Array.from(counts),
      positions,
      coordinates: coordinates.map((tiles) => tiles === undefined || !keeps ? undefined : kept.map((i) => tiles[i])),
      times: kept.map((i) => times?.[i]),
    }
  })

/** The positions, among the given ones, of cells that were written in a range of time. */
const selectTimes = (
  times: Float64Array,
  start: number,
  end: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  const n = among?.length ?? times.length
  let found = 0
  for (let k = 0; k < n; k++) {
    const i = among === undefined ? k : among[k]
    if (times[i] >= start && times[i] <= end) out[found++] = i
  }
  return found
}

/** The cells of several fragments as those of one list. */
const joinFound = (found: ReadonlyArray<FoundCells>, dimensions: number): FoundCells => {
  const tiles = found.flatMap((f) => f.tiles)
  const counts = new Uint32Array(tiles.length)
  let at = 0
  for (const f of found) {
    counts.set(f.counts, at)
    at += f.tiles.length
  }
  const coordinatesOf = (d: number): ReadonlyArray<FieldTile | undefined> | undefined =>
    found.some((f) => f.coordinates[d] !== undefined)
      ? found.flatMap((f) => f.coordinates[d] ?? new Array<undefined>(f.tiles.length).fill(undefined))
      : undefined
  return {
    length: found.reduce((sum, f) => sum + f.length, 0),
    tiles,
    counts,
    positions: found.flatMap((f) => f.positions),
    coordinates: Array.from({ length: dimensions }, (_, d) => coordinatesOf(d)),
    times: found.flatMap((f) => f.times),
  }
}

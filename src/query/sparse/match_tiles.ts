/**
 * Finds the selected cells of sparse fragments: tiles by their MBRs, then cells by their coordinates and times.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import type { MbrLevel } from "../../../schema/fragment/rtree.ts"
import { Since } from "../../../schema/version/version.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { ResultTooLarge } from "../../array/open/errors.ts"
import { fieldsOf } from "../../fragment/field.ts"
import type { FieldTile } from "../../fragment/field_tiles.ts"
import { cellsInTile, type Fragment } from "../../fragment/fragment.ts"
import { loadMbrs } from "../../fragment/mbrs.ts"
import { readCoordinates, readTiles, type ReadTilesError } from "../../fragment/read/read_tiles.ts"
import { readSpans } from "../../fragment/read/read_spans.ts"
import { attemptTile } from "../../tile/attempt.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { type Candidate, cellsLeft, narrowing } from "./candidate_tiles.ts"
import { listCells, type ResultCells } from "./result/result_cells.ts"
import type { Cells } from "../column/gather.ts"
import { type CellFilter, cellFilter } from "./cell_filter.ts"
import { checkPlan, type FragmentPlan, planTiles, type SparsePlan } from "./plan.ts"
import { pickCells } from "../column/take.ts"
import { attemptAllocation } from "../options/read_error.ts"
import type { SparseTile } from "./tile_overlap.ts"
import type { Selection } from "../selection/selection.ts"
import { shareAlong } from "./share.ts"

/** Additional data that the caller needs of the matching cells. */
export interface MatchOptions {
  /** Dimensions whose coordinates are needed for all cells. */
  readonly dimensions: ReadonlyArray<number>
  /** True if the cells' own write times are needed. */
  readonly times: boolean
  /** If the tiles contain more cells than this, they are matched in parts and coordinates are not retained. */
  readonly maxCells?: number
}

/** Converts u64 times to numbers; the maximum value becomes larger than any time. */
export const cellTimesOf = (bytes: Uint8Array): Float64Array => {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  const halves = new Uint32Array(buffer, byteOffset, byteLength / 4)
  const out = new Float64Array(byteLength / 8)
  for (let i = 0; i < out.length; i++) out[i] = halves[2 * i + 1] * 0x100000000 + halves[2 * i]
  return out
}

/**
 * Returns whether a fragment consolidated with timestamps extends beyond the time range: the write time of each cell is
 * then checked.
 */
export const isCutByTime = ({ time }: OpenedArray, { hasTimestamps, name }: Fragment): boolean =>
  hasTimestamps && (name.start < time.start || name.end > time.end)

/** Finds the selected cells of fragments, by fragment number. */
export const findCells = (
  access: TileAccess,
  array: OpenedArray,
  selection: Selection,
  fragments: ReadonlyArray<number>,
): Effect.Effect<Cells, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    const plan = yield* planTiles(access, array, selection, fragments)
    yield* checkPlan(access, array, plan, 8, Infinity)
    const cells = yield* matchTiles(access, array, selection, plan, { dimensions: [], times: false })
    return yield* attemptAllocation(array.uri, 8 * cells.length, () => listCells(cells))
  })

/** Returns the selected cells of a plan's tiles. */
export const matchTiles = (
  access: TileAccess,
  array: OpenedArray,
  selection: Selection,
  plan: SparsePlan,
  requested: MatchOptions,
): Effect.Effect<ResultCells, ReadTilesError, Storage> => {
  const filters = selection.map(cellFilter)
  const { maxCells: max = Infinity } = requested
  const keeps = plan.reduce((sum, plan) => sum + cellsOf(array, plan), 0) <= max
  const parts = keeps ? plan : plan.flatMap((plan) => partsOf(array, plan, max))
  return Effect.map(
    Effect.flatMap(
      Storage,
      (storage) =>
        Effect.forEach(parts, (part) => matchFragment(access, array, part, selection, filters, requested, keeps), {
          concurrency: keeps ? inFlight(storage, array.uri, 16) : 1,
        }),
    ),
    (cells) => cells.length === 1 ? cells[0] : joinFound(cells, selection.length),
  )
}

const cellsOf = (array: OpenedArray, { fragment, tiles }: FragmentPlan): number =>
  tiles.reduce((sum, { tile }) => sum + cellsInTile(array.fragments[fragment], tile), 0)

/** Divides a fragment's tiles into parts of at most `most` cells. A part has at least one tile. */
const partsOf = (array: OpenedArray, { fragment, tiles }: FragmentPlan, max: number): ReadonlyArray<FragmentPlan> => {
  const out: Array<FragmentPlan> = []
  for (let from = 0; from < tiles.length;) {
    let to = from
    for (let cells = 0; to < tiles.length; to++) {
      cells += cellsInTile(array.fragments[fragment], tiles[to].tile)
      if (to > from && cells > max) break
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
  selection: Selection,
  filters: ReadonlyArray<CellFilter | undefined>,
  requested: MatchOptions,
  keeps: boolean,
): Effect.Effect<ResultCells, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const fragment = array.fragments[number]
    const { dimensions, timestamps } = fieldsOf(fragment.schema)
    const narrow = narrowing(dimensions)
    let remaining: ReadonlyArray<Candidate> = planned.map(({ tile, whole }) => ({
      tile,
      cells: cellsInTile(fragment, tile),
      whole,
      positions: undefined,
      coordinates: filters.map(() => undefined),
    }))
    // if all tiles are selected whole, no coordinates are read
    const readsCoordinates = planned.every((t) => t.whole)
      ? []
      : filters.flatMap((filter, d) => filter === undefined ? [] : [d])
    const steps = !readsInSequence(fragment, yield* Storage)
      ? [readsCoordinates]
      : readsCoordinates.length < 2
      ? [readsCoordinates]
      : bySelectivity(selection, yield* loadMbrs(access, fragment), planned, readsCoordinates).map((d) => [d])
    for (const step of steps) {
      yield* eachTile(access, fragment, step, remaining, (d, i, tile, first) => {
        const candidate = remaining[i]
        if (!candidate.whole) narrow(candidate, (among, out) => filters[d]!(tile, first, among, out))
        if (!keeps || !requested.dimensions.includes(d)) return
        candidate.coordinates[d] = pickCells(tile, dimensions[d].cellSize, candidate.positions, first)
      })
      remaining = remaining.filter((candidate) => cellsLeft(candidate) > 0)
    }

    const { start, end } = array.time
    const cutsTime = isCutByTime(array, fragment)
    let times: ReadonlyMap<Candidate, Float64Array> | undefined
    if (fragment.hasTimestamps && (cutsTime || requested.times)) {
      const tiles = yield* readTiles(access, fragment, timestamps, remaining.map(({ tile }) => tile))
      const item = times = new Map(remaining.map((candidate, i) => [candidate, cellTimesOf(tiles[i].values)]))
      if (cutsTime) {
        for (const one of remaining) narrow(one, (among, out) => selectTimes(item.get(one)!, start, end, among, out))
        remaining = remaining.filter((candidate) => cellsLeft(candidate) > 0)
      }
    }
    const counts = Uint32Array.from(remaining, cellsLeft)
    return {
      length: counts.reduce((sum, count) => sum + count, 0),
      tiles: remaining.map(({ tile }) => ({ fragment: number, tile })),
      counts,
      positions: remaining.map(({ positions }) => positions),
      coordinates: filters.map((_, d) =>
        remaining[0]?.coordinates[d] === undefined ? undefined : remaining.map(({ coordinates }) => coordinates[d])
      ),
      times: remaining.map((candidate) => times?.get(candidate)),
    }
  })

/** Number of tiles sampled to find the most selective dimensions. */
const SAMPLE_TILES = 8

/** Returns the dimensions, the most selective first. */
const bySelectivity = (
  selection: Selection,
  mbrs: MbrLevel,
  tiles: ReadonlyArray<SparseTile>,
  dimensions: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const step = Math.ceil(tiles.length / SAMPLE_TILES)
  const share = (d: number): number => {
    let sum = 0
    for (let i = 0; i < tiles.length; i += step) sum += shareAlong(selection[d], mbrs, d, tiles[i].tile)
    return sum
  }
  const shares = new Map(dimensions.map((d) => [d, share(d)]))
  return [...dimensions].sort((a, b) => shares.get(a)! - shares.get(b)!)
}

/**
 * Returns whether to read dimensions in sequence, each only for the remaining tiles. This is faster if additional
 * requests cost no time and each dimension has its own file.
 */
const readsInSequence = (fragment: Fragment, storage: Storage): boolean =>
  fragment.version >= Since.splitDimensions && inFlight(storage, fragment.uri, 2) === 1

/**
 * Passes the coordinates of each candidate to `take`, by dimension and candidate number. The tile's data starts at cell
 * `first` and contains at least the remaining cells. Its memory is reused after the call.
 */
const eachTile = (
  access: TileAccess,
  fragment: Fragment,
  numbers: ReadonlyArray<number>,
  candidates: ReadonlyArray<Candidate>,
  take: (d: number, i: number, tile: FieldTile, first: number) => void,
): Effect.Effect<void, ReadTilesError, Storage> => {
  if (numbers.length === 0 || candidates.length === 0) return Effect.void
  const tiles = candidates.map(({ tile }) => tile)
  const fields = numbers.map((d) => fieldsOf(fragment.schema).dimensions[d])
  if (fields.length === 1 && !fields[0].var && fragment.version >= Since.splitDimensions) {
    const first = candidates.map(({ positions }) => positions === undefined ? 0 : positions[0])
    const last = candidates.map(({ positions, cells }) => positions === undefined ? cells - 1 : positions.at(-1)!)
    return readSpans(access, fragment, fields[0], "fixed", { tiles, first, last }, (i, values, from) => {
      take(numbers[0], i, { values, offsets: undefined, validity: undefined }, from)
    })
  }
  return Effect.flatMap(
    readCoordinates(access, fragment, fields, tiles),
    (columns) =>
      attemptTile(() => columns.forEach((column, k) => column.forEach((tile, i) => take(numbers[k], i, tile, 0)))),
  )
}

/** Returns those positions whose cells were written within a time range. */
const selectTimes = (
  times: Float64Array,
  start: number,
  end: number,
  among: Uint32Array | undefined,
  out: Uint32Array,
): number => {
  const n = among?.length ?? times.length
  let index = 0
  for (let k = 0; k < n; k++) {
    const i = among === undefined ? k : among[k]
    if (times[i] >= start && times[i] <= end) out[index++] = i
  }
  return index
}

/** Concatenates the cells of several fragments. */
const joinFound = (cells: ReadonlyArray<ResultCells>, dimensions: number): ResultCells => {
  const tiles = cells.flatMap((f) => f.tiles)
  const counts = new Uint32Array(tiles.length)
  let at = 0
  for (const f of cells) {
    counts.set(f.counts, at)
    at += f.tiles.length
  }
  const coordinatesOf = (d: number): ReadonlyArray<FieldTile | undefined> | undefined =>
    cells.some((f) => f.coordinates[d] !== undefined)
      ? cells.flatMap((f) => f.coordinates[d] ?? new Array<undefined>(f.tiles.length).fill(undefined))
      : undefined
  return {
    length: cells.reduce((sum, f) => sum + f.length, 0),
    tiles,
    counts,
    positions: cells.flatMap((f) => f.positions),
    coordinates: Array.from({ length: dimensions }, (_, d) => coordinatesOf(d)),
    times: cells.flatMap((f) => f.times),
  }
}

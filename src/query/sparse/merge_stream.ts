/**
 * Streams all versions of all cells of sparse fragments in global order, for consolidation. Reads each tile once if the
 * memory suffices for the overlapping tiles of all fragments; otherwise, reads parts of the domain.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import { zeroWordsSteps } from "../../fragment/cell_order.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import { loadFieldTiles } from "../../fragment/field_tiles.ts"
import { cellsInTile, type Fragment, slotOf } from "../../fragment/fragment.ts"
import {
  compareCells,
  firstRepeatSteps,
  sortCells,
  type SortedCells,
  sortPackedSteps,
  takeOrder,
} from "../../kernel/sort/sort_cells.ts"
import { release } from "../../kernel/release.ts"
import type { Steps } from "../../kernel/steps.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Column } from "../column/column.ts"
import { fieldOfFragment, type TileRef } from "../column/gather.ts"
import { permuteSteps } from "../column/permute.ts"
import { columnBytes, columnPart, joinColumns } from "../column/slice.ts"
import { batchBytes, checkBudget, limitCache } from "../options/memory_budget.ts"
import { attemptAllocation, attemptAllocationSteps, type ReadError } from "../options/read_error.ts"
import { parseSelection } from "../selection/selection.ts"
import { planMerge } from "./merge_plan.ts"
import type { SparseColumns } from "./read.ts"
import { byFragment, type ResultCells } from "./result/result_cells.ts"
import { resultColumn } from "./result/result_columns.ts"
import { orderWords, orderWordsSteps } from "./result/sort_keys.ts"
import { streamSparseRequest } from "./stream.ts"

/** Size of the tiles that a step reads, as a share of a batch: sorting takes several times as much memory. */
const STEP_SHARE = 1 / 4
/** Maximum size of the tiles in memory, in batches. */
const MAX_BATCHES = 3

/** The cells of a tile that were not produced yet: cells `from` to `to - 1` of the columns of a step. */
interface Run {
  readonly fragment: number
  /** By field: the dimensions, then the other fields. */
  readonly columns: ReadonlyArray<Column>
  readonly from: number
  readonly to: number
}

/** Returns all cells of tiles. */
const wholeTiles = ({ fragments, schema }: OpenedArray, tiles: ReadonlyArray<TileRef>): ResultCells => {
  const counts = Uint32Array.from(tiles, ({ fragment, tile }) => cellsInTile(fragments[fragment], tile))
  return {
    length: counts.reduce((sum, count) => sum + count, 0),
    tiles,
    counts,
    positions: tiles.map(() => undefined),
    coordinates: schema.dimensions.map(() => undefined),
    times: tiles.map(() => undefined),
  }
}

/** Returns the fields that a fragment stores and whose tiles have positions of their own. */
const storedFields = (fragment: Fragment, fields: ReadonlyArray<Field>): ReadonlyArray<Field> =>
  fields.flatMap((field) => {
    const stored = fieldOfFragment(fragment, field)
    return stored === undefined || slotOf(fragment, stored.file) < 0 ? [] : [stored]
  })

const readStep = (
  access: TileAccess,
  array: OpenedArray,
  fields: ReadonlyArray<Field>,
  tiles: ReadonlyArray<TileRef>,
): Effect.Effect<ReadonlyArray<Run>, ReadError, Storage> =>
  Effect.gen(function* () {
    const cells = wholeTiles(array, tiles)
    for (const { fragment: number } of byFragment(cells)) {
      const fragment = array.fragments[number]
      // one request for the positions of all fields
      yield* loadFieldTiles(access, fragment, storedFields(fragment, fields))
    }
    const columns = yield* Effect.forEach(fields, (field) => resultColumn(access, array, field, cells), {
      concurrency: inFlight(yield* Storage, array.uri, 4),
    })
    let from = 0
    return tiles.map(({ fragment }, i): Run => ({ fragment, columns, from, to: from += cells.counts[i] }))
  })

/** Compares the first of some cells with each of the others; all cells are columns of the coordinates. */
const comparedWithFirst = (schema: ArraySchema, coordinates: ReadonlyArray<ReadonlyArray<Column>>): Int8Array => {
  const words = orderWords(schema, "global", coordinates.map(joinColumns))
  return Int8Array.from(coordinates[0], (_, cell) => compareCells(words, cell, 0))
}

/** Returns for each run the first cell that does not precede a bound. */
const endsOf = (
  schema: ArraySchema,
  runs: ReadonlyArray<Run>,
  bound: ReadonlyArray<Column> | undefined,
): ReadonlyArray<number> => {
  const high = runs.map(({ to }) => to)
  if (bound === undefined) return high
  const low = runs.map(({ from }) => from)
  // a binary search in all runs at once: the ranks of strings are computed for many cells together
  for (;;) {
    const open = runs.flatMap((run, r) => low[r] < high[r] ? [{ run, r, middle: (low[r] + high[r]) >>> 1 }] : [])
    if (open.length === 0) return low
    const compared = comparedWithFirst(
      schema,
      bound.map((cell, d) => [cell, ...open.map(({ run, middle }) => columnPart(run.columns[d], middle, middle + 1))]),
    )
    open.forEach(({ r, middle }, i) => {
      if (compared[i + 1] < 0) low[r] = middle + 1
      else high[r] = middle
    })
  }
}

/** Returns the size of the cells of runs before `ends` in bytes, assuming that all cells of a step have the same size. */
const sizeOfCells = (runs: ReadonlyArray<Run>, ends: ReadonlyArray<number>): number =>
  runs.reduce((sum, { columns, from }, r) => {
    const bytes = columns.reduce((total, column) => total + columnBytes(column), 0)
    return sum + bytes * (ends[r] - from) / columns[0].length
  }, 0)

/**
 * Returns earlier ends if the cells before `ends` take more than `size` bytes: those of the cells that precede the median
 * of one cell of each run.
 */
const limitedEnds = (
  schema: ArraySchema,
  runs: ReadonlyArray<Run>,
  ends: ReadonlyArray<number>,
  size: number,
): ReadonlyArray<number> => {
  const share = size / sizeOfCells(runs, ends)
  if (!(share < 1)) return ends
  const parts = runs.map((run, r): Run => ({ ...run, to: ends[r] }))
  const candidates = schema.dimensions.map((_, d) =>
    joinColumns(parts.flatMap(({ columns, from, to }) => {
      const cell = from + Math.floor(share * (to - from))
      return from < to ? [columnPart(columns[d], cell, cell + 1)] : []
    }))
  )
  const count = candidates[0].length
  const middle = sortCells(orderWords(schema, "global", candidates), count)[count >> 1]
  const earlier = endsOf(schema, parts, candidates.map((column) => columnPart(column, middle, middle + 1)))
  return earlier.some((end, r) => end > runs[r].from) ? earlier : ends
}

/** Returns the low and high halves of write times. */
const timeHalves = ({ values }: Column): Uint32Array =>
  new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4)

/** Sorts cells with equal keys from the newest to the oldest; cells of equal times by fragment number, the latest first. */
function* sortVersions(keys: SortedCells, times: Uint32Array, fragments: Uint32Array): Steps<void> {
  const { order, packed } = keys
  const compare = (a: number, b: number): number =>
    times[2 * b + 1] - times[2 * a + 1] || times[2 * b] - times[2 * a] || fragments[b] - fragments[a] || a - b
  for (let from = 1;;) {
    const repeat = yield* firstRepeatSteps(keys, from)
    if (repeat === order.length) return
    from = repeat + 1
    while (from < order.length && compareCells(packed, order[repeat], order[from]) === 0) from++
    order.subarray(repeat - 1, from).sort(compare)
  }
}

/** Returns the order of cells: the global order, versions of a cell from the newest to the oldest. */
function* sortedOrder(
  schema: ArraySchema,
  columns: ReadonlyArray<Column>,
  times: Column,
  fragments: Uint32Array,
): Steps<Uint32Array> {
  const coordinates = columns.slice(0, schema.dimensions.length)
  const words = [...yield* orderWordsSteps(schema, "global", coordinates), ...yield* zeroWordsSteps(coordinates)]
  const keys = yield* sortPackedSteps(words, times.length)
  release(words.filter(({ buffer }) => coordinates.every(({ values }) => values.buffer !== buffer)))
  yield* sortVersions(keys, timeHalves(times), fragments)
  return takeOrder(keys)
}

/** Returns the cells of runs before `ends`, sorted, by field. */
function* sortedCells(
  schema: ArraySchema,
  runs: ReadonlyArray<Run>,
  ends: ReadonlyArray<number>,
  timesAt: number,
): Steps<ReadonlyArray<Column>> {
  const parts = runs.flatMap((run, r) => run.from < ends[r] ? [{ ...run, to: ends[r] }] : [])
  const length = parts.reduce((sum, { from, to }) => sum + to - from, 0)
  const fragments = new Uint32Array(length)
  let at = 0
  for (const { fragment, from, to } of parts) fragments.fill(fragment, at, at += to - from)
  const joined: Array<Column> = []
  for (const field of (parts[0]?.columns ?? []).keys()) {
    joined.push(joinColumns(parts.map(({ columns, from, to }) => columnPart(columns[field], from, to))))
    yield
  }
  if (parts.length === 0) return []
  const order = yield* sortedOrder(schema, joined, joined[timesAt], fragments)
  const out: Array<Column> = []
  for (const column of joined) {
    out.push(yield* permuteSteps(column, order))
    // the columns of a single part are views
    if (parts.length > 1) release([column.values])
  }
  return out
}

/**
 * Streams the fields of all versions of all cells in global order. Versions of a cell are adjacent and in one batch,
 * the newest first. `fields` includes the write times.
 */
export const streamVersions = (
  array: OpenedArray,
  fields: ReadonlyArray<Field>,
  options: { readonly memory?: number },
): Stream.Stream<SparseColumns, ReadError, Storage | Codecs> =>
  Stream.unwrapScoped(Effect.gen(function* () {
    const { uri, schema } = array
    const memory = yield* checkBudget(uri, options.memory)
    yield* limitCache(array.bounded, memory)
    const access = yield* accessOf(array)
    const { dimensions, timestamps } = fieldsOf(schema)
    const size = batchBytes(memory)
    const all = [...dimensions, ...fields.filter((field) => !dimensions.includes(field))]
    const stepSize = STEP_SHARE * size
    const steps = yield* planMerge(access, array, all, stepSize, MAX_BATCHES * size)
    if (steps === undefined) {
      const selection = parseSelection(uri, schema, {}, "error")
      const request = { order: "global", fields, selection, where: undefined, versions: true } as const
      return streamSparseRequest(array, request, { memory })
    }
    const timesAt = all.indexOf(timestamps)
    let runs: ReadonlyArray<Run> = []
    /** for each run the first cell that does not precede the bound of the current step; `undefined` between steps */
    let ends: ReadonlyArray<number> | undefined
    const next = (i: number): Effect.Effect<readonly [SparseColumns, step: number], ReadError, Storage> =>
      Effect.gen(function* () {
        if (ends === undefined) runs = [...runs, ...yield* readStep(access, array, all, steps[i].tiles)]
        const stepEnds = ends ?? (yield* attemptAllocation(uri, memory, () => endsOf(schema, runs, steps[i].bound)))
        const batchEnds = yield* attemptAllocation(uri, memory, () => limitedEnds(schema, runs, stepEnds, stepSize))
        const columns = yield* attemptAllocationSteps(uri, memory, () => sortedCells(schema, runs, batchEnds, timesAt))
        const rest = runs.flatMap((run, r) => batchEnds[r] < run.to ? [{ ...run, from: batchEnds[r] }] : [])
        const isComplete = batchEnds.every((end, r) => end === stepEnds[r])
        ends = isComplete ? undefined : stepEnds.filter((_, r) => batchEnds[r] < runs[r].to)
        runs = rest
        const before = steps[i - 1]?.bound
        const length = columns[0]?.length ?? 0
        if (length > 0 && before !== undefined) {
          const first = dimensions.map((_, d) => [before[d], columnPart(columns[d], 0, 1)])
          if (comparedWithFirst(schema, first)[1] < 0) {
            const detail = "a cell is outside of the minimum bounding rectangle of its tile"
            const { version } = schema
            return yield* Effect.fail(new FormatError({ uri, path: "rtree", offset: 0, version, detail }))
          }
        }
        const batch = { length, columns: Object.fromEntries(all.map(({ name }, f) => [name, columns[f]])) }
        return [batch, isComplete ? i + 1 : i]
      })
    return Stream.filter(
      Stream.unfoldEffect(0, (i) =>
        i === steps.length ? Effect.succeed(Option.none()) : Effect.map(next(i), Option.some)),
      ({ length }) =>
        length > 0,
    )
  }))

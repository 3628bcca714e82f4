/**
 * Reads sparse arrays: matches cells, sorts them, removes duplicates, applies deletes, gathers columns.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import { ResultTooLarge } from "../../array/open/errors.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { coordinateWordsSteps, zeroWordsSteps } from "../../fragment/cell_order.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import { loadFieldTiles, loadManyFieldTiles } from "../../fragment/field_tiles.ts"
import { cellsInTile, type Fragment } from "../../fragment/fragment.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import { makeIntersects } from "../../kernel/boxes.ts"
import { selectOnes } from "../../kernel/match/select_cells.ts"
import { sortCellsSteps } from "../../kernel/sort/sort_cells.ts"
import type { Steps } from "../../kernel/steps.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { newestFirstSteps, orderWordsSteps } from "./result/sort_keys.ts"
import type { Column } from "../column/column.ts"
import { evaluate } from "../condition/evaluate.ts"
import { cellsOfPart, type CurvePart } from "./partition_hilbert.ts"
import { applyDeletes } from "./apply_deletes.ts"
import { byFragment, restrict, type ResultCells, spreadOver } from "./result/result_cells.ts"
import { resultColumn } from "./result/result_columns.ts"
import { fieldOfFragment } from "../column/gather.ts"
import { newestCellsSteps, type Repeats } from "./result/dedup.ts"
import { permuteSteps } from "../column/permute.ts"
import { checkPlan, planTiles, type SparsePlan } from "./plan.ts"
import { pruneTiles } from "./prune.ts"
import { attemptAllocation, attemptAllocationSteps, type ReadError } from "../options/read_error.ts"
import type { Order } from "../options/read_options.ts"
import type { Selection } from "../selection/selection.ts"
import { cellTimesOf, matchTiles } from "./match_tiles.ts"
import { domainBoxes } from "./mbr_boxes.ts"
import type { Where } from "../../condition/where.ts"

/** Result of a sparse read: columns of `length` cells each. */
export interface SparseColumns {
  readonly length: number
  readonly columns: Readonly<Record<string, Column>>
}

/** A validated sparse read: fields, selection, order and condition. */
export interface SparseReadRequest {
  readonly fields: ReadonlyArray<Field>
  readonly selection: Selection
  readonly order: Order
  readonly where: Where | undefined
  /**
   * Which cells are returned if one fragment contains several with equal coordinates, in an array without duplicates.
   * Default: all, as in the engine.
   */
  readonly repeats?: Repeats
  /** Restricts the read to a section of the Hilbert curve. Only for arrays with that cell order. */
  readonly curve?: CurvePart
  /** Returns all versions of each cell, newest first, including deleted ones. For consolidation. */
  readonly versions?: true
}

/** Returns whether the cells of a plan must be deduplicated, and whether they are already in order. */
export const workOf = (
  array: OpenedArray,
  plan: SparsePlan,
  { order, repeats = "all", versions }: Pick<SparseReadRequest, "order" | "repeats" | "versions">,
): { readonly dedups: boolean; readonly inOrder: boolean } => {
  if (versions === true) return { dedups: false, inOrder: false }
  const involved = plan.map((p) => array.fragments[p.fragment])
  return {
    // a single fragment needs no deduplication, unless it was consolidated with timestamps
    dedups: !array.schema.allowsDuplicates &&
      (repeats !== "all" || involved.some((f) => f.hasTimestamps) || domainsOverlap(involved)),
    // the cells of one fragment are in global order
    inOrder: order === "unordered" || (order === "global" && involved.length <= 1),
  }
}

/** Returns whether the non-empty domains of any two fragments overlap. */
const domainsOverlap = (fragments: ReadonlyArray<Fragment>): boolean => {
  if (fragments.length < 2) return false
  const boxes = domainBoxes(fragments)
  const meets = makeIntersects(boxes)
  return fragments.some((_, k) => meets(boxes, k, (i) => i !== k))
}

/** Returns the tiles that a request needs: those that may contain selected cells that satisfy its condition. */
export const planRequest = (
  access: TileAccess,
  array: OpenedArray,
  { selection, where, ...rest }: Pick<SparseReadRequest, "selection" | "where" | "order" | "repeats" | "versions">,
): Effect.Effect<SparsePlan, ReadTilesError, Storage> =>
  Effect.flatMap(
    planTiles(access, array, selection, array.fragments.map((_, i) => i)),
    (plan) =>
      where === undefined
        ? Effect.succeed(plan)
        : pruneTiles(access, array, where, plan, workOf(array, plan, rest).dedups),
  )

/**
 * Reads the selected cells of a plan's tiles. At most the coordinates of `most` cells are in memory at once. Fails if
 * the result may take more than `maxBytes`.
 */
export const readPlanned = (
  access: TileAccess,
  array: OpenedArray,
  { fields, selection, order, where, repeats, curve, versions }: SparseReadRequest,
  plan: SparsePlan,
  maxBytes: number,
  max?: number,
): Effect.Effect<SparseColumns, ReadError, Storage> =>
  withTurns(Effect.gen(function* () {
    const { schema, uri } = array
    const involved = plan.map((p) => array.fragments[p.fragment])
    const { dedups, inOrder } = workOf(array, plan, { order, repeats, versions })
    const sorts = dedups || !inOrder || curve !== undefined
    const { dimensions, deleteTimes } = fieldsOf(schema)
    const requested = dimensions.flatMap((field, d) => sorts || fields.includes(field) ? [d] : [])
    const perCell = sorts ? requested.reduce((sum, d) => sum + dimensions[d].cellSize, 8) : 0
    yield* checkPlan(access, array, plan, max === undefined ? perCell : 0, maxBytes)
    const times = dedups || versions === true || array.deletes.length > 0
    let match = yield* matchTiles(access, array, selection, plan, { dimensions: requested, times, maxCells: max })
    let sorted: SortedCells = { columns: new Map(), order: undefined }
    const applyCondition = Effect.gen(function* () {
      if (where === undefined || match.length === 0) return
      const loaded = sorted.columns
      const columns = new Map<string, Column>()
      const read = yield* Effect.forEach(
        where.fields,
        (field) => {
          const column = loaded.get(field)
          return column === undefined ? resultColumn(access, array, field, match) : Effect.succeed(column)
        },
        { concurrency: inFlight(yield* Storage, uri, 16) },
      )
      where.fields.forEach((field, i) => columns.set(field.name, read[i]))
      const { length } = match
      const mask = yield* attemptAllocation(uri, length, () => evaluate(where.predicate, columns, length))
      // do not read the columns of the condition again
      const cache = new Map([
        ...loaded,
        ...where.fields.flatMap((f) => fields.includes(f) ? [[f, columns.get(f.name)!] as const] : []),
      ])
      ;[match, sorted] = yield* narrowed(uri, match, { ...sorted, columns: cache }, mask)
    })
    if (!dedups) yield* applyCondition
    const sorting = sorts ? perCell * match.length : 0
    if (sorting > maxBytes) return yield* Effect.fail(new ResultTooLarge({ uri, needed: sorting, limit: maxBytes }))

    if (sorts && match.length > 0) {
      let columns: ReadonlyArray<Column> = yield* Effect.forEach(dimensions, (field) => {
        const column = sorted.columns.get(field)
        return column === undefined ? resultColumn(access, array, field, match) : Effect.succeed(column)
      }, { concurrency: inFlight(yield* Storage, uri, 16) })
      if (curve !== undefined) {
        const cellMask = yield* attemptAllocation(uri, 16 * match.length, () => cellsOfPart(array, columns, curve))
        const existing = new Map([...sorted.columns, ...dimensions.map((field, d) => [field, columns[d]] as const)])
        ;[match, sorted] = yield* narrowed(uri, match, { ...sorted, columns: existing }, cellMask)
        columns = dimensions.map((field) => sorted.columns.get(field)!)
      }
      const loadedColumns = sorted.columns
      const chosen = yield* attemptAllocationSteps(uri, perCell * match.length, function* () {
        const zeros = dedups || versions === true ? yield* zeroWordsSteps(columns) : []
        const newest = versions === true ? yield* newestFirst(array, match) : []
        const words = [...yield* orderWordsSteps(schema, order, columns), ...zeros, ...newest]
        const cells = yield* sortCellsSteps(words, match.length)
        if (!dedups) return cells
        const places = order === "row" || order === "unordered"
          ? words
          : [...yield* coordinateWordsSteps(columns), ...zeros]
        const fragments = spreadOver(match, (t) => match.tiles[t].fragment, () => undefined)
        const repeatsOf = (fragment: number): Repeats =>
          array.fragments[fragment].hasTimestamps ? "first" : repeats ?? "all"
        return yield* newestCellsSteps(cells, places, writeTimes(array, match, "start"), fragments, repeatsOf)
      })
      sorted = {
        columns: new Map([...loadedColumns, ...dimensions.map((field, d) => [field, columns[d]] as const)]),
        order: inOrder ? undefined : chosen,
      }
      if (chosen.length < match.length) {
        const retained = new Uint8Array(match.length)
        for (let i = 0; i < chosen.length; i++) retained[chosen[i]] = 1
        ;[match, sorted] = yield* narrowed(uri, match, sorted, retained)
      }
    }
    if (versions !== true && involved.some((f) => f.hasDeleteMetadata)) {
      const { values } = yield* resultColumn(access, array, deleteTimes, match)
      const deleted = cellTimesOf(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
      const retained = Uint8Array.from(deleted, (time) => time <= array.time.end ? 0 : 1)
      ;[match, sorted] = yield* narrowed(uri, match, sorted, retained)
    }
    if (array.deletes.length > 0 && match.length > 0) {
      const retained = yield* applyDeletes(access, array, match, writeTimes(array, match, "end"))
      ;[match, sorted] = yield* narrowed(uri, match, sorted, retained)
    }
    // apply the condition only after the newest cell of each coordinate was selected: an older cell must not reappear
    // because the newest one fails the condition
    if (dedups) yield* applyCondition

    yield* Effect.forEach(byFragment(match), ({ fragment: number }) => {
      const fragment = array.fragments[number]
      const attributes = fields.flatMap((field) =>
        field.file.kind === "attribute" ? fieldOfFragment(fragment, field) ?? [] : []
      )
      return loadManyFieldTiles(access, fragment, attributes)
    }, { concurrency: inFlight(yield* Storage, uri, 16), discard: true })
    const needed = yield* checkSize(access, array, fields, match, maxBytes)
    const cells = match
    const { order: permutation, columns: cached } = sorted
    const columns = yield* Effect.forEach(fields, (field) =>
      Effect.gen(function* () {
        const column = cached.get(field) ?? (yield* resultColumn(access, array, field, cells))
        return permutation === undefined
          ? column
          : yield* attemptAllocationSteps(uri, needed, () => permuteSteps(column, permutation))
      }), { concurrency: inFlight(yield* Storage, uri, 16) })
    return {
      length: cells.length,
      columns: Object.fromEntries(fields.map((field, i) => [field.name, columns[i]])),
    }
  }))

/** Returns key words that sort cells from the newest to the oldest. */
const newestFirst = (array: OpenedArray, cells: ResultCells): Steps<ReadonlyArray<Uint32Array>> =>
  newestFirstSteps(
    writeTimes(array, cells, "start"),
    spreadOver(cells, (t) => cells.tiles[t].fragment, () => undefined),
  )

/** Result of sorting: columns of the cells, and the order of the cells; `undefined` if they are already in order. */
interface SortedCells {
  readonly columns: ReadonlyMap<Field, Column>
  readonly order: Uint32Array | undefined
}

/** Returns the cells for which the mask is 1. */
const narrowed = (
  uri: string,
  cells: ResultCells,
  { columns, order }: SortedCells,
  mask: Uint8Array,
): Effect.Effect<readonly [ResultCells, SortedCells], ResultTooLarge> =>
  attemptAllocationSteps(uri, 8 * cells.length, function* () {
    if (!mask.includes(0)) return [cells, { columns, order }] as const
    const numbers = onesOf(mask)
    const kept = new Map<Field, Column>()
    for (const [field, column] of columns) kept.set(field, yield* permuteSteps(column, numbers))
    return [restrict(cells, mask), {
      columns: kept,
      order: order === undefined ? undefined : renumber(order, mask),
    }] as const
  })

/** Removes the cells with mask 0 from an order and renumbers the remaining cells. */
const renumber = (order: Uint32Array, mask: Uint8Array): Uint32Array => {
  const numbers = new Uint32Array(mask.length)
  let count = 0
  for (let i = 0; i < mask.length; i++) {
    numbers[i] = count
    count += mask[i]
  }
  const out = new Uint32Array(count)
  for (let i = 0, k = 0; i < order.length; i++) if (mask[order[i]] === 1) out[k++] = numbers[order[i]]
  return out
}

/** Returns the indices of the ones in a mask. */
const onesOf = (mask: Uint8Array): Uint32Array => {
  const out = new Uint32Array(mask.length)
  return out.subarray(0, selectOnes(mask, out))
}

/** Returns the write times of cells; a cell without its own time has the time of its fragment. */
const writeTimes = (array: OpenedArray, cells: ResultCells, bound: "start" | "end"): Float64Array =>
  spreadOver(cells, (t) => array.fragments[cells.tiles[t].fragment].name[bound], (t) => cells.times[t])

/**
 * Fails if the result is too large, before its tiles are read. For var-sized tiles that are read in part, estimates the
 * size of that part.
 */
const checkSize = (
  access: TileAccess,
  array: OpenedArray,
  fields: ReadonlyArray<Field>,
  { length, tiles, counts }: ResultCells,
  limit: number,
): Effect.Effect<number, ReadTilesError | ResultTooLarge, Storage> =>
  Effect.gen(function* () {
    let needed = 0
    for (const field of fields) {
      needed += length * ((field.var ? 4 : field.cellSize) + (field.nullable ? 1 : 0))
      if (!field.var) continue
      for (const { fragment: f, from, to } of byFragment({ tiles, counts })) {
        const fragment = array.fragments[f]
        const storedField = fieldOfFragment(fragment, field)
        if (storedField === undefined) continue
        const [where] = yield* loadFieldTiles(access, fragment, [storedField])
        for (let t = from; t < to; t++) {
          needed += where.varSizes![tiles[t].tile] * counts[t] / cellsInTile(fragment, tiles[t].tile)
        }
      }
    }
    needed = Math.ceil(needed)
    if (needed > limit) return yield* Effect.fail(new ResultTooLarge({ uri: array.uri, needed, limit }))
    return needed
  })

/**
 * Reads dense arrays for validated requests: plans the read, reads tiles, copies boxes.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import { ResultTooLarge } from "../../array/open/errors.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import type { Field } from "../../fragment/field.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { loadFieldTiles, loadManyFieldTiles, proveTileCount } from "../../fragment/field_tiles.ts"
import type { ReadTilesError } from "../../fragment/read/read_tiles.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { lengthOf, type WholeRanges } from "./axis_plan.ts"
import type { Column } from "../column/column.ts"
import { evaluate } from "../condition/evaluate.ts"
import { coordinateColumn } from "./coordinate_column.ts"
import { cellMap, copyFixed } from "./copy_tiles.ts"
import { filledColumn } from "./mask_with_fill.ts"
import { type Cells, fieldOfFragment, gatherColumns } from "../column/gather.ts"
import { globalOrderSteps } from "./global_order.ts"
import { copyIntoTarget, targetsFor } from "./out_buffers.ts"
import { permuteSteps } from "../column/permute.ts"
import { type DensePlan, planDense, planSize } from "./plan.ts"
import { planOfMatching, pruneDense } from "./prune.ts"
import { attemptAllocation, attemptAllocationSteps, attemptSelection, type ReadError } from "../options/read_error.ts"
import type { Order } from "../options/read_options.ts"
import type { Selection } from "../selection/selection.ts"
import type { ColumnBuffer } from "../column/typed_columns.ts"
import type { Where } from "../../condition/where.ts"

/** Result of a dense read: the number of cells of every column is the product of `shape`, in the requested order. */
export interface DenseColumns {
  /** Cells along each dimension. */
  readonly shape: ReadonlyArray<number>
  readonly columns: Readonly<Record<string, Column>>
  /** Only for masked requests: 1 for each written cell that satisfies the condition; missing if all cells do. */
  readonly mask?: Uint8Array
}

/** Maximum number of cells in a result: cells are numbered with 32 bits. */
const MAX_CELLS = 0xffffffffn
/** Maximum numbers of tiles and segments of a plan, so that the plan fits into memory. */
const MAX_TILES = 1n << 24n
const MAX_SEGMENTS = 1n << 26n

/** A validated dense read: fields, ranges of each dimension, order and condition. */
export interface DenseReadRequest {
  readonly fields: ReadonlyArray<Field>
  readonly selection: Selection
  readonly ranges: ReadonlyArray<WholeRanges>
  readonly order: Order
  readonly where: Where | undefined
  /** Returns a mask of the matching cells instead of filling the others. Row-major order only. */
  readonly masked?: boolean
}

/** Maximum number of fragments that are read concurrently. */
const MAX_CONCURRENT_FRAGMENTS = 16
/** Maximum number of fields that are read concurrently. */
const MAX_CONCURRENT_FIELDS = 16

/** Returns the fields to read: the selected ones and those of the condition. */
export const readFields = ({ fields, where }: DenseReadRequest): ReadonlyArray<Field> =>
  where === undefined ? fields : [...new Set([...fields, ...where.fields])]

/** Returns whether the cells of a field are copied one by one, by a map from cells to their sources. */
const isMapped = (array: OpenedArray, field: Field): boolean =>
  field.file.kind === "attribute" && (field.var || array.fragments.some((fragment) => !isHeldBy(fragment, field)))

/** Returns an upper bound of a result's size, including temporary memory, without the values of var-sized fields. */
export const fixedBytes = (array: OpenedArray, request: DenseReadRequest): number => {
  const { ranges, order } = request
  const fields = readFields(request)
  const mapped = request.masked === true || fields.some((field) => isMapped(array, field))
  const perCell = fields.reduce((sum, f) => sum + (f.var ? 4 : f.cellSize) + (f.nullable ? 1 : 0), mapped ? 8 : 0)
  const cells = ranges.reduce((n, r) => n * lengthOf(r), 1n)
  // reordering needs a second copy
  return Number(cells * BigInt(order === "global" ? 2 * perCell + 4 : perCell))
}

/** Reads a validated request; fails if the result may take more than `limit` bytes. */
export const readDenseRequest = (
  array: OpenedArray,
  request: DenseReadRequest,
  limit: number,
  out: Readonly<Record<string, ColumnBuffer | undefined>> = {},
): Effect.Effect<DenseColumns, ReadError, Storage | Codecs> =>
  withTurns(Effect.gen(function* () {
    const { schema, uri } = array
    const { fields, selection, ranges, order, where } = request
    const access = yield* accessOf(array)
    const layout = order === "col" ? "col-major" : "row-major"
    // check the size before planning, since plans grow with it
    const bytes = fixedBytes(array, request)
    const cells = ranges.reduce((n, r) => n * lengthOf(r), 1n)
    const fail = (reason?: string) => Effect.fail(new ResultTooLarge({ uri, needed: bytes, limit, detail: reason }))
    if (bytes > limit) return yield* fail()
    if (cells > MAX_CELLS) {
      return yield* fail(`the selection has ${cells} cells, more than ${MAX_CELLS}; read it in parts`)
    }
    const size = planSize(schema, ranges)
    if (size.tiles > MAX_TILES || size.segments > MAX_SEGMENTS) {
      return yield* fail(
        `the selection touches ${size.tiles} tiles, in ${size.segments} segments along the dimensions; one read plans ` +
          `at most ${MAX_TILES} and ${MAX_SEGMENTS}; read it in parts`,
      )
    }

    const targets = yield* attemptSelection(() => targetsFor(uri, fields, out, Number(cells)))
    const storage = yield* Storage
    const concurrency = inFlight(storage, uri, MAX_CONCURRENT_FRAGMENTS)
    yield* Effect.forEach(array.fragments, (fragment) => proveTileCount(access, fragment), {
      concurrency,
      discard: true,
    })
    const whole = planDense(schema, array.fragments, ranges, layout)
    const plan = where === undefined ? whole : yield* pruneDense(access, array, where, whole)
    const needed = bytes + (yield* varBytes(access, array, plan, readFields(request), "cells"))
    if (needed > limit) return yield* Effect.fail(new ResultTooLarge({ uri, needed, limit }))
    const columns: Record<string, Column> = {}
    let map: Cells | undefined
    const needsMap = (field: Field, currentPlan: DensePlan): boolean =>
      field.file.kind !== "dimension" &&
      (field.var || currentPlan.steps.some((s) => !isHeldBy(array.fragments[s.fragment], field)))
    const read = (field: Field, currentPlan: DensePlan): Effect.Effect<void, ReadError, Storage> =>
      Effect.gen(function* () {
        if (field.file.kind === "dimension") {
          const d = field.file.index
          columns[field.name] = yield* attemptAllocation(uri, bytes, () => coordinateColumn(field, d, plan))
        } else if (map !== undefined && needsMap(field, currentPlan)) {
          columns[field.name] = (yield* gatherColumns(access, array, [field], map))[0]
        } else {
          const target = order === "global" ? undefined : targets.get(field.name)
          columns[field.name] = yield* copyFixed(access, array, currentPlan, field, target)
        }
      })
    const prepare = (some: ReadonlyArray<Field>, plan: DensePlan): Effect.Effect<void, ReadTilesError, Storage> => {
      const attributes = some.filter(({ file }) => file.kind === "attribute")
      return Effect.forEach(new Set(plan.steps.flatMap((s) => s.kind === "sparse" ? [] : [s.fragment])), (number) => {
        const fragment = array.fragments[number]
        return loadManyFieldTiles(
          access,
          fragment,
          attributes.flatMap((field) => fieldOfFragment(fragment, field) ?? []),
        )
      }, { concurrency, discard: true })
    }
    const readAll = (some: ReadonlyArray<Field>, currentPlan: DensePlan): Effect.Effect<void, ReadError, Storage> =>
      Effect.gen(function* () {
        // the map is the same for all fields
        if (some.some((field) => needsMap(field, currentPlan))) {
          map ??= yield* cellMap(access, array, currentPlan, selection)
        }
        yield* Effect.forEach(some, (field) => read(field, currentPlan), {
          concurrency: inFlight(storage, uri, MAX_CONCURRENT_FIELDS),
          discard: true,
        })
      })
    const first = where?.fields ?? fields
    yield* prepare(first, plan)
    yield* readAll(first, plan)
    let mask = where === undefined ? undefined : yield* attemptAllocation(
      uri,
      plan.cells,
      () => evaluate(where.predicate, new Map(Object.entries(columns)), plan.cells),
    )
    if (request.masked === true && !plan.covered) {
      map ??= yield* cellMap(access, array, plan, selection)
      const { tileOf } = map
      mask ??= yield* attemptAllocation(uri, plan.cells, () => new Uint8Array(plan.cells).fill(1))
      for (let i = 0; i < tileOf.length; i++) if (tileOf[i] === 0xffffffff) mask[i] = 0
    }
    const rest = fields.filter(({ name }) => !Object.hasOwn(columns, name))
    if (mask !== undefined && where !== undefined && rest.length > 0) {
      // read the other fields only from the tiles that contain matching cells
      const requested = yield* attemptAllocation(uri, 16 * plan.tiles.length, () => planOfMatching(plan, mask))
      if (map !== undefined) {
        const { tileOf } = map
        for (let i = 0; i < mask.length; i++) if (mask[i] === 0) tileOf[i] = 0xffffffff
      }
      yield* prepare(rest, requested)
      yield* readAll(rest, requested)
    }
    if (request.masked === true) return { shape: plan.shape, columns, mask }
    if (mask !== undefined) {
      yield* attemptAllocation(uri, bytes, () => {
        for (const field of fields) {
          if (field.file.kind === "attribute") columns[field.name] = filledColumn(columns[field.name], field, mask)
        }
      })
    }
    if (order === "global") {
      yield* attemptAllocationSteps(uri, bytes, function* () {
        const cells = yield* globalOrderSteps(schema, plan)
        for (const field of fields) columns[field.name] = yield* permuteSteps(columns[field.name], cells)
      })
    }
    for (const [name, target] of targets) columns[name] = copyIntoTarget(columns[name], target)
    return { shape: plan.shape, columns: Object.fromEntries(fields.map(({ name }) => [name, columns[name]])) }
  }))

/**
 * Returns whether a fragment stores the attribute with the array's datatype and nullability, so that its cells can be
 * copied box by box.
 */
const isHeldBy = (fragment: Fragment, field: Field): boolean => {
  const storedField = fieldOfFragment(fragment, field)
  return fragment.dense && storedField !== undefined && storedField.nullable === field.nullable
}

/**
 * Returns the size of var-sized values according to their tiles: counts the selected cells (an estimate for partly
 * selected tiles), or whole tiles with their offsets, as they are in memory.
 */
export const varBytes = (
  access: TileAccess,
  array: OpenedArray,
  plan: DensePlan,
  fields: ReadonlyArray<Field>,
  of: "cells" | "tiles",
): Effect.Effect<number, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    let needed = 0
    const storage = yield* Storage
    const varFields = fields.filter((field) => field.var)
    if (varFields.length > 0) {
      const numbers = new Set(plan.steps.flatMap((step) => step.kind === "sparse" ? [] : [step.fragment]))
      yield* Effect.forEach(numbers, (number) => {
        const fragment = array.fragments[number]
        const stored = varFields.flatMap((field) => fieldOfFragment(fragment, field) ?? [])
        return loadManyFieldTiles(access, fragment, stored)
      }, { concurrency: inFlight(storage, array.uri, MAX_CONCURRENT_FRAGMENTS), discard: true })
    }
    for (const field of varFields) {
      if (!plan.covered) needed += plan.cells * field.fillValue.byteLength
      for (const step of plan.steps) {
        const fragment = array.fragments[step.fragment]
        const storedField = fieldOfFragment(fragment, field)
        if (step.kind === "sparse" || storedField === undefined) continue
        const [where] = yield* loadFieldTiles(access, fragment, [storedField])
        for (let k = 0; k < step.tileCount; k++) {
          const size = where.varSizes![plan.tiles[step.firstTile + k].tile]
          needed += of === "cells" ? size * step.cells[k] / fragment.tileCells : size + 8 * fragment.tileCells
        }
      }
    }
    return Math.ceil(needed)
  })

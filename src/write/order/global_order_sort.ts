/**
 * Sorts sparse cells into the array's global order and handles cells with equal coordinates.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { viewAs } from "../../../schema/array/datatype.ts"
import { type Coordinates, globalWordsSteps, zeroWordsSteps } from "../../fragment/cell_order.ts"
import type { KeyWords } from "../../kernel/sort/order_key.ts"
import {
  compareCells,
  firstRepeatSteps,
  firstSameSteps,
  firstUnorderedSteps,
  sortPackedSteps,
  takeOrder,
} from "../../kernel/sort/sort_cells.ts"
import { release } from "../../kernel/release.ts"
import { finish, inParts, STEP, type Steps } from "../../kernel/steps.ts"
import { cellCoordinatesText } from "../input/coordinate_text.ts"
import { gatherTile, type WriteColumn } from "../input/write_column.ts"
import { WriteError } from "../../array/open/errors.ts"

/** Handling of cells with equal coordinates: fail, write the first one, or write all. */
export type Duplicates = "refuse" | "first" | "allow"

/** Cells in write order. */
export interface WriteOrder {
  /** Number of remaining cells. */
  readonly cells: number
  /** Cell `i` is input cell `permutation[i]`; `undefined` if the order is unchanged. */
  readonly permutation: Uint32Array | undefined
}

/** Returns the coordinates of columns. */
const coordinatesOf = (dimensions: ReadonlyArray<WriteColumn>): ReadonlyArray<Coordinates> =>
  dimensions.map(({ field, values, offsets }) => ({ values: viewAs(field.type, values), offsets }))

/**
 * Returns the key words of the global order, and these with additional words that distinguish −0 from 0: −0 and 0 are
 * different cells with the same position in the order.
 */
function* wordsOf(
  schema: ArraySchema,
  dimensions: ReadonlyArray<WriteColumn>,
  version: number,
): Steps<{ readonly order: KeyWords; readonly all: KeyWords }> {
  const coordinates = coordinatesOf(dimensions)
  const order = yield* globalWordsSteps(schema, coordinates, version)
  return { order, all: [...order, ...yield* zeroWordsSteps(coordinates)] }
}

const duplicateError = (dimensions: ReadonlyArray<WriteColumn>, first: number, cell: number): WriteError =>
  new WriteError({
    field: "",
    cell,
    other: first,
    reason: "Duplicate",
    detail:
      `the coordinates ${
        cellCoordinatesText(dimensions, cell)
      } are duplicated; the array allows no duplicates: omit one of them, ` +
      `or set duplicates to "first"`,
  })

/**
 * Sorts cells into the array's global order for fragments of format `version`. Stable: cells with equal coordinates
 * stay in input order. Throws {@link WriteError} for duplicates.
 */
export const sortSparse = (...input: Parameters<typeof sortSparseSteps>): WriteOrder =>
  finish(sortSparseSteps(...input))

/** Like {@link sortSparse}, in steps. */
export function* sortSparseSteps(
  schema: ArraySchema,
  dimensions: ReadonlyArray<WriteColumn>,
  cells: number,
  duplicates: Duplicates,
  version: number = schema.version,
): Steps<WriteOrder> {
  const { all } = yield* wordsOf(schema, dimensions, version)
  if ((yield* firstUnorderedSteps(all, cells)) === cells) {
    const sorted = yield* inOrder(dimensions, all, cells, duplicates)
    release(all)
    return sorted
  }
  const sorted = yield* sortPackedSteps(all, cells)
  release(all)
  const { order } = sorted
  const repeat = duplicates === "allow" ? cells : yield* firstRepeatSteps(sorted, 1)
  if (repeat === cells) return { cells, permutation: takeOrder(sorted) }
  if (duplicates === "refuse") throw duplicateError(dimensions, order[repeat - 1], order[repeat])
  const kept = yield* uniquePositions(cells, repeat, (i) => order[i], (from) => firstRepeatSteps(sorted, from))
  release([takeOrder(sorted)])
  return { cells: kept.length, permutation: kept }
}

/**
 * Returns the positions 0 … cells − 1 without those that repeat the previous position. `repeat` is the first
 * repetition.
 */
function* uniquePositions(
  cells: number,
  repeat: number,
  cellAt: (place: number) => number,
  nextRepeat: (from: number) => Steps<number>,
): Steps<Uint32Array> {
  const kept = new Uint32Array(cells)
  let n = 0
  for (let i = 0; i < cells; i++) {
    if (i !== repeat) kept[n++] = cellAt(i)
    else repeat = yield* nextRepeat(i + 1)
    if (i % STEP === 0) yield
  }
  return kept.subarray(0, n)
}

/** Returns the write order of cells that are already sorted. */
function* inOrder(
  dimensions: ReadonlyArray<WriteColumn>,
  words: KeyWords,
  cells: number,
  duplicates: Duplicates,
): Steps<WriteOrder> {
  const repeat = duplicates === "allow" ? cells : yield* firstSameSteps(words, cells)
  if (repeat === cells) return { cells, permutation: undefined }
  if (duplicates === "refuse") throw duplicateError(dimensions, repeat - 1, repeat)
  const kept = yield* uniquePositions(cells, repeat, (i) => i, (from) => firstSameSteps(words, cells, from))
  return { cells: kept.length, permutation: kept }
}

/** A validated part of cells in global order. */
export interface CheckedPart extends WriteOrder {
  /** Accepts the part. Call it once the part is certain to be written; the next part must follow it in the order. */
  readonly accept: () => void
}

/** Validates cells that arrive in global order, in any number of parts. */
export interface GlobalOrder {
  /**
   * Returns the cells of the next part to write. Throws {@link WriteError} if a cell precedes its predecessor or has
   * equal coordinates; a rejected part has no effect.
   */
  readonly next: (dimensions: ReadonlyArray<WriteColumn>, cells: number) => WriteOrder
  /** Like `next`, in steps. A part has no effect before it is accepted. */
  readonly check: (dimensions: ReadonlyArray<WriteColumn>, cells: number) => Steps<CheckedPart>
}

/** Creates the validator for cells in the array's global order, for fragments of format `version`. */
export const globalOrder = (
  schema: ArraySchema,
  duplicates: Duplicates,
  version: number = schema.version,
): GlobalOrder => {
  let last: ReadonlyArray<WriteColumn> | undefined
  const check = function* (dimensions: ReadonlyArray<WriteColumn>, cells: number): Steps<CheckedPart> {
    if (cells === 0) return { cells, permutation: undefined, accept: () => {} }
    const orderError = (cell: number): WriteError =>
      new WriteError({
        field: "",
        cell,
        reason: "OutOfOrder",
        detail:
          `the coordinates ${
            cellCoordinatesText(dimensions, cell)
          } precede those of the previous cell in the global order; ` +
          `pass order "unordered" to sort the cells`,
      })
    let repeats = false
    if (last !== undefined) {
      const borderCells = last.map((column, d) => pairOfCells(column, dimensions[d]))
      const words = yield* wordsOf(schema, borderCells, version)
      if (compareCells(words.order, 0, 1) > 0) throw orderError(0)
      repeats = duplicates !== "allow" && compareCells(words.all, 0, 1) === 0
      // −1 is the last cell of the previous part
      if (repeats && duplicates === "refuse") throw duplicateError(dimensions, -1, 0)
    }
    const words = yield* wordsOf(schema, dimensions, version)
    const firstUnordered = yield* firstUnorderedSteps(words.order, cells)
    if (firstUnordered < cells) throw orderError(firstUnordered)
    const sorted = yield* inOrder(dimensions, words.all, cells, duplicates)
    release(words.all)
    const end = dimensions.map((column) => ({ field: column.field, ...copyOf(column, cells - 1) }))
    const accept = (): void => {
      last = end
    }
    if (!repeats) return { ...sorted, accept }
    // drop the first cell: it equals the last cell of the previous part
    let rest = sorted.permutation
    if (rest === undefined) {
      const all = rest = new Uint32Array(cells)
      yield* inParts(cells, (from, to) => {
        for (let i = from; i < to; i++) all[i] = i
      })
    }
    return { cells: sorted.cells - 1, permutation: rest.subarray(1), accept }
  }
  const next = (dimensions: ReadonlyArray<WriteColumn>, cells: number): WriteOrder => {
    const { accept, ...sorted } = finish(check(dimensions, cells))
    accept()
    return sorted
  }
  return { next, check }
}

/** Returns a column with a copy of one cell. */
const copyOf = (column: WriteColumn, cell: number) => {
  const { values, offsets } = gatherTile(column, undefined, cell, cell + 1)
  return { values: values.slice(), offsets, validity: undefined }
}

/** Returns a column of two cells: the only cell of one column and the first cell of another. */
const pairOfCells = (one: WriteColumn, other: WriteColumn): WriteColumn => {
  const first = gatherTile(other, undefined, 0, 1)
  const values = new Uint8Array(one.values.byteLength + first.values.byteLength)
  values.set(one.values)
  values.set(first.values, one.values.byteLength)
  const offsets = first.offsets === undefined ? undefined : Uint32Array.of(0, one.values.byteLength, values.byteLength)
  return { field: one.field, values, offsets, validity: undefined }
}

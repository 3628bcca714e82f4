/**
 * Merges the cells of two states in global order, and collects their differences.
 */
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import type { Column } from "../query/column/column.ts"
import { columnPart, joinColumns } from "../query/column/slice.ts"
import { globalWordsSteps } from "../fragment/cell_order.ts"
import type { Field } from "../fragment/field.ts"
import { compareCells } from "../kernel/sort/sort_cells.ts"
import type { Steps } from "../kernel/steps.ts"
import { type CellEquals, makeCellEquals, makeSameCoordinates } from "./equal_cells.ts"

/** A part of the cells of one state, in global order. */
export interface CellWindow {
  readonly columns: ReadonlyMap<string, Column>
  readonly length: number
  /** Whether no cells follow. */
  readonly isLast: boolean
}

/** The positions of two cells that differ; −1 for a missing cell. */
export interface CellPair {
  readonly before: number
  readonly after: number
}

/** The result of merging two windows: their differences, and how many cells of each were merged. */
export interface Merged {
  readonly pairs: ReadonlyArray<CellPair>
  readonly before: number
  readonly after: number
}

/** Number of cells between two yields. */
const STEP_CELLS = 4096

const columnsOf = ({ columns }: CellWindow, fields: ReadonlyArray<Field>): ReadonlyArray<Column> =>
  fields.map(({ name }) => columns.get(name)!)

/** Returns the comparison of the attributes of two windows. */
export const makeSameValues = (
  before: CellWindow,
  after: CellWindow,
  attributes: ReadonlyArray<Field>,
): CellEquals => {
  const others = columnsOf(after, attributes)
  const each = columnsOf(before, attributes).map((column, i) => makeCellEquals(column, others[i]))
  return (i, j) => each.every((equal) => equal(i, j))
}

/** Compares windows whose cells have equal coordinates: those of a dense array. */
export function* mergeDense(
  before: CellWindow,
  after: CellWindow,
  attributes: ReadonlyArray<Field>,
): Steps<Merged> {
  const same = makeSameValues(before, after, attributes)
  const count = Math.min(before.length, after.length)
  const pairs: Array<CellPair> = []
  for (let i = 0; i < count; i++) {
    if (!same(i, i)) pairs.push({ before: i, after: i })
    if (i % STEP_CELLS === STEP_CELLS - 1) yield
  }
  return { pairs, before: count, after: count }
}

/** Returns text that is equal for equal cells of one field. */
const cellKey = ({ cellValNum, values, offsets, validity }: Column, i: number, isCoordinate: boolean): string => {
  if (validity !== undefined && validity[i] === 0) return "null"
  const width = cellValNum as number
  const part = offsets === undefined
    ? values.subarray(i * width, (i + 1) * width)
    : values.subarray(offsets[i], offsets[i + 1])
  // numbers as text do not distinguish −0 from 0
  return Array.from(
    part as unknown as Iterable<number | bigint>,
    (value) => isCoordinate && Object.is(value, -0) ? "-0" : String(value),
  ).join(",")
}

const keyOf = (columns: ReadonlyArray<Column>, i: number, dimensions: number): string =>
  columns.map((column, c) => cellKey(column, i, c < dimensions)).join(";")

/** A range of cells with equal words. */
interface CellRun {
  readonly from: number
  readonly to: number
}

/**
 * Compares the cells of two runs as multisets. Cells with equal coordinates become one changed cell, unless the array
 * allows duplicates.
 */
const compareRuns = (
  before: ReadonlyArray<Column>,
  after: ReadonlyArray<Column>,
  dimensions: number,
  old: CellRun,
  current: CellRun,
  allowsDuplicates: boolean,
): ReadonlyArray<CellPair> => {
  const unmatched = new Map<string, Array<number>>()
  const take = (key: string): number | undefined => unmatched.get(key)?.shift()
  const put = (key: string, i: number): void => {
    const list = unmatched.get(key)
    if (list === undefined) unmatched.set(key, [i])
    else list.push(i)
  }
  for (let i = old.from; i < old.to; i++) put(keyOf(before, i, dimensions), i)
  const added: Array<number> = []
  for (let j = current.from; j < current.to; j++) {
    if (take(keyOf(after, j, dimensions)) === undefined) added.push(j)
  }
  const removed = [...unmatched.values()].flat().sort((a, b) => a - b)
  if (allowsDuplicates) {
    return [...removed.map((i) => ({ before: i, after: -1 })), ...added.map((j) => ({ before: -1, after: j }))]
  }
  unmatched.clear()
  for (const i of removed) put(keyOf(before.slice(0, dimensions), i, dimensions), i)
  const pairs = added.map((j) => ({ before: take(keyOf(after.slice(0, dimensions), j, dimensions)) ?? -1, after: j }))
  return [...[...unmatched.values()].flat().map((i) => ({ before: i, after: -1 })), ...pairs]
}

/**
 * Merges two windows of a sparse array. Cells at the end of a window remain for the next call, unless it is the last
 * one: the following cells may have the same coordinates.
 */
export function* mergeSparse(
  schema: ArraySchema,
  before: CellWindow,
  after: CellWindow,
  dimensions: ReadonlyArray<Field>,
  attributes: ReadonlyArray<Field>,
): Steps<Merged> {
  const fields = [...dimensions, ...attributes]
  const [left, right] = [columnsOf(before, fields), columnsOf(after, fields)]
  const coordinates = dimensions.map((_, d) => joinColumns([left[d], right[d]]))
  const words = yield* globalWordsSteps(schema, coordinates)
  const shift = before.length
  const sameCoordinates = makeSameCoordinates(left.slice(0, dimensions.length), right.slice(0, dimensions.length))
  const same = makeSameValues(before, after, attributes)
  const endOf = (from: number, end: number): number => {
    let to = from + 1
    while (to < end && compareCells(words, from, to) === 0) to++
    return to
  }
  const pairs: Array<CellPair> = []
  let [i, j, steps] = [0, 0, 0]
  while (i < before.length || j < after.length) {
    if ((i === before.length && !before.isLast) || (j === after.length && !after.isLast)) break
    const order = i === before.length ? 1 : j === after.length ? -1 : compareCells(words, i, shift + j)
    const old = order <= 0 ? endOf(i, before.length) : i
    const current = order >= 0 ? endOf(shift + j, shift + after.length) - shift : j
    if (
      (old > i && old === before.length && !before.isLast) || (current > j && current === after.length && !after.isLast)
    ) {
      break
    }
    if (old === i + 1 && current === j + 1 && sameCoordinates(i, j)) {
      if (!same(i, j)) {
        if (schema.allowsDuplicates) pairs.push({ before: i, after: -1 }, { before: -1, after: j })
        else pairs.push({ before: i, after: j })
      }
    } else if (old === i) { for (let k = j; k < current; k++) pairs.push({ before: -1, after: k }) }
    else if (current === j) { for (let k = i; k < old; k++) pairs.push({ before: k, after: -1 }) }
    else {
      const runs = [{ from: i, to: old }, { from: j, to: current }] as const
      pairs.push(...compareRuns(left, right, dimensions.length, ...runs, schema.allowsDuplicates))
    }
    i = old
    j = current
    if (++steps % STEP_CELLS === 0) yield
  }
  return { pairs, before: i, after: j }
}

/** Returns the cells `from … to − 1` of all columns. */
export const windowOf = (
  columns: ReadonlyMap<string, Column>,
  from: number,
  to: number,
  isLast: boolean,
): CellWindow => ({
  columns: new Map([...columns].map(([name, column]) => [name, columnPart(column, from, to)])),
  length: to - from,
  isLast,
})

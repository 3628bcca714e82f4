/**
 * Covers single cells with boxes: dense arrays are written in boxes, but rows contain the coordinates of single cells.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { type TypedArray, viewAs } from "../../../schema/array/datatype.ts"
import { WriteError } from "../../array/open/errors.ts"
import { type KeyWords, keyWordsSteps } from "../../kernel/sort/order_key.ts"
import { compareCells, firstSameSteps, firstUnorderedSteps, sortCellsSteps } from "../../kernel/sort/sort_cells.ts"
import { findInParts, finish, inParts, STEP, type Steps } from "../../kernel/steps.ts"
import { cellCoordinatesText } from "../input/coordinate_text.ts"
import type { Box } from "../input/box.ts"
import type { WriteColumn } from "../input/write_column.ts"

/** A box that is completely covered by input cells: row-major cell `i` of the box is input cell `cells[i]`. */
export interface CoveringBox {
  readonly box: Box
  readonly cells: Uint32Array
}

/** A box under construction. Its cells are runs of the sorted input. */
interface Growing {
  readonly low: ReadonlyArray<bigint>
  readonly high: Array<bigint>
  readonly runs: Array<readonly [from: number, to: number]>
}

/** Number of boxes created or joined between two yields. */
const BOX_STEP = 1 << 10

/** Maximum number of boxes: each box becomes a fragment, which every later read opens. */
const MAX_BOXES = 100

/** Sorts cells row-major. Throws {@link WriteError} for duplicates. */
function* sortedCells(
  dimensions: ReadonlyArray<WriteColumn>,
  words: KeyWords,
  cells: number,
): Steps<Uint32Array> {
  const duplicateError = (first: number, cell: number): WriteError =>
    new WriteError({
      field: "",
      cell,
      other: first,
      reason: "Duplicate",
      detail: `the coordinates ${
        cellCoordinatesText(dimensions, cell)
      } are duplicated; a dense array contains each cell once`,
    })
  if ((yield* firstUnorderedSteps(words, cells)) === cells) {
    const same = yield* firstSameSteps(words, cells)
    if (same < cells) throw duplicateError(same - 1, same)
    const order = new Uint32Array(cells)
    yield* inParts(cells, (from, to) => {
      for (let i = from; i < to; i++) order[i] = i
    })
    return order
  }
  const order = yield* sortCellsSteps(words, cells)
  const repeat = yield* findInParts(cells, (from, to) => {
    for (let i = Math.max(1, from); i < to; i++) if (compareCells(words, order[i - 1], order[i]) === 0) return i
    return -1
  })
  if (repeat >= 0) throw duplicateError(order[repeat - 1], order[repeat])
  return order
}

/**
 * Returns whether a cell directly follows another along the last dimension, and all other coordinates are equal. The
 * last `own` words belong to the last dimension.
 */
const follows = (words: KeyWords, own: number, cell: number, next: number): boolean => {
  const others = words.length - own
  for (let w = 0; w < others; w++) if (words[w][cell] !== words[w][next]) return false
  let carry = 1
  for (let w = words.length - 1; w >= others; w--) {
    const word = (words[w][cell] + carry) >>> 0
    if (word !== words[w][next]) return false
    carry = carry === 1 && word === 0 ? 1 : 0
  }
  return carry === 0
}

/** Returns the boxes that sorted cells form along the last dimension. */
function* runsOf(
  views: ReadonlyArray<TypedArray>,
  words: ReadonlyArray<KeyWords>,
  order: Uint32Array,
): Steps<Array<Growing>> {
  const out: Array<Growing> = []
  const last = views.length - 1
  const all = words.flat()
  for (let from = 0; from < order.length;) {
    let to = from + 1
    while (to < order.length && follows(all, words[last].length, order[to - 1], order[to])) {
      if (++to % STEP === 0) yield
    }
    if (out.length % BOX_STEP === BOX_STEP - 1) yield
    const low = views.map((view) => BigInt(view[order[from]]))
    const high = [...low]
    high[last] += BigInt(to - from - 1)
    out.push({ low, high, runs: [[from, to]] })
    from = to
  }
  return out
}

/** Joins boxes that are adjacent along dimension `d` and equal in all later dimensions. */
function* joinBoxes(boxes: ReadonlyArray<Growing>, d: number): Steps<Array<Growing>> {
  const open = new Map<string, Growing>()
  const out: Array<Growing> = []
  for (const [i, box] of boxes.entries()) {
    if (i % BOX_STEP === BOX_STEP - 1) yield
    const side = box.low.map((low, k) => k === d ? "" : `${low}:${box.high[k]}`).join()
    const before = open.get(side)
    if (before !== undefined && before.high[d] + 1n === box.low[d]) {
      before.high[d] = box.high[d]
      for (const run of box.runs) before.runs.push(run)
    } else {
      open.set(side, box)
      out.push(box)
    }
  }
  return out
}

/**
 * Returns boxes that cover the cells with these coordinates. Throws {@link WriteError} for duplicate cells, and for
 * cells so scattered that they form too many boxes.
 */
export const findBoxes = (...input: Parameters<typeof findBoxesSteps>): ReadonlyArray<CoveringBox> =>
  finish(findBoxesSteps(...input))

/** Like {@link findBoxes}, in steps. */
export function* findBoxesSteps(
  schema: ArraySchema,
  dimensions: ReadonlyArray<WriteColumn>,
  cells: number,
): Steps<ReadonlyArray<CoveringBox>> {
  const views = dimensions.map(({ field, values }) => viewAs(field.type, values))
  const words: Array<KeyWords> = []
  for (const view of views) words.push(yield* keyWordsSteps(view))
  const order = yield* sortedCells(dimensions, words.flat(), cells)
  let boxes = yield* runsOf(views, words, order)
  for (let d = schema.dimensions.length - 2; d >= 0; d--) boxes = yield* joinBoxes(boxes, d)
  if (boxes.length > MAX_BOXES) {
    const detail =
      `${cells} cells make ${boxes.length} boxes; dense cells are written in at most ${MAX_BOXES} boxes: ` +
      `pass neighbouring cells in sequence, or write them into a sparse array`
    throw new WriteError({ field: "", reason: "TooLarge", detail })
  }
  const coveringBoxes: Array<CoveringBox> = []
  for (const { low, high, runs } of boxes) {
    const own = new Uint32Array(runs.reduce((sum, [from, to]) => sum + to - from, 0))
    let at = 0
    for (const [i, [from, to]] of runs.entries()) {
      if (i % BOX_STEP === BOX_STEP - 1) yield
      own.set(order.subarray(from, to), at)
      at += to - from
    }
    coveringBoxes.push({ box: low.map((first, d) => ({ low: first, high: high[d] })), cells: own })
  }
  return coveringBoxes
}

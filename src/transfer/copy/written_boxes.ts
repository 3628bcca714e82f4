/**
 * Finds the boxes of a dense array in which cells were written. The other cells need not be copied.
 */
import type * as Effect from "effect/Effect"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import type { Range } from "../../../schema/array/range.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { type InvalidOption, SelectionError } from "../../array/open/errors.ts"
import { nonEmptyDomain } from "../../array/describe/non_empty_domain.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { attemptSelection } from "../../query/options/read_error.ts"
import { parseSelection, type RegionInput } from "../../query/selection/selection.ts"

/** The coordinates of a box, by dimension; both ends inclusive. */
type Box = ReadonlyArray<readonly [low: bigint, high: bigint]>

/** Boxes of one array, by the names of its dimensions. */
export interface WrittenBoxes {
  readonly boxes: ReadonlyArray<Readonly<Record<string, readonly [low: bigint, high: bigint]>>>
  /** Number of cells in the boxes. */
  readonly cells: number
}

/** Maximum number of boxes: each box becomes a fragment. */
const MAX_BOXES = 1000

/**
 * Maximum number of cells of a copy, and maximum ratio of copied to written cells: larger copies would consist of fill
 * values.
 */
const MAX_CELLS = 2 ** 36
const MAX_CELL_RATIO = 1000

const cellsOf = (box: Box): number => box.reduce((n, [low, high]) => n * Number(high - low + 1n), 1)

const cellsIn = (boxes: ReadonlyArray<Box>): number => boxes.reduce((sum, box) => sum + cellsOf(box), 0)

const isInside = (inner: Box, outer: Box): boolean =>
  inner.every(([low, high], d) => low >= outer[d][0] && high <= outer[d][1])

const boxOf = ({ dimensions }: ArraySchema, domain: ReadonlyArray<Range>): Box =>
  domain.map(({ low, high }, d) => {
    const { type } = dimensions[d]
    return [BigInt(readScalar(type, low)), BigInt(readScalar(type, high))]
  })

/**
 * Returns the boxes without those inside other boxes; returns `around`, which contains all of them, if that has fewer
 * cells, or if there are too many boxes.
 */
const mergeBoxes = (boxes: ReadonlyArray<Box>, around: Box, several: boolean): ReadonlyArray<Box> => {
  const own = boxes.filter((box, i) =>
    !boxes.some((other, k) => k !== i && isInside(box, other) && (k < i || !isInside(other, box)))
  )
  return several && own.length <= MAX_BOXES && cellsIn(own) < cellsOf(around) ? own : [around]
}

/** Returns the parts of boxes inside all combinations of ranges. */
const clipBoxes = (boxes: ReadonlyArray<Box>, ranges: ReadonlyArray<Box | undefined>): ReadonlyArray<Box> =>
  ranges.reduce(
    (all: ReadonlyArray<Box>, list, d) =>
      list === undefined ? all : all.flatMap((box) =>
        list.flatMap(([low, high]) => {
          const [from, to] = [low > box[d][0] ? low : box[d][0], high < box[d][1] ? high : box[d][1]]
          return from > to ? [] : [box.map((own, k): Box[number] => k === d ? [from, to] : own)]
        })
      ),
    boxes,
  )

/**
 * Returns the boxes of a dense array in which cells were written, clipped to the selection; one box unless `several`
 * are allowed.
 */
export const writtenBoxes = (
  array: OpenedArray,
  ranges: RegionInput,
  several: boolean,
): Effect.Effect<WrittenBoxes, InvalidOption | SelectionError> =>
  attemptSelection(() => {
    const { uri, schema, fragments } = array
    const requested = parseSelection(uri, schema, ranges, "error").map((selection) =>
      selection.kind === "string"
        ? undefined
        : selection.ranges?.map(({ low, high }): Box[number] => [BigInt(low), BigInt(high)])
    )
    const around = nonEmptyDomain(array)
    if (around === undefined) return { boxes: [], cells: 0 }
    const written = fragments.flatMap((f) => f.nonEmptyDomain === undefined ? [] : [boxOf(schema, f.nonEmptyDomain)])
    const boxes = clipBoxes(mergeBoxes(written, boxOf(schema, around), several), requested)
    const cells = cellsIn(boxes)
    const own = cellsIn(clipBoxes(written, requested))
    if (cells > MAX_CELLS && cells > MAX_CELL_RATIO * own) {
      const one = several ? `more than ${MAX_BOXES} boxes` : "boxes, which formats before 12 copy as one,"
      const detail = `${own} cells were written in ${one}, but the boxes to copy contain ${cells} cells; ` +
        `copy ${several ? "" : "to a later format, or "}parts of the array with a region`
      throw new SelectionError({ uri, field: "", reason: "TooLarge", detail })
    }
    return {
      boxes: boxes.map((box) => Object.fromEntries(box.map((range, d) => [schema.dimensions[d].name, range]))),
      cells,
    }
  })

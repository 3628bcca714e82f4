/**
 * The cells that `tessera read` prints, batch by batch: whatever the array's size, no more of them are in memory than the
 * budget allows, and none are read behind the limit.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { cellCount } from "../../fragment/fragment.ts"
import { lengthOf } from "../../query/dense/axis_plan.ts"
import type { Column } from "../../query/column/column.ts"
import { streamDenseCells } from "../../query/request/matching_cells.ts"
import { denseRequest } from "../../query/request/dense_request.ts"
import type { ReadError } from "../../query/options/read_error.ts"
import type { Order, StreamOptions } from "../../query/options/read_options.ts"
import { streamDense } from "../../query/request/dense_request.ts"
import { streamSparse } from "../../query/request/sparse_request.ts"

/** Columns of `length` cells. */
export interface CellBatch {
  readonly columns: Readonly<Record<string, Column>>
  readonly length: number
  /** Whether it is known that no other comes. */
  readonly last: boolean
  /** How many cells there are without a limit, where this batch tells. */
  readonly total: number | undefined
}

/** What there is to print. */
export interface CellSource {
  /** Cells along each dimension, without a limit; dense arrays only. */
  readonly shape: ReadonlyArray<number> | undefined
  /** How many cells there are without a limit; `undefined` where only reading tells. */
  readonly total: number | undefined
  /** How many are read, where that is known before. */
  readonly expected: number | undefined
  /** The cells, none behind the limit; of the named fields only, or of all. Each run reads them anew, in the same order. */
  readonly batches: (select?: ReadonlyArray<string>) => Stream.Stream<CellBatch, ReadError, Storage | Codecs>
}

const productOf = (shape: ReadonlyArray<number>): number => shape.reduce((product, n) => product * n, 1)

const denseCells = (
  array: OpenedArray,
  { limit, ...unlimited }: StreamOptions,
): Effect.Effect<CellSource, ReadError, Storage | Codecs> =>
  Effect.map(denseRequest(array, unlimited), ({ ranges }) => {
    const shape = ranges.map((range) => Number(lengthOf(range)))
    const total = productOf(shape)
    // the shape is that of rows, so cells that need no order are in theirs
    const order = unlimited.order === "unordered" ? "row" : unlimited.order
    return {
      shape,
      total,
      expected: Math.min(total, limit ?? total),
      batches: (select) =>
        Stream.map(
          streamDense(array, { ...unlimited, order, limit, ...(select === undefined ? {} : { select }) }),
          ({ columns, shape, last }) => ({ columns, length: productOf(shape), last, total }),
        ),
    }
  })

const sparseCells = (array: OpenedArray, options: StreamOptions): CellSource => {
  // one fragment has each cell once, but for those that deletes take away
  const [fragment] = array.fragments
  const whole = Object.keys(options.region ?? {}).length === 0 && array.fragments.length === 1 &&
    !fragment.hasTimestamps && array.deletes.length === 0 && options.where === undefined
  return {
    shape: undefined,
    total: undefined,
    expected: whole ? Math.min(cellCount(fragment), options.limit ?? Infinity) : undefined,
    batches: (select) => {
      if (select === undefined) return streamSparse(array, options)
      // without an order, it depends on the fields where batches are cut
      const order: Order | undefined = options.order === "unordered" ? "row" : options.order
      return streamSparse(array, { ...options, order, select })
    },
  }
}

/** Of dense arrays the cells that are wanted, without the others. */
const matchingCells = (array: OpenedArray, options: StreamOptions): CellSource => ({
  shape: undefined,
  total: undefined,
  expected: undefined,
  batches: (select) => streamDenseCells(array, select === undefined ? options : { ...options, select }),
})

/** What a read has to print; of dense arrays with all cells, or with those alone that are wanted. */
export const cellSource = (
  array: OpenedArray,
  options: StreamOptions,
  matching = false,
): Effect.Effect<CellSource, ReadError, Storage | Codecs> =>
  array.schema.arrayType === "sparse"
    ? Effect.succeed(sparseCells(array, options))
    : matching
    ? Effect.succeed(matchingCells(array, options))
    : denseCells(array, options)

/** The first batch, if there is one; of others nothing is read. */
export const firstBatch = <A, E, R>(batches: Stream.Stream<A, E, R>): Effect.Effect<A | undefined, E, R> =>
  Effect.map(Stream.runHead(batches), Option.getOrUndefined)

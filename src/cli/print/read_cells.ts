/**
 * Reads the cells that `tessera read` prints, batch by batch: for arrays of any size, memory stays within the budget,
 * and cells after the limit are not read.
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
  /** True if this batch is known to be the last one. */
  readonly last: boolean
  /** Number of cells without the limit, if this batch determines it. */
  readonly total: number | undefined
}

/** A source of cells to print. */
export interface CellSource {
  /** Number of cells along each dimension, without the limit; dense arrays only. */
  readonly shape: ReadonlyArray<number> | undefined
  /** Number of cells without the limit; `undefined` if it is unknown before reading. */
  readonly total: number | undefined
  /** Number of cells to read, if known in advance. */
  readonly expected: number | undefined
  /** The cells of the selected fields up to the limit. Default: all fields. Each run reads them again, in the same order. */
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
    // the shape is row-major, so unordered cells are read row-major
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
  // a single fragment without duplicates and deletes determines the number of cells
  const [fragment] = array.fragments
  const whole = Object.keys(options.region ?? {}).length === 0 && array.fragments.length === 1 &&
    !fragment.hasTimestamps && array.deletes.length === 0 && options.where === undefined
  return {
    shape: undefined,
    total: undefined,
    expected: whole ? Math.min(cellCount(fragment), options.limit ?? Infinity) : undefined,
    batches: (select) => {
      if (select === undefined) return streamSparse(array, options)
      // read unordered cells row-major, since the borders of unordered batches depend on the selected fields
      const order: Order | undefined = options.order === "unordered" ? "row" : options.order
      return streamSparse(array, { ...options, order, select })
    },
  }
}

/** Reads the matching cells of a dense array. */
const matchingCells = (array: OpenedArray, options: StreamOptions): CellSource => ({
  shape: undefined,
  total: undefined,
  expected: undefined,
  batches: (select) => streamDenseCells(array, select === undefined ? options : { ...options, select }),
})

/** Returns the cells to print; for dense arrays all cells, or the matching ones only. */
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

/** Returns the first batch, if there is one; later batches are not read. */
export const firstBatch = <A, E, R>(batches: Stream.Stream<A, E, R>): Effect.Effect<A | undefined, E, R> =>
  Effect.map(Stream.runHead(batches), Option.getOrUndefined)

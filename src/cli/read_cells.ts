/**
 * The cells that `tessera read` prints, batch by batch: whatever the array's size, no more of them are in memory than the
 * budget allows, and none are read behind the limit.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import type { OpenedArray } from "../array/open.ts"
import { cellCount } from "../fragment/fragment.ts"
import { lengthOf } from "../query/axis_plan.ts"
import type { Column } from "../query/column.ts"
import { denseRequest } from "../query/read_dense.ts"
import { attemptSelection, type ReadError } from "../query/read_error.ts"
import type { Order, StreamOptions } from "../query/read_options.ts"
import { streamDense } from "../query/stream_dense.ts"
import { streamSparse } from "../query/stream_sparse.ts"
import { limitDense } from "./limit.ts"

/** The first `length` cells of columns. */
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

/** A batch for a few cells has no fewer bytes than this: smaller ones would cost more than they save. */
const FEWEST_BYTES = 2 ** 22
/** About how many bytes a cell has in memory while it is read. */
const CELL_BYTES = 256

const productOf = (shape: ReadonlyArray<number>): number => shape.reduce((product, n) => product * n, 1)

interface Read {
  readonly columns: Readonly<Record<string, Column>>
  readonly length: number
  readonly last: boolean
}

/** The batches with the first `limit` cells. */
const firstOf = <E, R>(
  batches: Stream.Stream<Read, E, R>,
  limit: number,
  whole: number | undefined,
): Stream.Stream<CellBatch, E, R> => {
  if (limit <= 0) return Stream.empty
  return Stream.suspend(() => {
    let seen = 0
    return batches.pipe(
      Stream.map(({ columns, length, last }): CellBatch => {
        const shown = Math.min(length, limit - seen)
        seen += length
        return {
          columns,
          length: shown,
          last: last || seen >= limit,
          total: whole ?? (last ? seen : undefined),
        }
      }),
      Stream.takeUntil((batch) => batch.last),
    )
  })
}

const denseCells = (
  array: OpenedArray,
  options: StreamOptions,
  limit: number | undefined,
): Effect.Effect<CellSource, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    // the shape is that of rows, so cells that need no order are in theirs
    const order = options.order === "unordered" ? "row" : options.order
    const { ranges } = yield* denseRequest(array, options)
    const shape = ranges.map((its) => Number(lengthOf(its)))
    const total = productOf(shape)
    const box = limit === undefined || order === "global"
      ? undefined
      : yield* attemptSelection(() =>
        limitDense(array, options.ranges ?? {}, options.outside ?? "error", order === "col" ? "col" : "row", limit)
      )
    const asked = { ...options, order, ranges: box?.ranges ?? options.ranges }
    return {
      shape,
      total,
      expected: Math.min(total, limit ?? total),
      batches: (select) => {
        const batches = Stream.map(
          streamDense(array, select === undefined ? asked : { ...asked, select }),
          ({ columns, shape, last }) => ({ columns, length: productOf(shape), last }),
        )
        return firstOf(batches, limit ?? Infinity, total)
      },
    }
  })

const sparseCells = (array: OpenedArray, options: StreamOptions, limit: number | undefined): CellSource => {
  const run = (asked: StreamOptions) =>
    firstOf(
      streamSparse(array, asked),
      limit ?? Infinity,
      undefined,
    )
  // one fragment has each cell once, but for those that deletes take away
  const [fragment] = array.fragments
  const whole = Object.keys(options.ranges ?? {}).length === 0 && array.fragments.length === 1 &&
    !fragment.hasTimestamps && array.deletes.length === 0 && options.where === undefined
  return {
    shape: undefined,
    total: undefined,
    expected: whole ? Math.min(cellCount(fragment), limit ?? Infinity) : undefined,
    batches: (select) => {
      if (select === undefined) return run(options)
      // without an order, it depends on the fields where batches are cut
      const order: Order | undefined = options.order === "unordered" ? "row" : options.order
      return run({ ...options, order, select })
    },
  }
}

/** What a read has to print. */
export const cellSource = (
  array: OpenedArray,
  options: StreamOptions,
  limit: number | undefined,
): Effect.Effect<CellSource, ReadError, Storage | Codecs> => {
  const asked = limit === undefined
    ? options
    : { ...options, batch: Math.max(FEWEST_BYTES, Math.min(limit * CELL_BYTES, Number.MAX_SAFE_INTEGER)) }
  return array.schema.arrayType === "sparse"
    ? Effect.succeed(sparseCells(array, asked, limit))
    : denseCells(array, asked, limit)
}

/** The first batch, if there is one; of others nothing is read. */
export const firstBatch = <A, E, R>(batches: Stream.Stream<A, E, R>): Effect.Effect<A | undefined, E, R> =>
  Effect.map(Stream.runHead(batches), Option.getOrUndefined)

/**
 * The `limit` option: returns the first cells of a read. Batches after them are neither requested nor read.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { invalidOption } from "../../../platform/errors.ts"
import { ResultTooLarge } from "../../array/open/errors.ts"
import type { Batch } from "./partition_stream.ts"
import type { Column } from "../column/column.ts"
import { columnBytes, columnPart, joinColumns } from "../column/slice.ts"
import { attemptAllocation } from "../options/read_error.ts"

/** A batch, cut to the cells within the limit. */
export type Limited<A> = Batch<A> & {
  /** Number of cells without the limit; `undefined` if the batch does not determine it. */
  readonly total: number | undefined
}

/** Minimum size of a batch: the overhead of smaller batches exceeds the savings. */
const MIN_BATCH_SIZE = 2 ** 22
/** Estimated memory of one cell while it is read, in bytes. */
const ESTIMATED_CELL_SIZE = 256

/** Returns the batch size, in bytes, of a read that stops after `limit` cells. */
export const limitBytes = (limit: number | undefined): number =>
  limit === undefined ? Infinity : Math.max(MIN_BATCH_SIZE, limit * ESTIMATED_CELL_SIZE)

/** Returns why a `limit` is invalid; `undefined` if it is valid. */
export const limitProblem = (limit: unknown): string | undefined =>
  limit === undefined || (typeof limit === "number" && Number.isInteger(limit) && limit >= 0)
    ? undefined
    : `${String(limit)} is not a number of cells; expected an integer of at least 0`

/** Checks the `limit` option. Throws `InvalidOption`. */
export const checkLimit = (uri: string, limit: unknown): void => {
  const problem = limitProblem(limit)
  if (problem !== undefined) throw invalidOption(uri, "limit", problem, limit)
}

/** Returns the batches up to the first `limit` cells; `cut` shortens the batch that crosses the limit. */
export const limitBatches = <A extends object, E, R>(
  batches: Stream.Stream<Batch<A>, E, R>,
  limit: number | undefined,
  lengthOf: (batch: A) => number,
  cut: (batch: A, length: number) => A,
): Stream.Stream<Limited<A>, E, R> => {
  if (limit === 0) return Stream.empty
  return Stream.suspend(() => {
    let seen = 0
    return batches.pipe(
      Stream.map((batch): Limited<A> => {
        const remaining = (limit ?? Infinity) - seen
        const length = lengthOf(batch)
        seen += length
        const total = batch.last ? seen : undefined
        if (length < remaining) return { ...batch, total }
        return { ...(length === remaining ? batch : cut(batch, remaining)), last: true, total }
      }),
      Stream.takeUntil(({ last }) => last),
    )
  })
}

/** Returns the first `length` cells of each column. */
export const firstCells = (
  columns: Readonly<Record<string, Column>>,
  length: number,
): Readonly<Record<string, Column>> =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, columnPart(column, 0, length)]))

/** Joins all batches into one; `undefined` for an empty stream. Fails as soon as the result exceeds `limit` bytes. */
export const joinBatches = <E, R>(
  uri: string,
  batches: Stream.Stream<{ readonly columns: Readonly<Record<string, Column>> }, E, R>,
  limit: number,
): Effect.Effect<Readonly<Record<string, Column>> | undefined, E | ResultTooLarge, R> =>
  Effect.gen(function* () {
    let bytes = 0
    const match: Array<Readonly<Record<string, Column>>> = []
    yield* Stream.runForEach(batches, ({ columns }) => {
      match.push(columns)
      for (const column of Object.values(columns)) bytes += columnBytes(column)
      return bytes > limit ? Effect.fail(new ResultTooLarge({ uri, needed: bytes, limit })) : Effect.void
    })
    if (match.length === 0) return undefined
    return yield* attemptAllocation(uri, bytes, () =>
      Object.fromEntries(
        Object.keys(match[0]).map((name) => [
          name,
          joinColumns(match.map((item) => item[name])),
        ]),
      ))
  })

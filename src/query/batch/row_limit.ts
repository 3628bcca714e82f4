/**
 * `limit`: the first cells of a read. Batches behind them are not asked for, so that nothing of them is read.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { invalidOption } from "../../../platform/errors.ts"
import { ResultTooLarge, SelectionError } from "../../array/open/errors.ts"
import type { Batch } from "./partition_stream.ts"
import type { Column } from "../column/column.ts"
import { columnBytes, columnPart, joinColumns } from "../column/slice.ts"
import { attemptAllocation } from "../options/read_error.ts"

/** A batch with the cells of it that a limit leaves. */
export type Limited<A> = Batch<A> & {
  /** How many cells there are without the limit, where this batch tells. */
  readonly total: number | undefined
}

/** A batch for a few cells has no fewer bytes than this: smaller ones would cost more than they save. */
const FEWEST_BYTES = 2 ** 22
/** About how many bytes a cell has in memory while it is read. */
const CELL_BYTES = 256

/** Bytes of the batches of a read that ends behind so many cells. */
export const limitBytes = (limit: number | undefined): number =>
  limit === undefined ? Infinity : Math.max(FEWEST_BYTES, limit * CELL_BYTES)

/** Checks the option `limit`. Throws `InvalidOption`. */
export const checkLimit = (uri: string, limit: unknown): void => {
  if (limit === undefined || (typeof limit === "number" && Number.isInteger(limit) && limit >= 0)) return
  const reason = `${String(limit)} is not a number of cells; expected an integer of at least 0`
  throw invalidOption(uri, "limit", reason, limit)
}

/** The batches up to the first `limit` cells; `cut` takes the first cells of one. */
export const limited = <A extends object, E, R>(
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
        const left = (limit ?? Infinity) - seen
        const length = lengthOf(batch)
        seen += length
        const total = batch.last ? seen : undefined
        if (length < left) return { ...batch, total }
        return { ...(length === left ? batch : cut(batch, left)), last: true, total }
      }),
      Stream.takeUntil(({ last }) => last),
    )
  })
}

/** The first cells of columns. */
export const firstCells = (
  columns: Readonly<Record<string, Column>>,
  length: number,
): Readonly<Record<string, Column>> =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, columnPart(column, 0, length)]))

/** All batches as one; `undefined` if there is none. More than `limit` bytes are refused as soon as they are there. */
export const joined = <E, R>(
  uri: string,
  batches: Stream.Stream<{ readonly columns: Readonly<Record<string, Column>> }, E, R>,
  limit: number,
): Effect.Effect<Readonly<Record<string, Column>> | undefined, E | ResultTooLarge, R> =>
  Effect.gen(function* () {
    let bytes = 0
    const found: Array<Readonly<Record<string, Column>>> = []
    yield* Stream.runForEach(batches, ({ columns }) => {
      found.push(columns)
      for (const column of Object.values(columns)) bytes += columnBytes(column)
      return bytes > limit ? Effect.fail(new ResultTooLarge({ uri, needed: bytes, limit })) : Effect.void
    })
    if (found.length === 0) return undefined
    return yield* attemptAllocation(uri, bytes, () =>
      Object.fromEntries(
        Object.keys(found[0]).map((name) => [
          name,
          joinColumns(found.map((its) => its[name])),
        ]),
      ))
  })

/**
 * Writes rows: encodes batches of rows and writes them as columns.
 *
 * @module
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { withTurns } from "../../platform/host/event_loop_turns.ts"
import type { EnumerationError } from "../array/enumeration/enumerations.ts"
import type { OpenedArray } from "../array/open/open.ts"
import type { RowError } from "../row/row_error.ts"
import type { CellWriter } from "./fragment/cell_writer.ts"
import { asRowError, type RowColumns, rowEncoder } from "./input/encode_rows.ts"
import type { WriteFailure, WriteResult } from "./result/write_result.ts"

/** Rows: a list, another iterable, or a stream. */
export type Rows<A, E = never, R = never> = Iterable<A> | Stream.Stream<A, E, R>

/** Errors of writing rows. After a failure the array is unchanged. */
export type WriteRowsError = RowError | EnumerationError | WriteFailure

/** Number of rows that are encoded together. */
const BATCH_ROWS = 4096

const isStream = <A, E, R>(rows: Rows<A, E, R>): rows is Stream.Stream<A, E, R> => Stream.StreamTypeId in rows

/** Writes rows with a writer of columns, and commits them. */
export const writeEncoded = <A, I, R, E, R2, W>(
  array: OpenedArray,
  rows: Rows<A, E, R2>,
  schema: Schema.Schema<A, I, R>,
  writer: Effect.Effect<CellWriter<RowColumns>, WriteFailure, W | Scope.Scope>,
): Effect.Effect<WriteResult, E | WriteRowsError, R | R2 | Exclude<W, Scope.Scope> | Storage | Codecs> =>
  Effect.gen(function* () {
    const encode = yield* rowEncoder(array, schema)
    const { write, commit } = yield* writer
    let first = 0
    const batches = Stream.grouped(isStream(rows) ? rows : Stream.fromIterable(rows), BATCH_ROWS)
    yield* Stream.runForEach(batches, (batch) =>
      Effect.flatMap(encode(batch, first), (columns) => {
        first += Chunk.size(batch)
        return write(columns)
      }))
    return yield* commit
  }).pipe(
    Effect.mapError((error) => asRowError(array.uri)(error)),
    Effect.scoped,
    withTurns,
  ) as Effect.Effect<WriteResult, E | WriteRowsError, R | R2 | Exclude<W, Scope.Scope> | Storage | Codecs>

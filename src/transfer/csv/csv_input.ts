/**
 * Reads CSV text from files and streams, and returns its rows in parts of limited size.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type CsvForm, type CsvReader, type CsvRow, type CsvRows, loadCsvReader } from "./csv_rows.ts"
import { CodecError, type NotFound, type StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { runSteps, turnIfDue } from "../../../platform/host/event_loop_turns.ts"
import type { Steps } from "../../kernel/steps.ts"
import { CsvError } from "./csv_error.ts"
import type { InputTrace } from "../passed_input.ts"

/** A source of CSV text: the URI of a file, or a stream of text or of UTF-8 bytes. */
export type CsvInput<E = never, R = never> = string | Stream.Stream<Uint8Array | string, E, R>

/** Errors of reading rows. */
export type CsvInputError = CsvError | NotFound | StorageError | CodecError

/** The rows of CSV text, read in parts. */
export interface CsvSource<E, R> {
  /** Name of the text in errors. */
  readonly name: string
  /** The next rows; `undefined` at the end. */
  readonly next: Effect.Effect<ReadonlyArray<CsvRow> | undefined, E | CsvInputError, R>
}

/** Number of bytes read at once, and number of characters parsed at once. */
const PIECE_SIZE = 1 << 18

/** Divides a piece into parts that are parsed at once. */
const partsOf = (piece: Uint8Array | string): ReadonlyArray<Uint8Array | string> =>
  piece.length <= PIECE_SIZE ? [piece] : Array.from(
    { length: Math.ceil(piece.length / PIECE_SIZE) },
    (_, i) =>
      typeof piece === "string"
        ? piece.slice(i * PIECE_SIZE, (i + 1) * PIECE_SIZE)
        : piece.subarray(i * PIECE_SIZE, (i + 1) * PIECE_SIZE),
  )

/** Reads a file in pieces. `read` is called with the number of bytes read so far and the size of the file. */
const piecesOf = (
  uri: string,
  onProgress: (read: number, size: number) => void,
): Stream.Stream<Uint8Array, NotFound | StorageError, Storage> =>
  Stream.unwrap(Effect.gen(function* () {
    const storage = yield* Storage
    const size = yield* storage.size(uri)
    onProgress(0, size)
    return Stream.unfoldEffect(0, (offset) => {
      if (offset >= size) return Effect.succeed(Option.none())
      const length = Math.min(PIECE_SIZE, size - offset)
      return Effect.map(storage.readRanges(uri, [{ offset, length }]), ([bytes]) => {
        onProgress(offset + length, size)
        return Option.some([bytes, offset + length] as const)
      })
    })
  }))

/** Returns the error of a resumed import whose input has changed. */
export const sourceChanged = (source: string): CsvError =>
  new CsvError({
    source,
    row: 0,
    column: "",
    reason: "SourceChanged",
    detail: "the source has changed since the import began; overwrite the array, or resume with the same source",
  })

/** Opens CSV text. With a trace, reading fails if the text differs from the one that an earlier call read. */
export const openCsv = <E, R>(
  input: CsvInput<E, R>,
  form: CsvForm,
  onProgress: (read: number, size: number) => void = () => {},
  trace?: InputTrace,
): Effect.Effect<CsvSource<E, R | Storage>, CodecError, R | Storage | Scope.Scope> =>
  Effect.gen(function* () {
    const name = typeof input === "string" ? input : "the CSV"
    const reader: CsvReader = yield* Effect.tryPromise({
      try: () => loadCsvReader(form),
      catch: (cause) =>
        new CodecError({ codec: "csv", reason: "Missing", detail: "papaparse could not be loaded", cause }),
    })
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const pull = yield* Stream.toPull<Uint8Array | string, E | NotFound | StorageError, R | Storage>(
      typeof input === "string" ? piecesOf(input, onProgress) : input,
    )
    /** pieces that arrived together and are not parsed yet */
    let waiting: ReadonlyArray<Uint8Array | string> = []
    /** number of consumed pieces */
    let consumed = 0
    let isFinished = false

    /** parses the next pieces together; with `last`, the end of the text */
    const rowsOf = function* (last: boolean): Steps<CsvRows> {
      let text = ""
      while (consumed < waiting.length && text.length < PIECE_SIZE) {
        const piece = waiting[consumed++]
        text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true })
      }
      if (last) text += decoder.decode()
      isFinished = last
      return yield* reader.steps(text, last)
    }
    const parse = (last: boolean): Effect.Effect<ReadonlyArray<CsvRow>, CsvError> =>
      Effect.zipLeft(
        Effect.flatMap(
          runSteps(() => rowsOf(last), (error) =>
            error instanceof TypeError
              ? Effect.fail(
                new CsvError({
                  source: name,
                  row: 0,
                  column: "",
                  reason: "InvalidText",
                  detail: "it is not text in UTF-8",
                }),
              )
              : Effect.die(error)),
          ({ rows, problem }) =>
            problem === undefined ? Effect.succeed(rows) : Effect.fail(
              new CsvError({
                source: name,
                row: problem.row + 1,
                column: "",
                reason: "Syntax",
                detail: problem.reason,
              }),
            ),
        ),
        turnIfDue,
      )
    const changed = Effect.suspend(() => Effect.fail(sourceChanged(name)))
    /** adds pieces to the trace before they are parsed */
    const follow = (pieces: ReadonlyArray<Uint8Array | string>) =>
      trace === undefined ? Effect.void : Effect.forEach(
        pieces,
        (piece) => Effect.flatMap(trace.take(piece), (isSame) => isSame ? Effect.void : changed),
        { discard: true },
      )
    const next: CsvSource<E, R | Storage>["next"] = Effect.suspend(() => {
      if (isFinished) return Effect.succeed(undefined)
      if (consumed < waiting.length) return parse(false)
      return Effect.matchEffect(pull, {
        onFailure: (end): Effect.Effect<ReadonlyArray<CsvRow> | undefined, E | CsvInputError> =>
          Option.isSome(end) ? Effect.fail(end.value) : trace?.isVerified() === false ? changed : parse(true),
        onSuccess: (pieces) => {
          waiting = Chunk.toReadonlyArray(pieces).flatMap(partsOf)
          consumed = 0
          return Effect.zipRight(follow(waiting), parse(false))
        },
      })
    })
    return { name, next }
  })

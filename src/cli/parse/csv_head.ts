/**
 * Reads the beginning of CSV text, so that its delimiter can be detected.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import type { CsvInput } from "../../transfer/csv/csv_input.ts"
import { InputFailed } from "../print/terminal.ts"
import { detectDelimiter } from "./detect_delimiter.ts"

/** Number of bytes read to detect the delimiter. */
const HEAD_SIZE = 1 << 16

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** CSV text with its detected delimiter. */
export interface DetectedCsv<E> {
  readonly input: CsvInput<E>
  readonly delimiter: string
}

const detect = (pieces: ReadonlyArray<Uint8Array>, whole: boolean): string => {
  const decoder = new TextDecoder()
  return detectDelimiter(pieces.map((piece) => decoder.decode(piece, { stream: true })).join(""), whole)
}

/** Detects the delimiter of a file. */
export const detectInFile = (uri: string): Effect.Effect<DetectedCsv<never>, NotFound | StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const size = yield* storage.size(uri)
    const length = Math.min(size, HEAD_SIZE)
    const pieces = length === 0 ? [] : yield* storage.readRanges(uri, [{ offset: 0, length }])
    return { input: uri, delimiter: detect(pieces, length === size) }
  })

/** Reads pieces up to the end of the first line. */
const readHead = async (iterator: AsyncIterator<Uint8Array>) => {
  const head: Array<Uint8Array> = []
  for (let length = 0; length < HEAD_SIZE;) {
    const next = await iterator.next()
    if (next.done === true) return { head, whole: true }
    head.push(next.value)
    length += next.value.length
    if (next.value.includes(LINE_FEED) || next.value.includes(CARRIAGE_RETURN)) break
  }
  return { head, whole: false }
}

/** Detects the delimiter of piped text. Waits only for its first line; the scope closes the pipe. */
export const detectInPieces = (
  pieces: AsyncIterable<Uint8Array>,
): Effect.Effect<DetectedCsv<InputFailed>, InputFailed, Scope.Scope> => {
  const iterator = pieces[Symbol.asyncIterator]()
  // close standard input, which would keep the process alive
  const close = Effect.addFinalizer(() => Effect.promise(async () => void await iterator.return?.()))
  const rest: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => iterator }
  const failed = (cause: unknown) => new InputFailed({ cause })
  return Effect.map(
    Effect.zipRight(close, Effect.tryPromise({ try: () => readHead(iterator), catch: failed })),
    ({ head, whole }) => ({
      input: Stream.concat(Stream.fromIterable(head), Stream.fromAsyncIterable(rest, failed)),
      delimiter: detect(head, whole),
    }),
  )
}

/**
 * Files on a web server: whole, by ranges, by their end, by size. Every answer is held against what was asked for.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { checkRanges, tailRange, truncated } from "./byte_ranges.ts"
import { NotFound, StorageError } from "./errors.ts"
import { isMissing, statusFailure } from "./http_failure.ts"
import type { HttpAnswer, HttpRequest, Send } from "./http_request.ts"
import { fileUrl, hostOf, httpPlace } from "./http_url.ts"
import type { ByteRange, Tail } from "./storage.ts"

/** What reading can fail with. */
export type ReadFailure = NotFound | StorageError

/** Files that a server without ranges can serve all the same: read from their beginning, this far. */
const SMALL = 16 << 20

/** No file is read whole beyond this; TileDB has none that is, and a body may have no end. */
const LARGEST = 1 << 30

/** Ranges of one call that are asked for at once. */
const CONCURRENCY = 16

/** A Content-Range header; `total` is undefined where the server does not tell. */
interface ContentRange {
  readonly start: number
  readonly end: number
  readonly total: number | undefined
}

const contentRange = (header: string | undefined): ContentRange | undefined => {
  const parts = /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)\s*$/i.exec(header ?? "")
  if (parts === null) return undefined
  return { start: Number(parts[1]), end: Number(parts[2]) + 1, total: parts[3] === "*" ? undefined : Number(parts[3]) }
}

/** The size in the answer to a range that the file does not have. */
const sizeBeyond = (header: string | undefined): number | undefined => {
  const parts = /^\s*bytes\s+\*\/(\d{1,15})\s*$/i.exec(header ?? "")
  return parts === null ? undefined : Number(parts[1])
}

/** Bytes of one range, and the size of the file if the answer told. */
interface Part {
  readonly bytes: Uint8Array
  readonly total: number | undefined
}

/** The reading half of a storage. */
export interface HttpReads {
  readonly size: (op: string, uri: string) => Effect.Effect<number, ReadFailure>
  readonly read: (uri: string) => Effect.Effect<Uint8Array, ReadFailure>
  readonly readRanges: (
    uri: string,
    ranges: ReadonlyArray<ByteRange>,
  ) => Effect.Effect<ReadonlyArray<Uint8Array>, ReadFailure>
  readonly readTail: (uri: string, length: number) => Effect.Effect<Tail, ReadFailure>
}

/** Reads over requests. */
export const makeReads = (send: Send): HttpReads => {
  /** Hosts that answered a range with the whole file. */
  const rangeless = new Set<string>()

  const fail = (op: string, uri: string, reason: StorageError["reason"], message: string) =>
    Effect.fail(new StorageError({ op, uri, reason, cause: new Error(message) }))
  const noRanges = (op: string, uri: string) =>
    fail(
      op,
      uri,
      "Unsupported",
      "this server does not serve ranges: it answers with the whole file, which is too large",
    )
  const otherStatus = ({ op, uri }: HttpRequest, answer: HttpAnswer): Effect.Effect<never, ReadFailure> =>
    Effect.zipRight(
      answer.discard,
      Effect.fail(statusFailure(op, uri, answer.status, answer.header("retry-after"))),
    )
  const get = (op: string, uri: string, range?: string): Effect.Effect<HttpRequest, StorageError> =>
    Effect.try({
      try: () => ({
        op,
        uri,
        method: "GET" as const,
        url: fileUrl(httpPlace(op, uri)),
        headers: range === undefined ? undefined : { range },
      }),
      catch: (error) => error as StorageError,
    })

  /** `length` bytes of the body, no fewer. */
  const exactly = (request: HttpRequest, answer: HttpAnswer, length: number): Effect.Effect<Uint8Array, StorageError> =>
    Effect.flatMap(
      answer.body(length),
      (bytes) =>
        bytes.length === length
          ? Effect.succeed(bytes)
          : fail(request.op, request.uri, "Truncated", `the body ended after ${bytes.length} of ${length} bytes`),
    )

  /** The whole file in the body of an answer, if it has no more than `most` bytes. */
  const whole = (
    request: HttpRequest,
    answer: HttpAnswer,
    most: number,
    tooLarge: Effect.Effect<never, StorageError>,
  ): Effect.Effect<Uint8Array, StorageError> => {
    const { length } = answer
    if (length !== undefined) {
      return length <= most ? exactly(request, answer, length) : Effect.zipRight(answer.discard, tooLarge)
    }
    return Effect.flatMap(answer.body(most + 1), (bytes) => bytes.length > most ? tooLarge : Effect.succeed(bytes))
  }

  /** A range in the body of an answer that begins at the beginning of the file; what is behind is not waited for. */
  const beginning = (
    request: HttpRequest,
    answer: HttpAnswer,
    { offset, length }: ByteRange,
  ): Effect.Effect<Uint8Array, StorageError> => {
    const { op, uri } = request
    const end = offset + length
    if (answer.length !== undefined && answer.length < end) {
      return Effect.zipRight(answer.discard, pastEnd(op, uri, { offset, length }, answer.length))
    }
    const asked = offset === 0 && answer.length === end
    if (end > SMALL && !asked) return Effect.zipRight(answer.discard, noRanges(op, uri))
    return Effect.map(exactly(request, answer, end), (bytes) => offset === 0 ? bytes : bytes.slice(offset))
  }

  const pastEnd = (op: string, uri: string, range: ByteRange, size: number) =>
    Effect.fail(truncated(op, uri, range, size))

  const readPart = (op: string, uri: string, range: ByteRange): Effect.Effect<Part, ReadFailure> =>
    Effect.gen(function* () {
      const { offset, length } = range
      const end = offset + length
      const request = yield* get(op, uri, `bytes=${offset}-${end - 1}`)
      const answer = yield* send(request)
      if (answer.status === 200) {
        rangeless.add(hostOf(request.url))
        return { bytes: yield* beginning(request, answer, range), total: answer.length }
      }
      if (answer.status === 416) {
        yield* answer.discard
        const size = sizeBeyond(answer.header("content-range"))
        if (size === undefined || size < end) return yield* pastEnd(op, uri, range, size ?? offset)
        return yield* otherStatus(request, answer)
      }
      if (answer.status !== 206) return yield* otherStatus(request, answer)
      const have = contentRange(answer.header("content-range"))
      // browsers hide the header unless the server exposes it; the length of the body must do then
      if (have !== undefined && (have.start !== offset || have.end !== end)) {
        yield* answer.discard
        if (have.start === offset && have.end < end && have.end === have.total) {
          return yield* pastEnd(op, uri, range, have.total)
        }
        const asked = `bytes ${offset} to ${end - 1}`
        return yield* fail(op, uri, "Unknown", `asked for ${asked}, the server sent ${have.start} to ${have.end - 1}`)
      }
      return { bytes: yield* allOf(request, answer, length), total: have?.total }
    })

  /** The body of a partial answer: `length` bytes, no more, no fewer. */
  const allOf = (request: HttpRequest, answer: HttpAnswer, length: number): Effect.Effect<Uint8Array, StorageError> => {
    const { op, uri } = request
    const other = (bytes: string) =>
      fail(op, uri, "Truncated", `the body has ${bytes} bytes where ${length} were promised`)
    if (answer.length !== undefined && answer.length !== length) {
      return Effect.zipRight(answer.discard, other(String(answer.length)))
    }
    return Effect.flatMap(
      answer.body(answer.length ?? length + 1),
      (bytes) =>
        bytes.length === length ? Effect.succeed(bytes) : other(bytes.length > length ? "more" : String(bytes.length)),
    )
  }

  /** The size, where HEAD is not served or does not tell: that of the file in the answer to its first byte. */
  const sizeByRange = (op: string, uri: string): Effect.Effect<number, ReadFailure> =>
    Effect.gen(function* () {
      const request = yield* get(op, uri, "bytes=0-0")
      const answer = yield* send(request)
      if (answer.status === 200 && answer.length === undefined) {
        return (yield* whole(request, answer, SMALL, noRanges(op, uri))).length
      }
      yield* answer.discard
      const total = answer.status === 200
        ? answer.length
        : answer.status === 206
        ? contentRange(answer.header("content-range"))?.total
        : answer.status === 416
        ? sizeBeyond(answer.header("content-range")) ?? 0
        : yield* otherStatus(request, answer)
      return total ?? (yield* fail(op, uri, "Unsupported", "this server does not tell the sizes of its files"))
    })

  const size = (op: string, uri: string): Effect.Effect<number, ReadFailure> =>
    Effect.gen(function* () {
      const request = { ...yield* get(op, uri), method: "HEAD" as const }
      const answer = yield* send(request)
      yield* answer.discard
      if (answer.status === 200 && answer.length !== undefined) return answer.length
      if (isMissing(answer.status)) return yield* Effect.fail(new NotFound({ uri }))
      return yield* answer.status === 429 || (answer.status >= 500 && answer.status !== 501)
        ? otherStatus(request, answer)
        : sizeByRange(op, uri)
    })

  const tailFrom = (op: string, uri: string, length: number, total: number): Effect.Effect<Tail, ReadFailure> => {
    const range = tailRange(op, uri, length, total)
    return range.length === 0
      ? Effect.succeed({ bytes: new Uint8Array(), size: total })
      : Effect.map(readPart(op, uri, range), ({ bytes }) => ({ bytes, size: total }))
  }

  const readTail = (uri: string, length: number): Effect.Effect<Tail, ReadFailure> =>
    Effect.gen(function* () {
      const op = "readTail"
      yield* checked(op, uri, [{ offset: 0, length }])
      if (length === 0) return { bytes: new Uint8Array(), size: yield* size(op, uri) }
      const request = yield* get(op, uri, `bytes=-${length}`)
      const answer = yield* send(request)
      const have = contentRange(answer.header("content-range"))
      switch (answer.status) {
        case 206: {
          // hidden by the browser, or by a server that does not tell
          const total = have?.total ?? (yield* size(op, uri))
          const start = Math.max(total - length, 0)
          if (have !== undefined && (have.start !== start || have.end !== total)) {
            yield* answer.discard
            const sent = `${have.start} to ${have.end - 1} of ${total}`
            return yield* fail(op, uri, "Unknown", `asked for the last ${length} bytes, the server sent ${sent}`)
          }
          return { bytes: yield* allOf(request, answer, total - start), size: total }
        }
        case 200: {
          // a server may answer so where the file is no longer than that
          if (answer.length === undefined || answer.length <= Math.max(SMALL, length)) {
            const bytes = yield* whole(request, answer, Math.max(SMALL, length), noRanges(op, uri))
            return { bytes: bytes.length > length ? bytes.slice(bytes.length - length) : bytes, size: bytes.length }
          }
          yield* answer.discard
          return yield* tailFrom(op, uri, length, answer.length)
        }
        // a range from the end, which not every server knows; or the file is empty
        case 400:
        case 416:
        case 501: {
          yield* answer.discard
          const total = sizeBeyond(answer.header("content-range")) ?? (yield* size(op, uri))
          return yield* tailFrom(op, uri, length, total)
        }
        default:
          return yield* otherStatus(request, answer)
      }
    })

  const checked = (op: string, uri: string, ranges: ReadonlyArray<ByteRange>, most?: number) =>
    Effect.try({ try: () => checkRanges(op, uri, ranges, most), catch: (error) => error as StorageError })

  const readRanges = (uri: string, ranges: ReadonlyArray<ByteRange>) =>
    Effect.gen(function* () {
      const op = "readRanges"
      yield* checked(op, uri, ranges)
      const wanted = ranges.filter(({ length }) => length > 0)
      const end = wanted.reduce((most, { offset, length }) => Math.max(most, offset + length), 0)
      if (wanted.length > 1 && end <= SMALL && rangeless.has(hostOf(fileUrl(httpPlace(op, uri))))) {
        const { bytes } = yield* readPart(op, uri, { offset: 0, length: end })
        if (wanted.length < ranges.length) yield* checked(op, uri, ranges, yield* size(op, uri))
        return ranges.map(({ offset, length }) => bytes.slice(offset, offset + length))
      }
      const parts = yield* Effect.forEach(wanted, (range) => readPart(op, uri, range), { concurrency: CONCURRENCY })
      if (wanted.length < ranges.length || ranges.length === 0) {
        const total = parts.find((part) => part.total !== undefined)?.total
        yield* checked(op, uri, ranges, total ?? (yield* size(op, uri)))
      }
      let next = 0
      return ranges.map(({ length }) => length > 0 ? parts[next++].bytes : new Uint8Array())
    })

  const read = (uri: string) =>
    Effect.gen(function* () {
      const request = yield* get("read", uri)
      const answer = yield* send(request)
      if (answer.status !== 200) return yield* otherStatus(request, answer)
      const tooLarge = fail("read", uri, "Unknown", `the file has more than ${LARGEST} bytes; read ranges of it`)
      return yield* whole(request, answer, LARGEST, tooLarge)
    })

  return { size, read, readRanges, readTail }
}

/**
 * Reads files on a web server: whole files, ranges, tails, and sizes. Every response is compared with the request.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { checkRanges, tailRange, truncated } from "../byte_ranges.ts"
import { RangeCall } from "../each_range.ts"
import { type NotFound, StorageError, type StorageOp } from "../../errors.ts"
import { fileChanged, FileChanges } from "../file_changes.ts"
import { isMissing, statusFailure } from "./errors.ts"
import type { HttpAnswer, HttpRequest, Send } from "./request.ts"
import { fileUrl, hostOf, httpPlace } from "./url.ts"
import { fileInfo, type FileVersion, makeFileVersions, type VersionCheck, versionOf } from "./versions.ts"
import { sessionIn } from "../read_session.ts"
import type { ByteRange, FileInfo, Tail } from "../service.ts"

/** Errors of reads. */
export type ReadFailure = NotFound | StorageError

/** Maximum number of bytes to read from the start of a file on servers that do not support ranges. */
const SMALL = 16 << 20

/** Maximum size of a file that is read whole; TileDB writes no larger ones, and a body may be endless. */
const LARGEST = 1 << 30

/** Maximum number of concurrent ranges of one call. */
const CONCURRENCY = 16

/** A parsed Content-Range header; `total` is undefined if the server does not report it. */
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

/** Returns the file size from the response to a range beyond the end of the file. */
const sizeBeyond = (header: string | undefined): number | undefined => {
  const parts = /^\s*bytes\s+\*\/(\d{1,15})\s*$/i.exec(header ?? "")
  return parts === null ? undefined : Number(parts[1])
}

/** The bytes of one range, and the size of the file if the response contains it. */
interface Part {
  readonly bytes: Uint8Array
  readonly total: number | undefined
}

/** The reading functions of a storage. */
export interface HttpReads {
  /** Returns size, Last-Modified and ETag. */
  readonly head: (uri: string) => Effect.Effect<FileInfo, ReadFailure>
  readonly size: (op: StorageOp, uri: string) => Effect.Effect<number, ReadFailure>
  readonly read: (uri: string) => Effect.Effect<Uint8Array, ReadFailure>
  readonly readRanges: (
    uri: string,
    ranges: ReadonlyArray<ByteRange>,
  ) => Effect.Effect<ReadonlyArray<Uint8Array>, ReadFailure>
  readonly readTail: (uri: string, length: number) => Effect.Effect<Tail, ReadFailure>
}

/** Creates the reading functions. */
export const makeReads = (send: Send): HttpReads => {
  /** Hosts that responded to a range request with the whole file. */
  const rangeless = new Set<string>()
  const versions = makeFileVersions()

  const fail = (op: StorageOp, uri: string, reason: StorageError["reason"], message: string) =>
    Effect.fail(new StorageError({ op, uri, reason, cause: new Error(message) }))
  const noRanges = (op: StorageOp, uri: string) =>
    fail(
      op,
      uri,
      "Unsupported",
      "this server does not serve ranges: it sent the whole file, which is too large",
    )
  const changed = (op: StorageOp, uri: string) => Effect.fail(fileChanged(op, uri))
  const otherStatus = (
    { op, uri }: HttpRequest,
    answer: HttpAnswer,
    check: VersionCheck,
  ): Effect.Effect<never, ReadFailure> => {
    // the precondition failed, or the file was removed; if it is replaced, the new file is another version
    if (answer.status === 412 || isMissing(answer.status)) check.reject()
    const failure = answer.status === 412
      ? changed(op, uri)
      : Effect.fail(statusFailure(op, uri, answer.status, answer.header("retry-after")))
    return Effect.zipRight(answer.discard, failure)
  }

  /** Fails if a response belongs to another version of the file than the previous ones. */
  const accept = (
    { op, uri }: HttpRequest,
    answer: HttpAnswer,
    check: VersionCheck,
    version: FileVersion,
  ): Effect.Effect<void, StorageError> =>
    check.accept(version) ? Effect.void : Effect.zipRight(answer.discard, changed(op, uri))

  /**
   * Runs a call with a version check of the file. With `anew`, only the call's own responses must agree with each
   * other, whatever earlier calls read.
   */
  const checking = <A>(
    op: StorageOp,
    uri: string,
    anew: boolean,
    call: (check: VersionCheck) => Effect.Effect<A, ReadFailure>,
  ): Effect.Effect<A, ReadFailure> =>
    Effect.contextWithEffect((context: Context.Context<never>) => {
      let url: string
      try {
        url = fileUrl(httpPlace(op, uri))
      } catch (error) {
        return Effect.fail(error as StorageError)
      }
      const calls = Option.getOrUndefined(Context.getOption(context, RangeCall))
      const changes = Option.getOrUndefined(Context.getOption(context, FileChanges))
      const check = calls?.get(versions) as VersionCheck | undefined ??
        versions.check(url, { anew, session: sessionIn(context), replaced: changes?.changed })
      calls?.set(versions, check)
      // another call may have found a new version while the bytes were being received
      return Effect.flatMap(call(check), (result) => check.holds() ? Effect.succeed(result) : changed(op, uri))
    })

  const get = (
    op: StorageOp,
    uri: string,
    range?: string,
    check?: VersionCheck,
  ): Effect.Effect<HttpRequest, StorageError> =>
    Effect.try({
      try: () => ({
        op,
        uri,
        method: "GET" as const,
        url: fileUrl(httpPlace(op, uri)),
        headers: range === undefined ? undefined : { range },
        preconditions: check?.preconditions(),
      }),
      catch: (error) => error as StorageError,
    })

  /** Reads exactly `length` bytes of the body; fails if there are fewer. */
  const exactly = (request: HttpRequest, answer: HttpAnswer, length: number): Effect.Effect<Uint8Array, StorageError> =>
    Effect.flatMap(
      answer.body(length),
      (bytes) =>
        bytes.length === length
          ? Effect.succeed(bytes)
          : fail(request.op, request.uri, "Truncated", `the body ended after ${bytes.length} of ${length} bytes`),
    )

  /** Reads the whole file from the body of a response; fails if it has more than `max` bytes. */
  const whole = (
    request: HttpRequest,
    answer: HttpAnswer,
    max: number,
    tooLarge: Effect.Effect<never, StorageError>,
  ): Effect.Effect<Uint8Array, StorageError> => {
    const { length } = answer
    if (length !== undefined) {
      return length <= max ? exactly(request, answer, length) : Effect.zipRight(answer.discard, tooLarge)
    }
    return Effect.flatMap(answer.body(max + 1), (bytes) => bytes.length > max ? tooLarge : Effect.succeed(bytes))
  }

  /**
   * Reads a range from a body that starts at the beginning of the file; does not wait for the bytes after the range.
   */
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
    const requested = offset === 0 && answer.length === end
    if (end > SMALL && !requested) return Effect.zipRight(answer.discard, noRanges(op, uri))
    return Effect.map(exactly(request, answer, end), (bytes) => offset === 0 ? bytes : bytes.slice(offset))
  }

  const pastEnd = (op: StorageOp, uri: string, range: ByteRange, size: number) =>
    Effect.fail(truncated(op, uri, range, size))

  const readPart = (
    op: StorageOp,
    uri: string,
    range: ByteRange,
    check: VersionCheck,
  ): Effect.Effect<Part, ReadFailure> =>
    Effect.gen(function* () {
      const { offset, length } = range
      const end = offset + length
      const request = yield* get(op, uri, `bytes=${offset}-${end - 1}`, check)
      const answer = yield* send(request)
      if (answer.status === 200) {
        rangeless.add(hostOf(request.url))
        yield* accept(request, answer, check, versionOf(answer, answer.length))
        return { bytes: yield* beginning(request, answer, range), total: answer.length }
      }
      if (answer.status === 416) {
        yield* answer.discard
        const size = sizeBeyond(answer.header("content-range"))
        yield* accept(request, answer, check, { size })
        if (size === undefined || size < end) return yield* pastEnd(op, uri, range, size ?? offset)
        return yield* otherStatus(request, answer, check)
      }
      if (answer.status !== 206) return yield* otherStatus(request, answer, check)
      const have = contentRange(answer.header("content-range"))
      yield* accept(request, answer, check, versionOf(answer, have?.total))
      // browsers hide the header unless the server exposes it; then only the length of the body is checked
      if (have !== undefined && (have.start !== offset || have.end !== end)) {
        yield* answer.discard
        if (have.start === offset && have.end < end && have.end === have.total) {
          return yield* pastEnd(op, uri, range, have.total)
        }
        const requested = `bytes ${offset} to ${end - 1}`
        return yield* fail(
          op,
          uri,
          "Unknown",
          `requested ${requested}, the server sent ${have.start} to ${have.end - 1}`,
        )
      }
      return { bytes: yield* allOf(request, answer, length), total: have?.total }
    })

  /** Reads the body of a partial response; fails unless it has exactly `length` bytes. */
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

  /**
   * Returns size, Last-Modified and ETag from the response to a request for the first byte, for servers that do not
   * support HEAD or do not report the size there.
   */
  const headByRange = (op: StorageOp, uri: string, check: VersionCheck): Effect.Effect<FileInfo, ReadFailure> =>
    Effect.gen(function* () {
      const request = yield* get(op, uri, "bytes=0-0", check)
      const answer = yield* send(request)
      const have = contentRange(answer.header("content-range"))
      if (answer.status === 200 || answer.status === 206) {
        const total = answer.status === 200 ? answer.length : have?.total
        yield* accept(request, answer, check, versionOf(answer, total))
      }
      if (answer.status === 200 && answer.length === undefined) {
        return fileInfo(answer, (yield* whole(request, answer, SMALL, noRanges(op, uri))).length)
      }
      yield* answer.discard
      const total = answer.status === 200
        ? answer.length
        : answer.status === 206
        ? have?.total
        : answer.status === 416
        ? sizeBeyond(answer.header("content-range")) ?? 0
        : yield* otherStatus(request, answer, check)
      if (answer.status === 416) yield* accept(request, answer, check, { size: total })
      const size = total ?? (yield* fail(op, uri, "Unsupported", "this server does not report file sizes"))
      // the headers of a 416 response describe the error, not the file
      return answer.status === 416 ? { size } : fileInfo(answer, size)
    })

  const headOf = (op: StorageOp, uri: string, check: VersionCheck): Effect.Effect<FileInfo, ReadFailure> =>
    Effect.gen(function* () {
      const request = { ...yield* get(op, uri), method: "HEAD" as const }
      const answer = yield* send(request)
      yield* answer.discard
      if (answer.status === 200) yield* accept(request, answer, check, versionOf(answer, answer.length))
      if (answer.status === 200 && answer.length !== undefined) return fileInfo(answer, answer.length)
      if (isMissing(answer.status)) return yield* otherStatus(request, answer, check)
      return yield* answer.status === 429 || (answer.status >= 500 && answer.status !== 501)
        ? otherStatus(request, answer, check)
        : headByRange(op, uri, check)
    })

  const sizeOf = (op: StorageOp, uri: string, check: VersionCheck): Effect.Effect<number, ReadFailure> =>
    Effect.map(headOf(op, uri, check), ({ size }) => size)

  const head = (uri: string): Effect.Effect<FileInfo, ReadFailure> =>
    checking("head", uri, true, (check) => headOf("head", uri, check))

  const size = (op: StorageOp, uri: string): Effect.Effect<number, ReadFailure> =>
    checking(op, uri, false, (check) => sizeOf(op, uri, check))

  const tailFrom = (
    uri: string,
    length: number,
    total: number,
    check: VersionCheck,
  ): Effect.Effect<Tail, ReadFailure> => {
    const op = "readTail"
    const range = tailRange(op, uri, length, total)
    return range.length === 0
      ? Effect.succeed({ bytes: new Uint8Array(), size: total })
      : Effect.map(readPart(op, uri, range, check), ({ bytes }) => ({ bytes, size: total }))
  }

  const tailOf = (uri: string, length: number, check: VersionCheck): Effect.Effect<Tail, ReadFailure> =>
    Effect.gen(function* () {
      const op = "readTail"
      yield* checked(op, uri, [{ offset: 0, length }])
      if (length === 0) return { bytes: new Uint8Array(), size: yield* sizeOf(op, uri, check) }
      const request = yield* get(op, uri, `bytes=-${length}`)
      const answer = yield* send(request)
      const have = contentRange(answer.header("content-range"))
      switch (answer.status) {
        case 206: {
          // undefined if the browser hides the header, or the server does not report the size
          yield* accept(request, answer, check, versionOf(answer, have?.total))
          const total = have?.total ?? (yield* Effect.onError(sizeOf(op, uri, check), () => answer.discard))
          const start = Math.max(total - length, 0)
          if (have !== undefined && (have.start !== start || have.end !== total)) {
            yield* answer.discard
            const sent = `${have.start} to ${have.end - 1} of ${total}`
            return yield* fail(op, uri, "Unknown", `requested the last ${length} bytes, the server sent ${sent}`)
          }
          return { bytes: yield* allOf(request, answer, total - start), size: total }
        }
        case 200: {
          // a server may respond with the whole file if it is no longer than the requested tail
          yield* accept(request, answer, check, versionOf(answer, answer.length))
          if (answer.length === undefined || answer.length <= Math.max(SMALL, length)) {
            const bytes = yield* whole(request, answer, Math.max(SMALL, length), noRanges(op, uri))
            return { bytes: bytes.length > length ? bytes.slice(bytes.length - length) : bytes, size: bytes.length }
          }
          yield* answer.discard
          return yield* tailFrom(uri, length, answer.length, check)
        }
        // the server does not support suffix ranges, or the file is empty
        case 400:
        case 416:
        case 501: {
          yield* answer.discard
          const beyond = sizeBeyond(answer.header("content-range"))
          if (beyond !== undefined) yield* accept(request, answer, check, { size: beyond })
          return yield* tailFrom(uri, length, beyond ?? (yield* sizeOf(op, uri, check)), check)
        }
        default:
          return yield* otherStatus(request, answer, check)
      }
    })

  const readTail = (uri: string, length: number): Effect.Effect<Tail, ReadFailure> =>
    checking("readTail", uri, true, (check) => tailOf(uri, length, check))

  const checked = (op: StorageOp, uri: string, ranges: ReadonlyArray<ByteRange>, max?: number) =>
    Effect.try({ try: () => checkRanges(op, uri, ranges, max), catch: (error) => error as StorageError })

  const rangesOf = (uri: string, ranges: ReadonlyArray<ByteRange>, check: VersionCheck) =>
    Effect.gen(function* () {
      const op = "readRanges"
      yield* checked(op, uri, ranges)
      const requested = ranges.filter(({ length }) => length > 0)
      const end = requested.reduce((max, { offset, length }) => Math.max(max, offset + length), 0)
      if (requested.length > 1 && end <= SMALL && rangeless.has(hostOf(fileUrl(httpPlace(op, uri))))) {
        const { bytes } = yield* readPart(op, uri, { offset: 0, length: end }, check)
        if (requested.length < ranges.length) yield* checked(op, uri, ranges, yield* sizeOf(op, uri, check))
        return ranges.map(({ offset, length }) => bytes.slice(offset, offset + length))
      }
      const parts = yield* Effect.forEach(requested, (range) => readPart(op, uri, range, check), {
        concurrency: CONCURRENCY,
      })
      if (requested.length < ranges.length || ranges.length === 0) {
        const total = parts.find((part) => part.total !== undefined)?.total
        yield* checked(op, uri, ranges, total ?? (yield* sizeOf(op, uri, check)))
      }
      let next = 0
      return ranges.map(({ length }) => length > 0 ? parts[next++].bytes : new Uint8Array())
    })

  const readRanges = (uri: string, ranges: ReadonlyArray<ByteRange>) =>
    checking("readRanges", uri, false, (check) => rangesOf(uri, ranges, check))

  const wholeOf = (uri: string, check: VersionCheck) =>
    Effect.gen(function* () {
      const request = yield* get("read", uri)
      const answer = yield* send(request)
      if (answer.status !== 200) return yield* otherStatus(request, answer, check)
      yield* accept(request, answer, check, versionOf(answer, answer.length))
      const tooLarge = fail("read", uri, "Unknown", `the file has more than ${LARGEST} bytes; read ranges of it`)
      return yield* whole(request, answer, LARGEST, tooLarge)
    })

  const read = (uri: string) => checking("read", uri, true, (check) => wholeOf(uri, check))

  return { head, size, read, readRanges, readTail }
}

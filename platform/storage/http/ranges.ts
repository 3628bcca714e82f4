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
import type { HttpRequest, HttpResponse, Send } from "./request.ts"
import { fileUrl, hostOf, httpPlace } from "./url.ts"
import { fileInfo, type FileVersion, makeFileVersions, type VersionCheck, versionOf } from "./versions.ts"
import { sessionIn } from "../read_session.ts"
import type { ByteRange, FileInfo, Tail } from "../service.ts"

/** Errors of reads. */
export type ReadFailure = NotFound | StorageError

/** Maximum number of bytes to read from the start of a file on servers that do not support ranges. */
const MAX_PREFIX_SIZE = 16 << 20

/** Maximum size of a file that is read whole; TileDB writes no larger ones, and a body may be endless. */
const MAX_FILE_SIZE = 1 << 30

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

/**
 * Creates the reading functions. `urlOf` returns the URL of a file, which identifies its version, too; it throws
 * {@link StorageError}.
 */
export const makeReads = (
  send: Send,
  urlOf: (op: StorageOp, uri: string) => string = (op, uri) => fileUrl(httpPlace(op, uri)),
): HttpReads => {
  /** Hosts that responded to a range request with the whole file. */
  const hostsWithoutRanges = new Set<string>()
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
    response: HttpResponse,
    check: VersionCheck,
  ): Effect.Effect<never, ReadFailure> => {
    // the precondition failed, or the file was removed; if it is replaced, the new file is another version
    if (response.status === 412 || isMissing(response.status)) check.reject()
    const failure = response.status === 412
      ? changed(op, uri)
      : Effect.fail(statusFailure(op, uri, response.status, response.header("retry-after")))
    return Effect.zipRight(response.discard, failure)
  }

  /** Fails if a response belongs to another version of the file than the previous ones. */
  const accept = (
    { op, uri }: HttpRequest,
    response: HttpResponse,
    check: VersionCheck,
    version: FileVersion,
  ): Effect.Effect<void, StorageError> =>
    check.accept(version) ? Effect.void : Effect.zipRight(response.discard, changed(op, uri))

  /**
   * Runs a call with a version check of the file. With `anew`, only the call's own responses must agree with each
   * other, whatever earlier calls read.
   */
  const withVersionCheck = <A>(
    op: StorageOp,
    uri: string,
    anew: boolean,
    call: (check: VersionCheck) => Effect.Effect<A, ReadFailure>,
  ): Effect.Effect<A, ReadFailure> =>
    Effect.contextWithEffect((context: Context.Context<never>) => {
      let url: string
      try {
        url = urlOf(op, uri)
      } catch (error) {
        return Effect.fail(error as StorageError)
      }
      const calls = Option.getOrUndefined(Context.getOption(context, RangeCall))
      const changes = Option.getOrUndefined(Context.getOption(context, FileChanges))
      const check = calls?.get(versions) as VersionCheck | undefined ??
        versions.check(url, { anew, session: sessionIn(context), replaced: changes?.changed })
      calls?.set(versions, check)
      // another call may have found a new version while the bytes were being received
      return Effect.flatMap(call(check), (result) => check.isCurrent() ? Effect.succeed(result) : changed(op, uri))
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
        url: urlOf(op, uri),
        headers: range === undefined ? undefined : { range },
        preconditions: check?.preconditions(),
      }),
      catch: (error) => error as StorageError,
    })

  /** Reads exactly `length` bytes of the body; fails if there are fewer. */
  const readExactly = (
    request: HttpRequest,
    response: HttpResponse,
    length: number,
  ): Effect.Effect<Uint8Array, StorageError> =>
    Effect.flatMap(
      response.body(length),
      (bytes) =>
        bytes.length === length
          ? Effect.succeed(bytes)
          : fail(request.op, request.uri, "Truncated", `the body ended after ${bytes.length} of ${length} bytes`),
    )

  /** Reads the whole file from the body of a response; fails if it has more than `max` bytes. */
  const readWhole = (
    request: HttpRequest,
    response: HttpResponse,
    max: number,
    tooLarge: Effect.Effect<never, StorageError>,
  ): Effect.Effect<Uint8Array, StorageError> => {
    const { length } = response
    if (length !== undefined) {
      return length <= max ? readExactly(request, response, length) : Effect.zipRight(response.discard, tooLarge)
    }
    return Effect.flatMap(response.body(max + 1), (bytes) => bytes.length > max ? tooLarge : Effect.succeed(bytes))
  }

  /**
   * Reads a range from a body that starts at the beginning of the file; does not wait for the bytes after the range.
   */
  const readPrefix = (
    request: HttpRequest,
    response: HttpResponse,
    { offset, length }: ByteRange,
  ): Effect.Effect<Uint8Array, StorageError> => {
    const { op, uri } = request
    const end = offset + length
    if (response.length !== undefined && response.length < end) {
      return Effect.zipRight(response.discard, pastEnd(op, uri, { offset, length }, response.length))
    }
    const requested = offset === 0 && response.length === end
    if (end > MAX_PREFIX_SIZE && !requested) return Effect.zipRight(response.discard, noRanges(op, uri))
    return Effect.map(readExactly(request, response, end), (bytes) => offset === 0 ? bytes : bytes.slice(offset))
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
      const response = yield* send(request)
      if (response.status === 200) {
        hostsWithoutRanges.add(hostOf(request.url))
        yield* accept(request, response, check, versionOf(response, response.length))
        return { bytes: yield* readPrefix(request, response, range), total: response.length }
      }
      if (response.status === 416) {
        yield* response.discard
        const size = sizeBeyond(response.header("content-range"))
        yield* accept(request, response, check, { size })
        if (size === undefined || size < end) return yield* pastEnd(op, uri, range, size ?? offset)
        return yield* otherStatus(request, response, check)
      }
      if (response.status !== 206) return yield* otherStatus(request, response, check)
      const have = contentRange(response.header("content-range"))
      yield* accept(request, response, check, versionOf(response, have?.total))
      // browsers hide the header unless the server exposes it; then only the length of the body is checked
      if (have !== undefined && (have.start !== offset || have.end !== end)) {
        yield* response.discard
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
      return { bytes: yield* readPartial(request, response, length), total: have?.total }
    })

  /** Reads the body of a partial response; fails unless it has exactly `length` bytes. */
  const readPartial = (
    request: HttpRequest,
    response: HttpResponse,
    length: number,
  ): Effect.Effect<Uint8Array, StorageError> => {
    const { op, uri } = request
    const other = (bytes: string) => fail(op, uri, "Truncated", `the body has ${bytes} bytes, expected ${length}`)
    if (response.length !== undefined && response.length !== length) {
      return Effect.zipRight(response.discard, other(String(response.length)))
    }
    return Effect.flatMap(
      response.body(response.length ?? length + 1),
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
      const response = yield* send(request)
      const have = contentRange(response.header("content-range"))
      if (response.status === 200 || response.status === 206) {
        const total = response.status === 200 ? response.length : have?.total
        yield* accept(request, response, check, versionOf(response, total))
      }
      if (response.status === 200 && response.length === undefined) {
        return fileInfo(response, (yield* readWhole(request, response, MAX_PREFIX_SIZE, noRanges(op, uri))).length)
      }
      yield* response.discard
      const total = response.status === 200
        ? response.length
        : response.status === 206
        ? have?.total
        : response.status === 416
        ? sizeBeyond(response.header("content-range")) ?? 0
        : yield* otherStatus(request, response, check)
      if (response.status === 416) yield* accept(request, response, check, { size: total })
      const size = total ?? (yield* fail(op, uri, "Unsupported", "this server does not report file sizes"))
      // the headers of a 416 response describe the error, not the file
      return response.status === 416 ? { size } : fileInfo(response, size)
    })

  const headOf = (op: StorageOp, uri: string, check: VersionCheck): Effect.Effect<FileInfo, ReadFailure> =>
    Effect.gen(function* () {
      const request = { ...yield* get(op, uri), method: "HEAD" as const }
      const response = yield* send(request)
      yield* response.discard
      if (response.status === 200) yield* accept(request, response, check, versionOf(response, response.length))
      if (response.status === 200 && response.length !== undefined) return fileInfo(response, response.length)
      if (isMissing(response.status)) return yield* otherStatus(request, response, check)
      return yield* response.status === 429 || (response.status >= 500 && response.status !== 501)
        ? otherStatus(request, response, check)
        : headByRange(op, uri, check)
    })

  const sizeOf = (op: StorageOp, uri: string, check: VersionCheck): Effect.Effect<number, ReadFailure> =>
    Effect.map(headOf(op, uri, check), ({ size }) => size)

  const head = (uri: string): Effect.Effect<FileInfo, ReadFailure> =>
    withVersionCheck("head", uri, true, (check) => headOf("head", uri, check))

  const size = (op: StorageOp, uri: string): Effect.Effect<number, ReadFailure> =>
    withVersionCheck(op, uri, false, (check) => sizeOf(op, uri, check))

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
      const response = yield* send(request)
      const have = contentRange(response.header("content-range"))
      switch (response.status) {
        case 206: {
          // undefined if the browser hides the header, or the server does not report the size
          yield* accept(request, response, check, versionOf(response, have?.total))
          const total = have?.total ?? (yield* Effect.onError(sizeOf(op, uri, check), () => response.discard))
          const start = Math.max(total - length, 0)
          if (have !== undefined && (have.start !== start || have.end !== total)) {
            yield* response.discard
            const sent = `${have.start} to ${have.end - 1} of ${total}`
            return yield* fail(op, uri, "Unknown", `requested the last ${length} bytes, the server sent ${sent}`)
          }
          return { bytes: yield* readPartial(request, response, total - start), size: total }
        }
        case 200: {
          // a server may respond with the whole file if it is no longer than the requested tail
          yield* accept(request, response, check, versionOf(response, response.length))
          if (response.length === undefined || response.length <= Math.max(MAX_PREFIX_SIZE, length)) {
            const bytes = yield* readWhole(request, response, Math.max(MAX_PREFIX_SIZE, length), noRanges(op, uri))
            return { bytes: bytes.length > length ? bytes.slice(bytes.length - length) : bytes, size: bytes.length }
          }
          yield* response.discard
          return yield* tailFrom(uri, length, response.length, check)
        }
        // the server does not support suffix ranges, or the file is empty
        case 400:
        case 416:
        case 501: {
          yield* response.discard
          const beyond = sizeBeyond(response.header("content-range"))
          if (beyond !== undefined) yield* accept(request, response, check, { size: beyond })
          return yield* tailFrom(uri, length, beyond ?? (yield* sizeOf(op, uri, check)), check)
        }
        default:
          return yield* otherStatus(request, response, check)
      }
    })

  const readTail = (uri: string, length: number): Effect.Effect<Tail, ReadFailure> =>
    withVersionCheck("readTail", uri, true, (check) => tailOf(uri, length, check))

  const checked = (op: StorageOp, uri: string, ranges: ReadonlyArray<ByteRange>, max?: number) =>
    Effect.try({ try: () => checkRanges(op, uri, ranges, max), catch: (error) => error as StorageError })

  const rangesOf = (uri: string, ranges: ReadonlyArray<ByteRange>, check: VersionCheck) =>
    Effect.gen(function* () {
      const op = "readRanges"
      yield* checked(op, uri, ranges)
      const requested = ranges.filter(({ length }) => length > 0)
      const end = requested.reduce((max, { offset, length }) => Math.max(max, offset + length), 0)
      if (
        requested.length > 1 && end <= MAX_PREFIX_SIZE && hostsWithoutRanges.has(hostOf(urlOf(op, uri)))
      ) {
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
    withVersionCheck("readRanges", uri, false, (check) => rangesOf(uri, ranges, check))

  const wholeOf = (uri: string, check: VersionCheck) =>
    Effect.gen(function* () {
      const request = yield* get("read", uri)
      const response = yield* send(request)
      if (response.status !== 200) return yield* otherStatus(request, response, check)
      yield* accept(request, response, check, versionOf(response, response.length))
      const tooLarge = fail("read", uri, "Unknown", `the file has more than ${MAX_FILE_SIZE} bytes; read ranges of it`)
      return yield* readWhole(request, response, MAX_FILE_SIZE, tooLarge)
    })

  const read = (uri: string) => withVersionCheck("read", uri, true, (check) => wholeOf(uri, check))

  return { head, size, read, readRanges, readTail }
}

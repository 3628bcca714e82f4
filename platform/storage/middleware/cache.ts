/**
 * A storage middleware that caches bytes, within a memory budget.
 *
 * @module
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { checkOptionNames, checkType, numberOption } from "../../options.ts"
import { checkRanges } from "../byte_ranges.ts"
import { fileChanged, FileChanges } from "../file_changes.ts"
import type { NotFound, StorageError, StorageOp } from "../../errors.ts"
import { addToMetrics, tags } from "../../observability/counts.ts"
import { makeRangeCache } from "./range_cache.ts"
import { type ReadSession, sessionIn } from "../read_session.ts"
import { makeSingleFlight } from "./single_flight.ts"
import { mapStorage } from "../map_storage.ts"
import type { ByteRange, Entry, Storage } from "../service.ts"
import { schemeOf, withoutTrailingSlash } from "../uri.ts"

/** Options of the cache. */
export interface CacheOptions {
  /** Size of the cache in bytes; the least recently used data is dropped first. Default: 64 MiB. */
  readonly bytes?: number
  /** Whether the file at a URI never changes. Default: {@link isImmutable}. */
  readonly immutable?: (uri: string) => boolean
  /**
   * Whether to cache listings too. An array then keeps the state of its first opening until something is written
   * through this storage. Default: false.
   */
  readonly listings?: boolean
}

/**
 * Whether TileDB writes the file at this URI only once: the name, or the name of a parent folder, contains a time and a
 * random number.
 *
 * ```ts
 * import { isImmutable } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(isImmutable("array/__schema/__1709539200000_1709539200000_0123456789abcdef0123456789abcdef"), true)
 * assertEquals(isImmutable("array/notes.txt"), false)
 * ```
 */
export const isImmutable = (uri: string): boolean =>
  /\/__(?:\d+_\d+_[0-9a-f]{32}|[0-9a-f]{32}_\d+)(?:[_./?]|$)/.test(uri)

/** Counts cache hits and misses. */
const countReads = (uri: string, cacheHits: number, cacheMisses: number): Effect.Effect<void> =>
  addToMetrics({ cacheHits, cacheMisses }, tags({ scheme: schemeOf(uri) }))

/**
 * Maximum number of changed files to remember. After that, a session that read a dropped one may fail once
 * unnecessarily.
 */
const MAX_CHANGES = 8192

/**
 * Caches the bytes and sizes of immutable files. Concurrent reads of the same range share one read; a range inside
 * cached data is not read again. Failures are not cached. Throws `InvalidOption`.
 *
 * ```ts
 * import { makeMemoryStorage, makeCounters, withCache, withCounters } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const trace = makeCounters()
 * const storage = withCache(withCounters(makeMemoryStorage(), trace), { bytes: 16 * 1024 * 1024, immutable: () => true })
 * Effect.runSync(storage.write("mem://a", Uint8Array.of(1, 2, 3)))
 * for (let i = 0; i < 5; i++) Effect.runSync(storage.read("mem://a"))
 * assertEquals(trace.calls.read, 1)
 * ```
 */
export const withCache = (storage: Storage, options: CacheOptions = {}): Storage => {
  checkOptionNames(options, ["bytes", "immutable", "listings"] satisfies Array<keyof CacheOptions>)
  checkType("immutable", options.immutable, "function")
  checkType("listings", options.listings, "boolean")
  const immutable = options.immutable ?? isImmutable
  const cache = makeRangeCache(numberOption("bytes", options.bytes, 64 << 20))
  const listings = new Map<string, ReadonlyArray<Entry>>()
  type Failure = NotFound | StorageError
  const sizes = makeSingleFlight<number, Failure>()
  const wholes = makeSingleFlight<Uint8Array, Failure>()
  const spans = makeSingleFlight<ReadonlyArray<Uint8Array>, Failure>()
  const tails = makeSingleFlight<{ readonly bytes: Uint8Array; readonly size: number }, Failure>()
  const lists = makeSingleFlight<ReadonlyArray<Entry>, StorageError>()

  const forget = (uri: string): void => {
    cache.forget(withoutTrailingSlash(uri))
    listings.clear()
  }
  /** Drops cached data before and after a write: a read in flight may still return the old content. */
  const writing = <A, E>(uri: string, write: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.ensuring(Effect.suspend(() => (forget(uri), write)), Effect.sync(() => forget(uri)))

  /**
   * The number of the last change of each changed file; `sessions` contains that number as of the session's first read.
   */
  const changes = new Map<string, number>()
  let lastChange = 0
  const sessions = new WeakMap<ReadSession, Map<string, number>>()

  /** Records a change and drops cached data: cached and new bytes of a changed file must not be combined. */
  const change = (uri: string): number => {
    cache.forgetFile(uri)
    changes.delete(uri)
    changes.set(uri, ++lastChange)
    if (changes.size > MAX_CHANGES) changes.delete(changes.keys().next().value!)
    return lastChange
  }
  /** Handles changes that the storage below reports; calls `own` if the reporting call reads only the new version. */
  const invalidateChanged = <A>(
    uri: string,
    reading: Effect.Effect<A, Failure>,
    own: (change: number) => void,
  ): Effect.Effect<A, Failure> =>
    Effect.tapError(
      Effect.provideService(reading, FileChanges, { changed: () => own(change(uri)) }),
      (error) =>
        Effect.sync(() => {
          if (error._tag === "StorageError" && error.reason === "Conflict") change(uri)
        }),
    )

  /**
   * Fails if a session would read bytes of another version than before. The storage below cannot check this, since it
   * does not see cached reads.
   */
  const agreeing = <A>(
    op: StorageOp,
    uri: string,
    read: (own: (change: number) => void) => Effect.Effect<A, Failure>,
  ): Effect.Effect<A, Failure> =>
    Effect.contextWithEffect((context: Context.Context<never>) => {
      const session = sessionIn(context)
      if (session === undefined) return read(() => {})
      const seen = sessions.get(session) ?? new Map<string, number>()
      sessions.set(session, seen)
      const last = (): number => changes.get(uri) ?? 0
      let expected = seen.get(uri) ?? last()
      const conflict = Effect.suspend(() => {
        session.changed = true
        return Effect.fail(fileChanged(op, uri))
      })
      if (last() !== expected) return conflict
      const own = (change: number): void => {
        if (!seen.has(uri)) expected = change
      }
      return Effect.flatMap(read(own), (result) => {
        if (last() !== expected) return conflict
        seen.set(uri, expected)
        return Effect.succeed(result)
      })
    })

  const store = (uri: string, offset: number, bytes: Uint8Array, size?: number): void => {
    if (size !== undefined) cache.putSize(uri, size)
    cache.put(uri, offset, bytes)
  }

  const size = (uri: string): Effect.Effect<number, Failure> =>
    agreeing("size", uri, (own) => {
      const existing = cache.size(uri)
      if (existing !== undefined) return Effect.as(countReads(uri, 1, 0), existing)
      const reading = Effect.tap(storage.size(uri), (size) => Effect.sync(() => cache.putSize(uri, size)))
      return Effect.zipRight(countReads(uri, 0, 1), sizes(uri, invalidateChanged(uri, reading, own)))
    })

  const read = (uri: string): Effect.Effect<Uint8Array, Failure> =>
    agreeing("read", uri, (own) => {
      const size = cache.size(uri)
      const existing = size === undefined ? undefined : cache.find(uri, 0, size)
      if (existing !== undefined) return Effect.as(countReads(uri, 1, 0), existing)
      const reading = Effect.tap(storage.read(uri), (bytes) => Effect.sync(() => store(uri, 0, bytes, bytes.length)))
      return Effect.zipRight(
        countReads(uri, 0, 1),
        Effect.map(wholes(uri, invalidateChanged(uri, reading, own)), (bytes) => bytes.slice()),
      )
    })

  const readRanges = (
    uri: string,
    ranges: ReadonlyArray<ByteRange>,
  ): Effect.Effect<ReadonlyArray<Uint8Array>, Failure> =>
    agreeing("readRanges", uri, (own) => {
      if (ranges.length === 0) return storage.readRanges(uri, ranges)
      try {
        checkRanges("readRanges", uri, ranges)
      } catch (error) {
        return Effect.fail(error as StorageError)
      }
      const match = ranges.map(({ offset, length }) => length > 0 ? cache.find(uri, offset, length) : undefined)
      const missing = ranges.filter((_, i) => match[i] === undefined)
      const counted = countReads(uri, ranges.length - missing.length, missing.length)
      if (missing.length === 0) return Effect.as(counted, match as ReadonlyArray<Uint8Array>)
      const before = missing.length < ranges.length ? cache.identity(uri) : undefined
      const key = `${missing.map(({ offset, length }) => `${offset}+${length}`).join()} ${uri}`
      const reading = Effect.tap(storage.readRanges(uri, missing), (parts) =>
        Effect.sync(() =>
          parts.forEach((bytes, i) => bytes.length > 0 && store(uri, missing[i].offset, bytes))
        ))
      return Effect.flatMap(Effect.zipRight(counted, spans(key, invalidateChanged(uri, reading, own))), (parts) => {
        // dropped from the cache meanwhile: the result may belong to another version
        if (before !== undefined && cache.identity(uri) !== before) return storage.readRanges(uri, ranges)
        let next = 0
        return Effect.succeed(match.map((bytes) => bytes ?? parts[next++].slice()))
      })
    })

  const readTail = (uri: string, length: number): ReturnType<Storage["readTail"]> =>
    agreeing("readTail", uri, (own) => {
      const size = cache.size(uri)
      if (size !== undefined && Number.isSafeInteger(length) && length > 0) {
        const bytes = cache.find(uri, Math.max(size - length, 0), Math.min(length, size))
        if (bytes !== undefined) return Effect.as(countReads(uri, 1, 0), { bytes, size })
      }
      const reading = Effect.tap(
        storage.readTail(uri, length),
        ({ bytes, size }) => Effect.sync(() => store(uri, size - bytes.length, bytes, size)),
      )
      return Effect.map(
        Effect.zipRight(countReads(uri, 0, 1), tails(`${length} ${uri}`, invalidateChanged(uri, reading, own))),
        ({ bytes, size }) => ({ bytes: bytes.slice(), size }),
      )
    })

  const list = (uri: string): Effect.Effect<ReadonlyArray<Entry>, StorageError> =>
    Effect.suspend(() => {
      const existing = listings.get(uri)
      if (existing !== undefined) return Effect.succeed(existing)
      return lists(uri, Effect.tap(storage.list(uri), (entries) => Effect.sync(() => listings.set(uri, entries))))
    })

  const { createAs, moveFolder } = storage
  return {
    ...mapStorage(storage, {}),
    list: (uri) => options.listings === true ? list(uri) : storage.list(uri),
    size: (uri) => immutable(uri) ? size(uri) : storage.size(uri),
    read: (uri) => immutable(uri) ? read(uri) : storage.read(uri),
    readRanges: (uri, ranges) => immutable(uri) ? readRanges(uri, ranges) : storage.readRanges(uri, ranges),
    readTail: (uri, length) => immutable(uri) ? readTail(uri, length) : storage.readTail(uri, length),
    write: (uri, bytes) => writing(uri, storage.write(uri, bytes)),
    openWrite: (uri) =>
      Effect.map(storage.openWrite(uri), (file) => ({ write: file.write, finish: writing(uri, file.finish) })),
    create: (uri, bytes) => writing(uri, storage.create(uri, bytes)),
    createAs: createAs && ((uri, bytes, id) => writing(uri, createAs(uri, bytes, id))),
    moveFolder: moveFolder && ((from, to) => writing(from, writing(to, moveFolder(from, to)))),
    createFolder: (uri) => writing(uri, storage.createFolder(uri)),
    copy: (from, to) => writing(to, storage.copy(from, to)),
    remove: (uri) => writing(uri, storage.remove(uri)),
    removeAll: (uris) => {
      const forgetAll = Effect.sync(() => uris.forEach(forget))
      return Effect.ensuring(Effect.zipRight(forgetAll, storage.removeAll(uris)), forgetAll)
    },
  }
}

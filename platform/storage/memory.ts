/**
 * Storage in memory: for tests, for temporary arrays, and for data from other sources.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkRanges, tailRange } from "./byte_ranges.ts"
import { AlreadyExists, NotFound, StorageError } from "../errors.ts"
import { storageFailure } from "./errno.ts"
import { makeFileWriter } from "./file_writer.ts"
import { compareBytewise } from "./utf8_order.ts"
import { withMetrics } from "./measured.ts"
import { withDefaults } from "./defaults.ts"
import { type Entry, type FileEntry, type FileInfo, Storage } from "./service.ts"
import { withoutTrailingSlash } from "./uri.ts"

/** Returns the key of a URI: the part after `mem://`, without leading and trailing slashes. */
const keyOf = (uri: string): string => {
  const path = withoutTrailingSlash(uri.replace(/^mem:\/\//i, ""))
  return path.replace(/^\/+/, "")
}

/** Maximum number of entries per page of a listing, as in object stores. */
const PAGE = 1000

const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** The version of a file: its number among all versions of the storage, and the time of the write. */
interface Version {
  readonly number: number
  readonly lastModified?: number
}

/**
 * Creates a storage over `files`, a map from names (without `mem://` and surrounding slashes) to contents. Writes
 * replace entries of the map, and never modify the contents. Entries have an etag, which is the number of a version
 * counter for all files, and the time of the write by Effect's `Clock`; contents that the program put into the map
 * itself have no time.
 *
 * ```ts
 * import { makeMemoryStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = makeMemoryStorage(new Map([["array/__schema/one", Uint8Array.of(1, 2, 3)]]))
 * assertEquals(Effect.runSync(storage.list("mem://array")), [{ name: "__schema", kind: "folder" }])
 * ```
 */
export const makeMemoryStorage = (files: Map<string, Uint8Array> = new Map()): Storage => {
  /**
   * Versions by content, so that contents that the program put into the map are new versions; names may share contents.
   */
  const versions = new WeakMap<Uint8Array, Map<string, Version>>()
  let lastVersion = 0
  const setVersion = (key: string, bytes: Uint8Array, lastModified?: number): Version => {
    const names = versions.get(bytes) ?? new Map<string, Version>()
    const version = { number: ++lastVersion, lastModified }
    versions.set(bytes, names.set(key, version))
    return version
  }
  const infoOf = (key: string, bytes: Uint8Array): FileInfo => {
    const { number, lastModified } = versions.get(bytes)?.get(key) ?? setVersion(key, bytes)
    const etag = number.toString(16)
    return lastModified === undefined ? { size: bytes.length, etag } : { size: bytes.length, lastModified, etag }
  }
  /** Stores contents under a name. The contents must not be modified afterwards. */
  const put = (uri: string, bytes: Uint8Array): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const key = keyOf(uri)
      files.set(key, bytes)
      setVersion(key, bytes, now)
    })
  const find = <A>(uri: string, use: (bytes: Uint8Array) => A): Effect.Effect<A, NotFound | StorageError> =>
    Effect.suspend((): Effect.Effect<A, NotFound | StorageError> => {
      const bytes = files.get(keyOf(uri))
      if (bytes === undefined) return Effect.fail(new NotFound({ uri }))
      try {
        return Effect.succeed(use(bytes))
      } catch (error) {
        if (error instanceof StorageError) return Effect.fail(error)
        throw error
      }
    })
  const entriesIn = (uri: string): ReadonlyArray<Entry> => {
    const folder = keyOf(uri)
    const prefix = folder === "" ? "" : `${folder}/`
    const entries = new Map<string, Entry>()
    // The map is small enough to be scanned. A folder takes precedence over a file of the same name, since it has more
    // content.
    for (const [key, bytes] of files) {
      if (!key.startsWith(prefix) || key === "") continue
      const rest = key.slice(prefix.length)
      const slash = rest.indexOf("/")
      const name = slash < 0 ? rest : rest.slice(0, slash)
      if (slash >= 0) entries.set(name, { name, kind: "folder" })
      else if (!entries.has(name)) entries.set(name, { name, kind: "file", ...infoOf(key, bytes) })
    }
    return [...entries.values()].sort((a, b) => compareBytewise(a.name, b.name))
  }
  const filesBelow = (uri: string): ReadonlyArray<FileEntry> => {
    const folder = keyOf(uri)
    const prefix = folder === "" ? "" : `${folder}/`
    const below = [...files].filter(([key]) => key.startsWith(prefix) && key.length > prefix.length)
    return below.map(([key, bytes]) => ({ path: key.slice(prefix.length), ...infoOf(key, bytes) }))
      .sort((a, b) => compareBytewise(a.path, b.path))
  }
  return withDefaults(withMetrics({
    comparesVersions: () => false,
    list: (uri) => Effect.sync(() => entriesIn(uri)),
    listPage: (uri, next) =>
      Effect.sync(() => {
        const all = entriesIn(uri)
        const entries = next === undefined ? all : all.filter(({ name }) => compareBytewise(name, next) > 0)
        const page = entries.slice(0, PAGE)
        return entries.length > PAGE ? { entries: page, next: page[PAGE - 1].name } : { entries: page }
      }),
    listAllPage: (uri, next) =>
      Effect.sync(() => {
        const all = filesBelow(uri)
        const rest = next === undefined ? all : all.filter(({ path }) => compareBytewise(path, next) > 0)
        return rest.length > PAGE ? { files: rest.slice(0, PAGE), next: rest[PAGE - 1].path } : { files: rest }
      }),
    head: (uri) => find(uri, (bytes) => infoOf(keyOf(uri), bytes)),
    size: (uri) => find(uri, (bytes) => bytes.length),
    read: (uri) => find(uri, (bytes) => bytes.slice()),
    readRanges: (uri, ranges) =>
      find(uri, (bytes) => {
        checkRanges("readRanges", uri, ranges, bytes.length)
        return ranges.map(({ offset, length }) => bytes.slice(offset, offset + length))
      }),
    readTail: (uri, length) =>
      find(uri, (bytes) => {
        const range = tailRange("readTail", uri, length, bytes.length)
        return { bytes: bytes.slice(range.offset), size: bytes.length }
      }),
    write: (uri, bytes) => Effect.suspend(() => put(uri, bytes.slice())),
    openWrite: (uri) =>
      Effect.flatMap(Effect.clock, (clock) =>
        makeFileWriter(uri, () => {
          const pieces: Array<Uint8Array> = []
          return {
            append: (bytes) => void pieces.push(bytes.slice()),
            finish: () => {
              const whole = joined(pieces)
              files.set(keyOf(uri), whole)
              setVersion(keyOf(uri), whole, clock.unsafeCurrentTimeMillis())
            },
            abandon: () => void (pieces.length = 0),
          }
        }, storageFailure)),
    create: (uri, bytes) =>
      Effect.suspend(() => {
        if (files.has(keyOf(uri))) return Effect.fail(new AlreadyExists({ uri }))
        // synchronous, before the clock is read: exactly one of several writers must succeed
        files.set(keyOf(uri), bytes.slice())
        return put(uri, files.get(keyOf(uri))!)
      }),
    copy: (from, to) => Effect.flatMap(find(from, (bytes) => bytes), (bytes) => put(to, bytes)),
    createFolder: () => Effect.succeed([]),
    removeFolder: () => Effect.void,
    remove: (uri) =>
      Effect.sync(() => {
        const key = keyOf(uri)
        files.delete(key)
        const prefix = key === "" ? "" : `${key}/`
        for (const name of [...files.keys()]) if (name.startsWith(prefix)) files.delete(name)
      }),
    removeAll: (uris) =>
      Effect.sync(() => {
        for (const uri of uris) files.delete(keyOf(uri))
        return []
      }),
    inFlight: () => 1,
  }))
}

/**
 * A layer with a new, empty storage in memory, for `mem://` and any other URIs.
 *
 * ```ts
 * import { layerMemory, StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const storage = yield* StorageService
 *   yield* storage.create("mem://a/b", Uint8Array.of(1))
 *   return yield* storage.list("mem://a")
 * })
 * const [{ name, kind, size }] = Effect.runSync(Effect.provide(program, layerMemory))
 * assertEquals([name, kind, size], ["b", "file", 1])
 * ```
 */
export const layerMemory: Layer.Layer<Storage> = Layer.sync(Storage, () => makeMemoryStorage())

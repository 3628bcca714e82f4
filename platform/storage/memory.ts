/**
 * Storage in memory: for tests, for arrays that are built and read in one go, and for bytes that came from elsewhere.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkRanges, tailRange } from "./byte_ranges.ts"
import { AlreadyExists, NotFound, StorageError } from "../errors.ts"
import { storageFailure } from "./errno.ts"
import { makeFileWriter } from "./file_writer.ts"
import { compareBytewise } from "./utf8_order.ts"
import { withMetrics } from "./measured.ts"
import { withDefaults } from "./defaults.ts"
import { type Entry, Storage } from "./service.ts"
import { withoutTrailingSlash } from "./uri.ts"

/** The key of a URI: what follows `mem://`, without slashes at either end. */
const keyOf = (uri: string): string => {
  const path = withoutTrailingSlash(uri.replace(/^mem:\/\//i, ""))
  return path.replace(/^\/+/, "")
}

/** Entries of one page of a listing, as in object stores. */
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

/**
 * Creates a storage over `files`: a map from names (without `mem://` and surrounding slashes) to contents. Writes
 * change the map.
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
  const listAll = (uri: string): ReadonlyArray<Entry> => {
    const folder = keyOf(uri)
    const prefix = folder === "" ? "" : `${folder}/`
    const entries = new Map<string, Entry>()
    // The map is small enough to be walked whole; a folder wins over a file of the same name, as it holds the more.
    for (const [key, bytes] of files) {
      if (!key.startsWith(prefix) || key === "") continue
      const rest = key.slice(prefix.length)
      const slash = rest.indexOf("/")
      const name = slash < 0 ? rest : rest.slice(0, slash)
      if (slash >= 0) entries.set(name, { name, kind: "folder" })
      else if (!entries.has(name)) entries.set(name, { name, kind: "file", size: bytes.length })
    }
    return [...entries.values()].sort((a, b) => compareBytewise(a.name, b.name))
  }
  return withDefaults(withMetrics({
    comparesVersions: () => false,
    list: (uri) => Effect.sync(() => listAll(uri)),
    listPage: (uri, next) =>
      Effect.sync(() => {
        const all = listAll(uri)
        const entries = next === undefined ? all : all.filter(({ name }) => compareBytewise(name, next) > 0)
        const page = entries.slice(0, PAGE)
        return entries.length > PAGE ? { entries: page, next: page[PAGE - 1].name } : { entries: page }
      }),
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
    write: (uri, bytes) =>
      Effect.sync(() => {
        files.set(keyOf(uri), bytes.slice())
      }),
    openWrite: (uri) =>
      makeFileWriter(uri, () => {
        const pieces: Array<Uint8Array> = []
        return {
          append: (bytes) => void pieces.push(bytes.slice()),
          finish: () => void files.set(keyOf(uri), joined(pieces)),
          abandon: () => void (pieces.length = 0),
        }
      }, storageFailure),
    create: (uri, bytes) =>
      Effect.suspend(() => {
        const key = keyOf(uri)
        if (files.has(key)) return Effect.fail(new AlreadyExists({ uri }))
        files.set(key, bytes.slice())
        return Effect.void
      }),
    copy: (from, to) =>
      Effect.map(find(from, (bytes) => bytes.slice()), (bytes) => {
        files.set(keyOf(to), bytes)
      }),
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
 * A fresh, empty storage in memory, for `mem://` names and any other.
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
 * assertEquals(Effect.runSync(Effect.provide(program, layerMemory)), [{ name: "b", kind: "file", size: 1 }])
 * ```
 */
export const layerMemory: Layer.Layer<Storage> = Layer.sync(Storage, () => makeMemoryStorage())

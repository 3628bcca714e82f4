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
import { type Entry, Storage } from "./service.ts"
import { withoutTrailingSlash } from "./uri.ts"

/** The key of a URI: what follows `mem://`, without slashes at either end. */
const keyOf = (uri: string): string => {
  const path = withoutTrailingSlash(uri.replace(/^mem:\/\//i, ""))
  return path.replace(/^\/+/, "")
}

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
 * A storage over `files`: a map from names (`mem://` and the slashes around left out) to contents. What the map holds is
 * there to read; what is written goes into it.
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
  return withMetrics({
    list: (uri) =>
      Effect.sync(() => {
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
    createFolder: () => Effect.succeed([]),
    removeFolder: () => Effect.void,
    remove: (uri) =>
      Effect.sync(() => {
        const key = keyOf(uri)
        files.delete(key)
        const prefix = key === "" ? "" : `${key}/`
        for (const name of [...files.keys()]) if (name.startsWith(prefix)) files.delete(name)
      }),
    inFlight: () => 1,
  })
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

/**
 * Making manifests: every file below a folder, with its size.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { NotFound, StorageError } from "./errors.ts"
import { encodeManifest, LARGEST_MANIFEST, MANIFEST_NAME, type ManifestFile } from "./manifest.ts"
import type { Entry, Storage } from "./storage.ts"
import { withoutTrailingSlash } from "./uri.ts"

/** A manifest that was made. */
export interface Published {
  /** Where it is. */
  readonly uri: string
  /** How many files it names, and how many bytes these have. */
  readonly files: number
  /** Bytes of all of them. */
  readonly bytes: number
}

/** Folders no deeper than this are entered, since links can make a folder its own child. */
const DEEPEST = 32

/** Listings and sizes under way at a time. */
const CONCURRENCY = 8

/** All files below `uri`, by their paths from there. */
const filesBelow = (
  storage: Storage,
  uri: string,
  path: string,
  depth: number,
): Effect.Effect<ReadonlyArray<ManifestFile>, StorageError> =>
  Effect.gen(function* () {
    if (depth > DEEPEST) {
      const cause = new Error(`${path} lies deeper than ${DEEPEST} folders; a link may lead back`)
      return yield* Effect.fail(new StorageError({ op: "publish", uri, reason: "Unsupported", cause }))
    }
    const at = path === "" ? uri : `${uri}/${path}`
    const found = yield* Effect.forEach(
      (yield* storage.list(at)).filter(({ name }) => name !== MANIFEST_NAME),
      ({ name, kind, size }: Entry): Effect.Effect<ReadonlyArray<ManifestFile>, StorageError> => {
        const below = path === "" ? name : `${path}/${name}`
        if (kind === "folder") return filesBelow(storage, uri, below, depth + 1)
        return (size === undefined ? storage.size(`${uri}/${below}`) : Effect.succeed(size)).pipe(
          Effect.map((bytes) => [[below, bytes] as const]),
          // removed since it was listed
          Effect.catchTag("NotFound", () => Effect.succeed([])),
        )
      },
      { concurrency: CONCURRENCY },
    )
    return found.flat()
  })

/**
 * Writes the manifest of a folder – an array, a group, or any folder of them – into it: one file, `__tessera_manifest.json`,
 * with the names and sizes of all files below. A web server that does not list folders serves the folder with it. It is a
 * snapshot: what is written later is not seen before the folder is published again.
 *
 * It costs one listing per folder, and where these do not tell sizes, one request per file. `NotFound` if there is nothing
 * in the folder.
 *
 * ```ts
 * import { makeMemoryStorage, publish } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = makeMemoryStorage(new Map([["array/__schema/one", new Uint8Array(3)]]))
 * const published = Effect.runSync(publish(storage, "mem://array"))
 * assertEquals(published, { uri: "mem://array/__tessera_manifest.json", files: 1, bytes: 3 })
 * ```
 */
export const publish = (storage: Storage, uri: string): Effect.Effect<Published, NotFound | StorageError> =>
  Effect.gen(function* () {
    const at = withoutTrailingSlash(uri)
    const files = yield* filesBelow(storage, at, "", 0)
    if (files.length === 0) return yield* Effect.fail(new NotFound({ uri: at }))
    const target = `${at}/${MANIFEST_NAME}`
    const manifest = encodeManifest(files)
    if (manifest.length > LARGEST_MANIFEST) {
      const what =
        `the manifest of ${files.length} files has ${manifest.length} bytes, and readers take ${LARGEST_MANIFEST}`
      const cause = new Error(`${what}; publish the folders below one by one`)
      return yield* Effect.fail(new StorageError({ op: "publish", uri: at, reason: "Unsupported", cause }))
    }
    yield* storage.write(target, manifest)
    return { uri: target, files: files.length, bytes: files.reduce((sum, [, size]) => sum + size, 0) }
  })

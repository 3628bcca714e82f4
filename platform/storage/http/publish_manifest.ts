/**
 * Publishes manifests: writes the paths and sizes of all files below a folder.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { traced } from "../../observability/spans.ts"
import { NotFound, StorageError } from "../../errors.ts"
import { encodeManifest, MANIFEST_NAME, type ManifestFile, MAX_MANIFEST_SIZE } from "./manifest.ts"
import { inFlight, type Storage } from "../service.ts"
import { turnIfDue, withTurns } from "../../host/event_loop_turns.ts"
import { withoutTrailingSlash } from "../uri.ts"

/** A published manifest. */
export interface PublishResult {
  /** URI of the manifest. */
  readonly uri: string
  /** Number of files in the manifest. */
  readonly files: number
  /** Total size of the files in bytes. */
  readonly bytes: number
}

/** Maximum nesting depth of folders: not every storage can detect links to a parent folder. */
const MAX_DEPTH = 32

/** Maximum number of concurrent listings and size requests. */
const CONCURRENCY = 8

/**
 * Maximum number of folders. A manifest has no space for more, and links may expose one folder under a large number of
 * paths.
 */
const MAX_FOLDERS = MAX_MANIFEST_SIZE >> 7

/** Minimum number of bytes per file in a manifest, besides the path. */
const MIN_FILE_BYTES = 8

/** A folder to list. */
interface Folder {
  /** Path relative to the published folder. */
  readonly path: string
  readonly depth: number
  /** Real paths of the folders that contain the links on the path to this folder. */
  readonly through: ReadonlyArray<string>
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(/[/\\]$/.test(folder) ? folder : `${folder}${path.includes("/") ? "/" : "\\"}`)

/** Lists all files below `uri` by relative path. Memory and time are bounded by the maximum size of a manifest. */
const filesBelow = (storage: Storage, uri: string): Effect.Effect<ReadonlyArray<ManifestFile>, StorageError> =>
  Effect.gen(function* () {
    const refuse = (reason: string) => {
      const cause = new Error(reason)
      return Effect.fail(new StorageError({ op: "publish", uri, reason: "Unsupported", cause }))
    }
    const inside = (path: string): string => path === "" ? uri : `${uri}/${path}`
    const realPath = (path: string) => storage.realPath?.(inside(path)) ?? Effect.succeed(inside(path))
    const concurrency = inFlight(storage, uri, CONCURRENCY)

    /**
     * Follows a link to a folder: returns `through` for that folder, or `undefined` if the target contains the link or
     * is missing.
     */
    const throughLink = ({ path, through }: Folder, below: string) =>
      Effect.gen(function* () {
        const [holder, target] = [yield* realPath(path), yield* realPath(below)]
        const all = [...through, holder]
        return all.some((folder) => isWithin(folder, target)) ? undefined : all
      }).pipe(Effect.catchTag("NotFound", () => Effect.succeed(undefined)))

    const files: Array<ManifestFile> = []
    const waiting: Array<Folder> = [{ path: "", depth: 0, through: [] }]
    let folders = 0
    let bytes = 0
    const enter = (folder: Folder) =>
      Effect.gen(function* () {
        const { path, depth, through } = folder
        const sizes: Array<Effect.Effect<void, StorageError>> = []
        for (const { name, kind, size, isLink } of yield* storage.list(inside(path))) {
          if (name === MANIFEST_NAME) continue
          const below = path === "" ? name : `${path}/${name}`
          if (kind === "folder") {
            const values = isLink === true ? yield* throughLink(folder, below) : through
            if (values === undefined) continue
            if (depth === MAX_DEPTH) {
              return yield* refuse(
                `${below} is nested deeper than ${MAX_DEPTH} folders; a link may point to a parent folder`,
              )
            }
            if (++folders > MAX_FOLDERS) {
              return yield* refuse(
                `there are more than ${MAX_FOLDERS} folders; links may expose a folder under many paths`,
              )
            }
            waiting.push({ path: below, depth: depth + 1, through: values })
            continue
          }
          bytes += below.length + MIN_FILE_BYTES
          if (bytes > MAX_MANIFEST_SIZE) {
            return yield* refuse(
              `the manifest of more than ${files.length} files exceeds the maximum of ${MAX_MANIFEST_SIZE} bytes; ` +
                "publish the subfolders one by one. Links may expose a file under many paths",
            )
          }
          if (size !== undefined) files.push([below, size])
          else {
            sizes.push(
              storage.size(inside(below)).pipe(
                Effect.map((size) => void files.push([below, size])),
                // the file was removed after it was listed
                Effect.catchTag("NotFound", () => Effect.void),
                Effect.zipLeft(turnIfDue),
              ),
            )
          }
        }
        yield* Effect.all(sizes, { concurrency, discard: true })
        yield* turnIfDue
      })
    // depth-first, so that few folders are pending
    while (waiting.length > 0) {
      yield* Effect.forEach(waiting.splice(-concurrency), enter, { concurrency, discard: true })
    }
    return files
  })

/**
 * Writes the manifest of a folder – an array, a group, or any folder that contains such – into the folder: one file,
 * `__tessera_manifest.json`, with the names and sizes of all files below. With the manifest, the folder can be read
 * from a web server that does not list folders. A manifest is a snapshot: later changes are visible only after
 * publishing again.
 *
 * Links to files and folders are followed, except links to a folder that contains them.
 *
 * Takes one listing per folder and, where listings do not contain sizes, one request per file. Fails with `NotFound` if
 * the folder is empty.
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
export const publish = (storage: Storage, uri: string): Effect.Effect<PublishResult, NotFound | StorageError> =>
  withTurns(Effect.gen(function* () {
    const at = withoutTrailingSlash(uri)
    const files = yield* filesBelow(storage, at)
    if (files.length === 0) return yield* Effect.fail(new NotFound({ uri: at }))
    const target = `${at}/${MANIFEST_NAME}`
    const manifest = encodeManifest(files)
    if (manifest.length > MAX_MANIFEST_SIZE) {
      const detail =
        `the manifest of ${files.length} files has ${manifest.length} bytes; the maximum is ${MAX_MANIFEST_SIZE}`
      const cause = new Error(`${detail}; publish the subfolders one by one`)
      return yield* Effect.fail(new StorageError({ op: "publish", uri: at, reason: "Unsupported", cause }))
    }
    yield* storage.write(target, manifest)
    return { uri: target, files: files.length, bytes: files.reduce((sum, [, size]) => sum + size, 0) }
  })).pipe(traced("publish", uri))

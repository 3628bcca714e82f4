/**
 * Removes an array: the files that the format defines in its folder, and no others. All other contents of the folder
 * stay. Format: `array_file_hierarchy.md`, both directory layouts.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { MANIFEST_NAME } from "../../../platform/storage/http/manifest.ts"
import { StorageError } from "../../../platform/errors.ts"
import { type Entry, inFlight, Storage } from "../../../platform/storage/service.ts"
import {
  ARRAY_SCHEMA_FILE,
  COMMITS_FOLDER,
  ENUMERATIONS_FOLDER,
  FRAGMENT_METADATA_FOLDER,
  FRAGMENTS_FOLDER,
  LABELS_FOLDER,
  LOCK_FILE,
  METADATA_FOLDER,
  SCHEMA_FOLDER,
} from "../../../schema/name/array_paths.ts"
import { parseName } from "../../../schema/name/timestamped_name.ts"
import { join } from "../open/listing.ts"
import { isCommitClaim } from "./commit_claim.ts"
import { claimsIn } from "./schema_claim.ts"

/** Returns whether a file in the array's own folder belongs to the array. Timestamped names are checked elsewhere. */
const isRootFile = (name: string): boolean =>
  name === LOCK_FILE || name === MANIFEST_NAME || isCommitClaim(name) || claimsIn([name]).length > 0

/** Folders whose files have timestamped names. Commits precede the fragments that they name. */
const folders: ReadonlyArray<string> = [
  COMMITS_FOLDER,
  METADATA_FOLDER,
  FRAGMENT_METADATA_FOLDER,
  FRAGMENTS_FOLDER,
  ENUMERATIONS_FOLDER,
]

/** The folders of an array whose contents are removed. */
const ownFolders: ReadonlySet<string> = new Set([
  SCHEMA_FOLDER,
  LABELS_FOLDER,
  ...folders.map((folder) => folder.slice(folder.lastIndexOf("/") + 1)),
])

/** Returns the links that are in the place of an array's own folders. Their targets may belong to another array. */
export const linkedFolders = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.filter(({ name, kind, isLink }) => isLink === true && kind === "folder" && ownFolders.has(name))

/**
 * Maximum depth of label arrays inside label arrays. The format has no such nesting, but a forged array may have it.
 */
const MAX_DEPTH = 2

/** Returns whether the format defines this name for a file or folder of an array; `kept` names are excluded. */
const isTimestamped = ({ name }: Entry, kept: ReadonlySet<string>): boolean => {
  const parsed = parseName(name)
  return parsed !== undefined && !kept.has(parsed.name)
}

/** A step of a removal: files and folders that are removed with their contents, or a folder that must be empty. */
export type RemovalStep = { readonly names: ReadonlyArray<string> } | { readonly emptyFolder: string }

/** Plans the steps that remove an array, in order. Takes listings only. */
export const planRemoval = (
  uri: string,
  kept: ReadonlySet<string>,
  depth: number,
): Effect.Effect<ReadonlyArray<RemovalStep>, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const steps: Array<RemovalStep> = []
    const remove = (folder: string, entries: ReadonlyArray<Entry>) =>
      steps.push({ names: entries.map(({ name }) => join(folder, name)) })
    const root = yield* storage.list(uri)
    const has = (folder: string): boolean =>
      root.some(({ name, kind, isLink }) => kind === "folder" && isLink !== true && name === folder)
    const schemas = has(SCHEMA_FOLDER) ? yield* storage.list(join(uri, SCHEMA_FOLDER)) : []

    const links = [
      ...linkedFolders(root),
      ...linkedFolders(schemas).map((entry) => ({ ...entry, name: join(SCHEMA_FOLDER, entry.name) })),
    ]
    // kept files may be below a link; inside labels no files are kept
    if (depth === 0 && links.length > 0) {
      const cause = new Error("this folder of the array is a symbolic link, and removal does not follow links")
      const at = join(uri, links[0].name)
      return yield* Effect.fail(new StorageError({ op: "remove", uri: at, reason: "Unsupported", cause }))
    }
    // remove the schema first: without it, a partly removed array cannot be opened
    remove(uri, root.filter(({ name, kind }) => kind === "file" && name === ARRAY_SCHEMA_FILE))
    remove(join(uri, SCHEMA_FOLDER), schemas.filter((entry) => entry.kind === "file" && isTimestamped(entry, kept)))
    remove(uri, links)
    for (const folder of folders) {
      if (!has(folder.split("/")[0])) continue
      const at = join(uri, folder)
      remove(at, (yield* storage.list(at)).filter((entry) => isTimestamped(entry, kept)))
      steps.push({ emptyFolder: at })
    }
    if (has(LABELS_FOLDER) && depth < MAX_DEPTH) {
      const at = join(uri, LABELS_FOLDER)
      for (const entry of yield* storage.list(at)) {
        if (entry.kind !== "folder") continue
        // the link belongs to the array, but its target does not
        if (entry.isLink === true) remove(at, [entry])
        else steps.push(...(yield* planRemoval(join(at, entry.name), kept, depth + 1)))
      }
      steps.push({ emptyFolder: at })
    }
    steps.push({ emptyFolder: join(uri, SCHEMA_FOLDER) })
    const rest = root.filter((entry) => isTimestamped(entry, kept) || (entry.kind === "file" && isRootFile(entry.name)))
    // remove commit files before the folders of the fragments that they name
    remove(uri, rest.filter(({ kind }) => kind === "file"))
    remove(uri, rest.filter(({ kind }) => kind === "folder"))
    // the folder of a label belongs to the array; the array's own folder belongs to the caller
    if (depth > 0) steps.push({ emptyFolder: uri })
    return steps
  })

/**
 * Removes the array at `uri`, complete or left by a killed process: files and folders with names that the format
 * defines for arrays, the schema first, so that a partly removed array cannot be opened. `kept` are names of fragments
 * and schemas that stay. Empty folders of the array are removed; `uri` itself stays.
 *
 * Lists everything first, then runs `check`, and then removes exactly the listed files. If `check` verifies that no
 * other program has started to write, no file of a program that starts later is removed.
 *
 * Links are not followed: a linked fragment or label array is unlinked. If one of the array's folders is a link, the
 * call fails before anything is removed.
 */
export const removeArray = <E = never>(
  uri: string,
  kept: ReadonlySet<string> = new Set(),
  check: Effect.Effect<unknown, E, Storage> = Effect.void,
): Effect.Effect<void, E | StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const steps = yield* planRemoval(uri, kept, 0)
    yield* check
    for (const step of steps) {
      if ("emptyFolder" in step) yield* storage.removeFolder(step.emptyFolder)
      else {
        const concurrency = inFlight(storage, uri, 16)
        yield* Effect.forEach(step.names, (name) => storage.remove(name), { concurrency, discard: true })
      }
    }
  })

/**
 * Deletes fragments with their cells: chosen ones, or those of a time range.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import { Storage } from "../../platform/storage/service.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { isArray, loadDirectory } from "../array/open/directory.ts"
import type { ArrayNotFound, InvalidOption } from "../array/open/errors.ts"
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import { listArray } from "../array/open/listing.ts"
import { noArray } from "../array/open/open.ts"
import {
  attemptOptions,
  checkFlag,
  checkNameList,
  checkNames,
  checkUri,
  millis,
  refuseFor,
  type TimeInput,
} from "../array/open/open_options.ts"
import { loadCommitFiles } from "./directory/commit_files.ts"
import { MaintenanceError } from "./directory/maintenance_error.ts"
import type { VacuumFailure } from "./vacuum/removal.ts"
import { folderOf, listFragmentFolders, removeCommits, removeFolders } from "./vacuum/remove_fragments.ts"

/** Which fragments are deleted: `fragments`, or all of a time range. */
export interface DeleteFragmentsOptions {
  /** The fragments, by name. */
  readonly fragments?: ReadonlyArray<string>
  /** Delete fragments written entirely from this time on. Default: from the beginning, if `end` is given. */
  readonly start?: TimeInput
  /** Delete fragments written entirely up to this time. Default: all later ones, if `start` is given. */
  readonly end?: TimeInput
  /** Whether the fragments are only listed. Default: false. */
  readonly dryRun?: boolean
}

/** Result of deleting fragments. */
export interface DeleteFragmentsResult {
  /** Names of the deleted fragments, oldest first; with `dryRun`, of those that would be deleted. */
  readonly fragments: ReadonlyArray<string>
  /** Paths of the removed files and folders, relative to the array; with `dryRun`, of those that would be removed. */
  readonly removed: ReadonlyArray<string>
}

/** Errors of deleting fragments. */
export type DeleteFragmentsError = InvalidOption | ArrayNotFound | MaintenanceError | VacuumFailure

const OPTIONS: ReadonlyArray<string> = ["fragments", "start", "end", "dryRun"] satisfies ReadonlyArray<
  keyof DeleteFragmentsOptions
>

const validated = (array: AnyTileArray | string, options: DeleteFragmentsOptions) =>
  attemptOptions(() => {
    const input = typeof array === "object" && array !== null ? openedOf(array).uri : array
    const refuse = refuseFor(input)
    const uri = checkUri(input, refuse)
    checkNames(options, OPTIONS, refuse)
    const { fragments, dryRun = false } = options
    checkNameList("fragments", fragments, refuse)
    checkFlag("dryRun", dryRun, refuse)
    const start = millis("start", options.start, refuse)
    const end = millis("end", options.end, refuse)
    if (fragments === undefined && start === undefined && end === undefined) {
      refuse("fragments", "pass the names of fragments, or a time range: start, end or both")
    }
    if (fragments !== undefined && (start !== undefined || end !== undefined)) {
      refuse("fragments", "pass either names or a time range", undefined, { reason: "Conflict" })
    }
    if (start !== undefined && end !== undefined && start > end) {
      refuse("start", "it is later than end; exchange them", undefined, { reason: "Conflict" })
    }
    return { uri, fragments, start: start ?? 0, end: end ?? Number.MAX_SAFE_INTEGER, dryRun }
  })

/**
 * Deletes fragments and their cells at all times: the given ones, or all that were written entirely in a time range. The
 * fragments that a deleted fragment has combined, and that were not vacuumed yet, are deleted with it. Readers that
 * opened the array before fail when they read a deleted fragment. The commit of each fragment is removed before its data:
 * if the call fails or is killed, the array stays readable, and a second call deletes the remaining fragments; folders
 * whose commits are removed already contain no visible cells.
 *
 * Fails with `MaintenanceError` (`Missing`) if a name is not a fragment of the array; nothing was changed then. Otherwise
 * fails with `InvalidOption`, `ArrayNotFound`, `NotFound`, `StorageError` or `FormatError`.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const log = yield* TileArray.create("mem://log", Log)
 *   yield* Sparse.write(log, { x: [1], n: [7] }, { at: 1000 })
 *   yield* Sparse.write(log, { x: [2], n: [8] }, { at: 2000 })
 *   const { fragments } = yield* TileArray.deleteFragments(log, { end: 1500 })
 *   return [fragments.length, (yield* Sparse.read(yield* TileArray.reopen(log))).length]
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [1, 1])
 * ```
 */
export const deleteFragments = (
  array: AnyTileArray | string,
  options: DeleteFragmentsOptions,
): Effect.Effect<DeleteFragmentsResult, DeleteFragmentsError, Storage> =>
  Effect.gen(function* () {
    const { uri, fragments, start, end, dryRun } = yield* validated(array, options)
    const listing = yield* listArray(uri)
    if (!isArray(listing)) return yield* Effect.fail(noArray(listing))
    // read all files before anything is removed, so that a path outside the array fails first
    const files = yield* loadCommitFiles(listing)
    const committed = (yield* loadDirectory(listing)).fragments.map(({ name }) => name)
    const byName = new Map(committed.map((name) => [name.name, name]))
    const missing = fragments?.find((name) => !byName.has(name))
    if (missing !== undefined) {
      const detail = `the array has no fragment ${JSON.stringify(missing)}`
      return yield* Effect.fail(new MaintenanceError({ uri, reason: "Missing", detail }))
    }
    const chosen = new Set(
      fragments ?? committed.filter((name) => start <= name.start && name.end <= end).map(({ name }) => name),
    )
    /** Names of the chosen fragments, and of those that they have combined. */
    const deleted = new Set<string>()
    const add = (name: string): void => {
      if (deleted.has(name)) return
      for (const vacuum of files.vacuums) {
        if (vacuum.name.name === name) vacuum.fragments.filter((input) => input !== name).forEach(add)
      }
      deleted.add(name)
    }
    chosen.forEach(add)
    const vacuums = files.vacuums.filter(({ name }) => deleted.has(name.name))
    const names = [...deleted].flatMap((name) => parseName(name) ?? [])
    const { present, links } = yield* listFragmentFolders(uri, listing)
    const existing = names.filter((name) => present.has(folderOf(name)))
    if (!dryRun && names.length > 0) {
      const storage = yield* Storage
      // vacuum files last: they hide the fragments that a deleted fragment has combined
      yield* removeCommits(uri, names, files, names[0].version)
      yield* removeFolders(uri, existing, links)
      yield* Effect.forEach(vacuums, (vacuum) => storage.remove(vacuum.uri), { discard: true })
    }
    return {
      fragments: committed.filter(({ name }) => deleted.has(name)).map(({ name }) => name),
      removed: [...existing.map(folderOf), ...vacuums.map(({ path }) => path)],
    }
  }).pipe(traced("TileArray.deleteFragments", array))

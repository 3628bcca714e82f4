/**
 * Removes replaced files in phases, if the file that replaces them is old enough.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import type { FormatError } from "../../../schema/errors/format_error.ts"

/** Errors of planning and running a removal. */
export type VacuumFailure = NotFound | StorageError | FormatError

/** A file to remove, by its path relative to the array or group. */
export interface RemovedFile {
  readonly path: string
  readonly uri: string
}

/** Files that a newer file replaces. */
export interface Replaced {
  /** The file that replaces them. */
  readonly replacement: RemovedFile
  /** The replaced files. The files of a phase are removed before those of the next phase. */
  readonly phases: ReadonlyArray<ReadonlyArray<RemovedFile>>
}

/** A file that was kept, with the reason. */
export interface KeptFile {
  /** Path relative to the array or group. */
  readonly path: string
  /** Why it was kept. */
  readonly reason: string
}

/** Result of a vacuum. */
export interface VacuumResult {
  /** Paths of the removed files and folders, relative to the array or group; with `dryRun`, of those that would be removed. */
  readonly removed: ReadonlyArray<string>
  /** Files that were kept for now. */
  readonly kept: ReadonlyArray<KeptFile>
}

/** Options of a removal. */
export interface RemovalOptions {
  /** Minimum age of a replacement in milliseconds. */
  readonly age: number
  readonly dryRun: boolean
}

/**
 * Returns why the files that `replacement` replaces cannot be removed yet: a reader that opened the array before this
 * file existed may still use them. Returns `undefined` if the replacement is old enough.
 */
export const ageProblem = (
  replacement: RemovedFile,
  age: number,
): Effect.Effect<string | undefined, StorageError, Storage> =>
  Effect.gen(function* () {
    if (age === 0) return undefined
    const storage = yield* Storage
    const now = yield* Clock.currentTimeMillis
    const head = yield* Effect.catchTag(storage.head(replacement.uri), "NotFound", () => Effect.succeed(undefined))
    if (head === undefined) return "another vacuum removed the file that replaces it, or its list"
    const { lastModified } = head
    if (lastModified === undefined) return "the storage has no time for the file that replaces it; use an age of 0"
    return lastModified <= now - age ? undefined : `it was replaced less than ${age} ms ago`
  })

/** Removes files and fails with the first error. */
export const removeFiles = (
  uri: string,
  files: ReadonlyArray<RemovedFile>,
): Effect.Effect<void, StorageError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.forEach(files, (file) => storage.remove(file.uri), {
      concurrency: inFlight(storage, uri, 16),
      discard: true,
    }))

/** Runs removals in sequence. */
export const runRemovals = (
  uri: string,
  removals: ReadonlyArray<Replaced>,
  { age, dryRun }: RemovalOptions,
): Effect.Effect<VacuumResult, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const removed = new Set<string>()
    const kept: Array<KeptFile> = []
    for (const { replacement, phases } of removals) {
      const reason = yield* ageProblem(replacement, age)
      for (const phase of phases) {
        const files = phase.filter(({ path }) => !removed.has(path))
        if (reason !== undefined) {
          for (const { path } of files) kept.push({ path, reason })
          continue
        }
        if (!dryRun) yield* removeFiles(uri, files)
        for (const { path } of files) removed.add(path)
      }
    }
    return { removed: [...removed], kept: kept.filter(({ path }) => !removed.has(path)) }
  })

/**
 * The commit files of an array with their contents: the kind of each commit, and the files that contain it.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { decode } from "../../../schema/binary/mod.ts"
import { type ConsolidatedCommit, ConsolidatedCommits } from "../../../schema/commit/consolidated_commits.ts"
import { IgnoreFile } from "../../../schema/commit/ignore_file.ts"
import { vacuumedNames, VacuumFile } from "../../../schema/commit/vacuum_file.ts"
import type { FormatError } from "../../../schema/errors/format_error.ts"
import { COMMITS_FOLDER } from "../../../schema/name/array_paths.ts"
import { checkInnerPath } from "../../../schema/name/inner_path.ts"
import { lastComponent, parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION } from "../../../schema/version/version.ts"
import { join, type Listing } from "../../array/open/listing.ts"
import { attemptFormat } from "../../tile/attempt.ts"

/** A file, by its path relative to the array. */
export interface CommitFile {
  /** The path, `__commits/<name>.wrt` or `<name>.ok`. */
  readonly path: string
  readonly uri: string
  readonly name: TimestampedName
}

/** A file of consolidated commits with its entries. */
export interface ConsolidatedFile extends CommitFile {
  readonly entries: ReadonlyArray<ConsolidatedCommit>
}

/** A vacuum file with the names of the fragments that it lists. */
export interface VacuumFileEntry extends CommitFile {
  readonly fragments: ReadonlyArray<string>
}

/** The commit files of an array, by kind. */
export interface CommitFiles {
  /** Files of single commits: `.wrt`, `.ok`, `.del`. */
  readonly single: ReadonlyArray<CommitFile>
  readonly consolidated: ReadonlyArray<ConsolidatedFile>
  readonly ignoreFiles: ReadonlyArray<CommitFile>
  /** Paths that the ignore files list. */
  readonly ignored: ReadonlySet<string>
  readonly vacuums: ReadonlyArray<VacuumFileEntry>
}

const isSingle = (path: string): boolean => path.endsWith(".wrt") || path.endsWith(".ok") || path.endsWith(".del")

/** Reads the commit files of a listing. Fails with `FormatError` if a file names a path outside the array. */
export const loadCommitFiles = (
  listing: Listing,
): Effect.Effect<CommitFiles, NotFound | StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const { uri } = listing
    const storage = yield* Storage
    const fileOf = (path: string): ReadonlyArray<CommitFile> => {
      const name = parseName(path)
      return name === undefined ? [] : [{ path, uri: join(uri, path), name }]
    }
    const files = [
      ...listing.root.flatMap((entry) => entry.kind === "file" ? fileOf(entry.name) : []),
      ...listing.commits.flatMap((entry) => entry.kind === "file" ? fileOf(`${COMMITS_FOLDER}/${entry.name}`) : []),
    ]
    const readAll = <A>(suffix: string, parse: (file: CommitFile, bytes: Uint8Array) => A) =>
      Effect.forEach(
        files.filter(({ path }) => path.endsWith(suffix)),
        (file) => Effect.flatMap(storage.read(file.uri), (bytes) => attemptFormat(() => parse(file, bytes))),
        { concurrency: inFlight(storage, uri, 8) },
      )
    const check = (file: CommitFile, path: string, line: number): string =>
      checkInnerPath(path, { uri: file.uri, path: `${line}`, version: CURRENT_VERSION })
    const consolidated = yield* readAll(".con", (file, bytes): ConsolidatedFile => {
      const entries = decode(ConsolidatedCommits, bytes, CURRENT_VERSION, file.uri)
      entries.forEach(({ path }, line) => check(file, path, line))
      return { ...file, entries }
    })
    const ignored = yield* readAll(".ign", (file, bytes) =>
      decode(IgnoreFile, bytes, CURRENT_VERSION, file.uri).map((path, line) => check(file, path, line)))
    const vacuums = yield* readAll(".vac", (file, bytes): VacuumFileEntry => ({
      ...file,
      fragments: vacuumedNames(decode(VacuumFile, bytes, CURRENT_VERSION, file.uri), {
        uri: file.uri,
        path: "lines",
        version: CURRENT_VERSION,
      }),
    }))
    return {
      single: files.filter(({ path }) =>
        isSingle(path)
      ),
      consolidated,
      ignoreFiles: files.filter(({ path }) => path.endsWith(".ign")),
      ignored: new Set(ignored.flat()),
      vacuums,
    }
  })

/** A commit. Deletes in consolidated files include their bytes. */
export interface Commit {
  readonly path: string
  readonly name: TimestampedName
  readonly bytes: Uint8Array | undefined
}

/**
 * Returns the commits that are in effect, by path: those of single files, and those of consolidated files that are not
 * ignored.
 */
export const commitsOf = ({ single, consolidated, ignored }: CommitFiles): ReadonlyMap<string, Commit> => {
  const commits = new Map<string, Commit>()
  for (const { entries } of consolidated) {
    for (const { path, file } of entries) {
      const name = parseName(lastComponent(path))
      // ignore files do not apply to deletes
      if (name === undefined || (file === null && ignored.has(path))) continue
      commits.set(path, { path, name, bytes: file ?? undefined })
    }
  }
  for (const { path, name } of single) if (!commits.has(path)) commits.set(path, { path, name, bytes: undefined })
  return commits
}

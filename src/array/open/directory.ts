/**
 * The directory of an array: derives schemas, committed fragments, delete conditions and consolidated footers from the
 * listings, and selects those in a time range. Format: `array_file_hierarchy.md`, `timestamped_name.md`,
 * `consolidated_commits_file.md`, `vacuum_file.md`, `ignore_file.md`.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { compareBytewise } from "../../../platform/storage/utf8_order.ts"
import { type Entry, inFlight, Storage } from "../../../platform/storage/service.ts"
import { ConsolidatedCommits } from "../../../schema/commit/consolidated_commits.ts"
import { IgnoreFile } from "../../../schema/commit/ignore_file.ts"
import { vacuumedNames, VacuumFile } from "../../../schema/commit/vacuum_file.ts"
import { decode } from "../../../schema/binary/mod.ts"
import type { FormatError } from "../../../schema/errors/format_error.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import {
  ARRAY_SCHEMA_FILE,
  COMMITS_FOLDER,
  FRAGMENT_METADATA_FOLDER,
  FRAGMENTS_FOLDER,
  SCHEMA_FOLDER,
} from "../../../schema/name/array_paths.ts"
import { checkInnerPath } from "../../../schema/name/inner_path.ts"
import { compareNames, lastComponent, parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION, Since } from "../../../schema/version/version.ts"
import { attemptFormat } from "../../tile/attempt.ts"
import { join, type Listing, type SchemaListing } from "./listing.ts"

/** A fragment that was committed. */
export interface FragmentEntry {
  readonly name: TimestampedName
  readonly uri: string
}

/** A delete condition. `name` is `__commits/….del`, the form in which fragments list their processed conditions. */
export interface DeleteEntry {
  readonly name: string
  readonly time: number
  readonly uri: string
  /** The condition's generic tile; `undefined` unless a consolidated commits file contains it. */
  readonly bytes: Uint8Array | undefined
}

/** A `.vac` file and the fragments that it replaces. */
export interface VacuumEntry {
  readonly name: TimestampedName
  readonly supersedes: ReadonlySet<string>
}

/** A file with a timestamped name. */
export interface NamedFile {
  readonly name: TimestampedName
  readonly uri: string
}

/** The contents of an array's folders, for all times. */
export interface Directory {
  readonly uri: string
  /** Schema files in the byte order of their names; `__array_schema.tdb` (before format 10) comes before all. */
  readonly schemas: ReadonlyArray<NamedFile>
  readonly fragments: ReadonlyArray<FragmentEntry>
  readonly deletes: ReadonlyArray<DeleteEntry>
  readonly vacuums: ReadonlyArray<VacuumEntry>
}

const stem = (name: string): string => name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : name

const named = (name: string, uri: string): NamedFile | undefined => {
  const parsed = parseName(name)
  return parsed === undefined ? undefined : { name: parsed, uri }
}

const byName = (a: { readonly name: TimestampedName }, b: { readonly name: TimestampedName }): number =>
  compareNames(a.name, b.name)

const LEGACY_NAME: TimestampedName = {
  name: ARRAY_SCHEMA_FILE,
  form: "t_t_uuid",
  start: 0,
  end: 0,
  version: 0,
  uuid: "",
}

/** Returns whether a listing belongs to an array. */
export const isArray = (listing: SchemaListing): boolean =>
  listing.root.some((e) => e.name === SCHEMA_FOLDER || e.name === ARRAY_SCHEMA_FILE) || listing.schemas.length > 0

/** Returns the schema files in a listing, in the order of {@link Directory}. */
export const schemaFiles = ({ uri, root, schemas }: SchemaListing): ReadonlyArray<NamedFile> => {
  const files = schemas
    .filter((e) => e.kind === "file")
    .map((e) => named(e.name, join(uri, SCHEMA_FOLDER, e.name)))
    .filter((s) => s !== undefined)
    .sort((a, b) => compareBytewise(a.name.name, b.name.name))
  if (root.some((e) => e.name === ARRAY_SCHEMA_FILE)) {
    files.unshift({ name: LEGACY_NAME, uri: join(uri, ARRAY_SCHEMA_FILE) })
  }
  return files
}

/**
 * Reads the small commit files in the listings, and builds the directory. A commit file with a path that leaves the
 * array fails with `FormatError`. Fragments have timestamped names only, so no other text becomes part of a URI.
 */
export const loadDirectory = (
  listing: Listing,
): Effect.Effect<Directory, NotFound | StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const { uri } = listing
    const storage = yield* Storage
    // commits of old formats are in the root, newer ones in __commits; an array may have both
    const commits = [
      ...listing.root.filter((e) => e.kind === "file").map((e) => ({ name: e.name, uri: join(uri, e.name) })),
      ...listing.commits.map((e) => ({ name: e.name, uri: join(uri, COMMITS_FOLDER, e.name) })),
    ]
    const readAll = (suffix: string) =>
      Effect.forEach(
        commits.filter((c) => c.name.endsWith(suffix)),
        (c) => Effect.map(storage.read(c.uri), (bytes) => ({ ...c, bytes })),
        { concurrency: inFlight(storage, uri, 8) },
      )
    const [ignores, consolidated, vacuums] = yield* Effect.all([readAll(".ign"), readAll(".con"), readAll(".vac")])

    const ignored = new Set<string>()
    for (const file of ignores) {
      yield* attemptFormat(() =>
        decode(IgnoreFile, file.bytes, CURRENT_VERSION, file.uri).forEach((line, i) =>
          ignored.add(checkInnerPath(line, { uri: file.uri, path: `${i}`, version: CURRENT_VERSION }))
        )
      )
    }
    // folders of fragments by their commit: `__fragments` for `.wrt`, the root for `.ok`
    const committed = new Map<string, string>()
    const addCommit = (path: string): void => {
      const file = lastComponent(path)
      const name = stem(file)
      if (file.endsWith(".wrt")) committed.set(name, join(uri, FRAGMENTS_FOLDER, name))
      else if (file.endsWith(".ok") && folders.has(name)) committed.set(name, join(uri, name))
    }
    const folders = new Set(listing.root.filter((e) => e.kind === "folder").map((e) => e.name))
    const deletes = new Map<string, DeleteEntry>()
    const addDelete = (name: string, from: string, bytes: Uint8Array | undefined): void => {
      const parsed = parseName(name)
      if (parsed !== undefined && !deletes.has(name)) {
        deletes.set(name, { name, time: parsed.start, uri: from, bytes })
      }
    }
    for (const file of consolidated) {
      const entries = yield* attemptFormat(() => {
        const all = decode(ConsolidatedCommits, file.bytes, CURRENT_VERSION, file.uri)
        all.forEach(({ path }, i) =>
          checkInnerPath(path, { uri: file.uri, path: `${i}.path`, version: CURRENT_VERSION })
        )
        return all
      })
      for (const entry of entries) {
        if (entry.file !== null) addDelete(entry.path, file.uri, entry.file)
        else if (!ignored.has(entry.path)) addCommit(entry.path)
      }
    }
    // after the consolidated files: a vacuum may remove the file of a delete that one of them contains
    for (const commit of commits) {
      if (commit.name.endsWith(".del")) addDelete(`${COMMITS_FOLDER}/${commit.name}`, commit.uri, undefined)
      else addCommit(commit.name)
    }

    if (ignored.size > 0) {
      yield* Effect.annotateLogs(Effect.logDebug("commits are skipped: ignore files name them"), {
        uri: redactUri(uri),
        files: ignored.size,
      })
    }

    // before format 5 there are no commit files: a fragment is committed if its metadata exists
    for (const name of folders) {
      const parsed = parseName(name)
      if (parsed !== undefined && parsed.version < Since.splitDimensions) committed.set(name, join(uri, name))
    }
    const fragments: Array<FragmentEntry> = []
    for (const [name, at] of committed) {
      const parsed = parseName(name)
      // a name with an extension is not the name of a fragment
      if (parsed?.name === name) fragments.push({ name: parsed, uri: at })
    }

    const superseding: Array<VacuumEntry> = []
    for (const file of vacuums) {
      const parsed = parseName(file.name)
      if (parsed === undefined) continue
      const names = yield* attemptFormat(() =>
        vacuumedNames(decode(VacuumFile, file.bytes, CURRENT_VERSION, file.uri), {
          uri: file.uri,
          path: "lines",
          version: CURRENT_VERSION,
        })
      )
      superseding.push({ name: parsed, supersedes: new Set(names) })
    }

    return {
      uri,
      schemas: schemaFiles(listing),
      fragments: fragments.sort(byName),
      deletes: [...deletes.values()].sort((a, b) => a.time - b.time || (a.name < b.name ? -1 : 1)),
      vacuums: superseding,
    }
  })

/** Returns the newest file of consolidated footers: in `__fragment_meta`, or in the root before format 12. */
export const newestFooters = (
  listing: Listing,
  fragmentMetadata: ReadonlyArray<Entry>,
): NamedFile | undefined =>
  [
    ...listing.root.map((e) => ({ entry: e, uri: join(listing.uri, e.name) })),
    ...fragmentMetadata.map((e) => ({ entry: e, uri: join(listing.uri, FRAGMENT_METADATA_FOLDER, e.name) })),
  ]
    .filter(({ entry }) => entry.kind === "file" && entry.name.endsWith(".meta"))
    .map(({ entry, uri }) => named(entry.name, uri))
    .filter((f) => f !== undefined)
    .sort((a, b) => byName(b, a))[0]

/** A range of time in milliseconds since 1970, both ends inclusive. */
export interface TimeRange {
  /** The first millisecond. */
  readonly start: number
  /** The last millisecond. */
  readonly end: number
}

const visible = (name: TimestampedName, time: TimeRange, overlap: boolean): boolean =>
  overlap ? name.start <= time.end && time.start <= name.end : time.start <= name.start && name.end <= time.end

/**
 * Returns whether reads filter the cells of a consolidated fragment by time, since sparse fragments store the time of
 * each cell.
 */
const filtersCells = (name: TimestampedName, sparse: boolean): boolean =>
  sparse && name.version >= Since.timestampOverlap

/** Returns the fragments that a read over `time` includes, oldest first. */
export const visibleFragments = (
  directory: Directory,
  time: TimeRange,
  sparse: boolean,
): ReadonlyArray<FragmentEntry> => {
  const superseded = new Set<string>()
  for (const vacuum of directory.vacuums) {
    if (visible(vacuum.name, time, filtersCells(vacuum.name, sparse))) {
      for (const name of vacuum.supersedes) superseded.add(name)
    }
  }
  return directory.fragments.filter((f) =>
    !superseded.has(f.name.name) && visible(f.name, time, filtersCells(f.name, sparse))
  )
}

/** Returns the delete conditions that a read over `time` applies. */
export const visibleDeletes = (directory: Directory, time: TimeRange): ReadonlyArray<DeleteEntry> =>
  directory.deletes.filter((d) => time.start <= d.time && d.time <= time.end)

/**
 * Returns the schema file for an array opened at `end`: the last one that is not after it, or else the first. The order
 * is the byte order of the names, as in the engine, so times are ordered only if they have the same number of digits: a
 * schema of time 9 is later than one of time 100. `__array_schema.tdb` has no time, and is always the first.
 */
export const schemaAt = (schemas: ReadonlyArray<NamedFile>, end: number): NamedFile | undefined =>
  schemas.findLast((s) => s.name.name !== ARRAY_SCHEMA_FILE && s.name.end <= end) ?? schemas[0]

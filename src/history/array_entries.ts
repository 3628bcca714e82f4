/**
 * Finds the changes of an array: schemas, fragments, delete conditions and consolidated files.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import { type Entry, Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import type { FormatError } from "../../schema/errors/format_error.ts"
import {
  ARRAY_SCHEMA_FILE,
  COMMITS_FOLDER,
  FRAGMENT_METADATA_FOLDER,
  SCHEMA_FOLDER,
} from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { type Directory, type FragmentEntry, loadDirectory } from "../array/open/directory.ts"
import { join, type Listing } from "../array/open/listing.ts"
import { makeSchemas } from "../array/open/schemas.ts"
import { cellCount } from "../fragment/fragment.ts"
import { loadFragment } from "../fragment/load/load_fragment.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { ChangeEntry, ChangeError, LoggedChange } from "./change.ts"
import { fileSize } from "./file_entries.ts"

/** Returns the path of a URI below an array. */
const within = (array: string, uri: string): string => uri.slice(join(array, "").length)

/** Returns the size of the files in a folder; `undefined` for a missing or empty folder. */
const folderSize = (uri: string): Effect.Effect<number | undefined, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const files = (yield* storage.list(uri)).filter(({ kind }) => kind === "file")
    if (files.length === 0) return undefined
    const sizes = yield* Effect.forEach(files, (file) => fileSize(join(uri, file.name), file), { concurrency: 8 })
    return sizes.reduce((sum: number, size) => sum + (size ?? 0), 0)
  })

/** Finds the schemas; the oldest one created the array. */
const schemaEntries = (
  listing: Listing,
  directory: Directory,
  load: (name: string) => Effect.Effect<ArraySchema, ChangeError, Storage>,
): ReadonlyArray<ChangeEntry> => {
  const oldest = directory.schemas.reduce((min, { name }) => Math.min(min, name.end), Infinity)
  const first = directory.schemas.find(({ name }) => name.end === oldest)
  return directory.schemas.map((file): ChangeEntry => {
    const { name, uri } = file
    const path = name.name === ARRAY_SCHEMA_FILE ? name.name : `${SCHEMA_FOLDER}/${name.name}`
    const change = { kind: file === first ? "created" : "evolved", start: name.start, end: name.end, path } as const
    const listed = (name.name === ARRAY_SCHEMA_FILE ? listing.root : listing.schemas).find((e) => e.name === name.name)
    return {
      ...change,
      id: path,
      load: Effect.gen(function* () {
        const { version } = yield* load(name.name)
        return { ...change, version, bytes: yield* fileSize(uri, listed), schemaName: name.name }
      }),
    }
  })
}

/** Finds the fragments, whether others replace them or not. */
const fragmentEntries = (
  access: TileAccess,
  directory: Directory,
  schemas: ReturnType<typeof makeSchemas>,
): ReadonlyArray<ChangeEntry> => {
  const combined = new Set(directory.vacuums.map(({ name }) => name.name))
  const superseded = new Set(directory.vacuums.flatMap(({ supersedes }) => [...supersedes]))
  return directory.fragments.map((entry: FragmentEntry): ChangeEntry => {
    const { name, uri } = entry
    const change = {
      kind: name.start < name.end || combined.has(name.name) ? "consolidated" : "written",
      start: name.start,
      end: name.end,
      path: within(directory.uri, uri),
    } as const
    const replaced = superseded.has(name.name)
    // a vacuum may remove the files after the listing
    const vanished: LoggedChange = {
      ...change,
      version: name.version === 0 ? null : name.version,
      bytes: null,
      cells: null,
      replaced,
    }
    const load: Effect.Effect<LoggedChange, ChangeError, Storage> = Effect.gen(function* () {
      const bytes = yield* folderSize(uri)
      if (bytes === undefined) return vanished
      const loaded = yield* Effect.either(loadFragment(access, entry, schemas, undefined))
      if (loaded._tag === "Left") {
        if ((yield* folderSize(uri)) === undefined) return vanished
        return yield* Effect.fail(loaded.left)
      }
      const { version, dense, schemaName } = loaded.right
      return {
        ...change,
        version,
        bytes,
        cells: cellCount(loaded.right),
        dense,
        schemaName: schemaName === "" ? ARRAY_SCHEMA_FILE : schemaName,
        replaced,
      }
    })
    return { ...change, id: name.name, load }
  })
}

/** Finds the delete conditions. */
const deleteEntries = (listing: Listing, directory: Directory): ReadonlyArray<ChangeEntry> =>
  directory.deletes.map(({ name, time, uri, bytes }): ChangeEntry => {
    const change = { kind: "deleted", start: time, end: time, path: name } as const
    const listed = listing.commits.find((entry) => `${COMMITS_FOLDER}/${entry.name}` === name)
    return {
      ...change,
      id: name,
      load: Effect.map(
        bytes === undefined ? fileSize(uri, listed) : Effect.succeed(bytes.byteLength),
        (size) => ({ ...change, version: parseName(name)?.version ?? null, bytes: size }),
      ),
    }
  })

/** Finds the files of consolidated commits and of consolidated fragment metadata. */
const consolidatedEntries = (listing: Listing, footers: ReadonlyArray<Entry>): ReadonlyArray<ChangeEntry> =>
  [
    ...listing.root.map((entry) => ({ entry, path: entry.name })),
    ...listing.commits.map((entry) => ({ entry, path: `${COMMITS_FOLDER}/${entry.name}` })),
    ...footers.map((entry) => ({ entry, path: `${FRAGMENT_METADATA_FOLDER}/${entry.name}` })),
  ].flatMap(({ entry, path }): ReadonlyArray<ChangeEntry> => {
    const name = entry.kind === "file" && /\.(con|meta)$/.test(path) ? parseName(path) : undefined
    if (name === undefined) return []
    const change = { kind: "consolidated", start: name.start, end: name.end, path } as const
    const version = name.version === 0 ? null : name.version
    const load = Effect.map(fileSize(join(listing.uri, path), entry), (bytes) => ({ ...change, version, bytes }))
    return [{ ...change, id: path, load }]
  })

/** Finds the changes of an array in its listing, except those of its metadata. */
export const arrayEntries = (
  access: TileAccess,
  listing: Listing,
): Effect.Effect<ReadonlyArray<ChangeEntry>, NotFound | StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const directory = yield* loadDirectory(listing)
    const schemas = makeSchemas(access, directory)
    const hasFooters = listing.root.some(({ name }) => name === FRAGMENT_METADATA_FOLDER)
    const footers = hasFooters ? yield* storage.list(join(listing.uri, FRAGMENT_METADATA_FOLDER)) : []
    return [
      ...schemaEntries(listing, directory, schemas.load),
      ...fragmentEntries(access, directory, schemas),
      ...deleteEntries(listing, directory),
      ...consolidatedEntries(listing, footers),
    ]
  })

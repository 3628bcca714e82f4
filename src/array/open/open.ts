/**
 * Opens arrays at a time or over a time range. Takes the listings, the schema, and one read of the end of each
 * fragment's metadata.
 */
import * as Effect from "effect/Effect"
import { Codecs } from "../../../platform/codecs/service.ts"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import type { EncryptionKey } from "../../../platform/keys.ts"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { decode } from "../../../schema/binary/mod.ts"
import {
  consolidatedFooters,
  ConsolidatedFragmentMetadata,
} from "../../../schema/commit/consolidated_fragment_metadata.ts"
import { ARRAY_SCHEMA_FILE, FRAGMENT_METADATA_FOLDER, GROUP_FILE } from "../../../schema/name/array_paths.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { loadFragment } from "../../fragment/load/load_fragment.ts"
import { type BoundedCache, type CacheSpace, makeBoundedCache } from "../../kernel/bounded_cache.ts"
import { attemptFormat, attemptTile, type TileError } from "../../tile/attempt.ts"
import { openGenericTile, type TileAccess } from "../../tile/generic_tile.ts"
import { checkFragmentSchema } from "./check_schema.ts"
import {
  type DeleteEntry,
  type FragmentEntry,
  isArray,
  loadDirectory,
  newestFooters,
  schemaAt,
  type TimeRange,
  visibleDeletes,
  visibleFragments,
} from "./directory.ts"
import { keyBytes, withKey } from "./key.ts"
import { ArrayNotFound, type ArrayNotFoundReason, type InvalidOption } from "./errors.ts"
import { join, type Listing, type SchemaListing } from "./listing.ts"
import { type Opening, openingOf, type OpenOptions } from "./open_options.ts"
import { readListed } from "./read_listed.ts"
import { makeSchemas } from "./schemas.ts"
import { marksIn } from "./unfinished.ts"

/** An open array in its internal form; `handle.ts` contains the public form. */
export interface OpenedArray {
  readonly uri: string
  readonly schema: ArraySchema
  /** Name of the schema file. */
  readonly schemaName: string
  readonly time: TimeRange
  /** The fragments that a read includes, oldest first. */
  readonly fragments: ReadonlyArray<Fragment>
  /** The delete conditions that a read applies, oldest first. */
  readonly deletes: ReadonlyArray<DeleteEntry>
  readonly key: EncryptionKey | undefined
  readonly verifyChecksums: boolean
  /** Caches all loaded metadata, up to a limit. Arrays that are opened again share it. */
  readonly bounded: BoundedCache
  /** Cached data of this snapshot: label arrays, delete conditions. */
  readonly cache: CacheSpace
  /** Cached data of the schemas, which never change: enumerations. */
  readonly schemaCache: CacheSpace
}

/** Errors of opening. */
export type OpenError = InvalidOption | ArrayNotFound | NotFound | StorageError | TileError

/** Time options for reopening an array: see {@link OpenOptions}. */
export type ReopenOptions = Pick<OpenOptions, "at" | "start" | "end">

/** Returns the decoding context for the tiles of an open array or group. */
export const accessOf = (
  opened: { readonly key: EncryptionKey | undefined; readonly verifyChecksums: boolean },
): Effect.Effect<TileAccess, never, Codecs> =>
  Effect.map(Codecs, (codecs) => ({ codecs, key: keyBytes(opened.key), verifyChecksums: opened.verifyChecksums }))

/** Returns a hint for URLs made from paths: they escape characters that array URIs do not escape. */
const escapeHint = (uri: string): string =>
  /^file:.*%[0-9a-f]{2}/i.test(uri)
    ? "; percent signs are not decoded in local paths: write the path without escapes"
    : ""

const isUnfinished = (listing: SchemaListing): boolean =>
  listing.root.every((e) => e.name !== GROUP_FILE) && marksIn(listing.root).length > 0

/** Returns why there is no array in a listing: what the folder contains instead. */
const notArray = (listing: SchemaListing): readonly [ArrayNotFoundReason, detail: string] =>
  listing.root.some((e) => e.name === GROUP_FILE)
    ? ["IsGroup", "this is a group, not an array; open one of its members"]
    : listing.root.length === 0
    ? ["Empty", `there is no array here; check the path and the permission to list it${escapeHint(listing.uri)}`]
    : isUnfinished(listing)
    ? ["Unfinished", "there is no array here, but an unfinished copy or import"]
    : ["OtherFiles", "this folder is not an array: it has no schema"]

/** Returns the error for a listing without an array. */
export const noArray = (listing: SchemaListing): ArrayNotFound => {
  const [reason, detail] = notArray(listing)
  const hint = reason === "Unfinished" ? { _tag: "Resume" } as const : undefined
  return new ArrayNotFound({ uri: listing.uri, reason, detail, hint })
}

/** Opens an array. */
export const openArray = (
  uri: string,
  options: OpenOptions = {},
): Effect.Effect<OpenedArray, OpenError, Storage | Codecs> =>
  Effect.suspend(() => openArrayWithin(makeBoundedCache(), uri, options))

/** Opens an array that caches its metadata in `bounded`. */
export const openArrayWithin = (
  bounded: BoundedCache,
  uri: string,
  options: OpenOptions = {},
): Effect.Effect<OpenedArray, OpenError, Storage | Codecs> =>
  Effect.flatMap(openingOf(uri, options), (opening) => openAt(opening, bounded, undefined))

/** Opens an array again, at another time or in its current state; unchanged files are not read again. */
export const reopenArray = (
  array: OpenedArray,
  options: ReopenOptions = {},
): Effect.Effect<OpenedArray, OpenError, Storage | Codecs> =>
  Effect.flatMap(
    openingOf(array.uri, { ...options, key: array.key, verifyChecksums: array.verifyChecksums }),
    (opening) => openAt(opening, array.bounded, array),
  )

const openAt = (
  opening: Opening,
  bounded: BoundedCache,
  before: OpenedArray | undefined,
): Effect.Effect<OpenedArray, OpenError, Storage | Codecs> =>
  readListed(opening.uri, (listing) => openListed(opening, listing, bounded, before))

const openListed = (
  { uri, time, key, verifyChecksums }: Opening,
  listing: Listing,
  bounded: BoundedCache,
  before: OpenedArray | undefined,
): Effect.Effect<OpenedArray, OpenError, Storage | Codecs> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const access = yield* accessOf({ key, verifyChecksums })
    if (!isArray(listing)) return yield* Effect.fail(noArray(listing))
    const directory = yield* loadDirectory(listing)
    const file = schemaAt(directory.schemas, time.end)
    if (file === undefined) return yield* Effect.fail(noArray(listing))

    const loadedBefore = new Map<string, Fragment>()
    // drop data that was read from files that have changed since
    for (const each of before?.fragments ?? []) if (!each.session.changed) loadedBefore.set(each.uri, each)
    const schemas = makeSchemas(access, directory, before === undefined ? undefined : knownSchemas(before))
    const schemaName = file.name.name
    // consolidated footers save requests only if there are several fragments to load
    const several = directory.fragments.reduce((n, f) => loadedBefore.has(f.uri) ? n : n + 1, 0) > 1
    const inDense = visibleFragments(directory, time, false)
    const inSparse = visibleFragments(directory, time, true)
    const isSame = inDense.length === inSparse.length && inDense.every((entry, i) => entry === inSparse[i])
    const load = (
      footers: ReadonlyMap<string, Uint8Array>,
      entry: FragmentEntry,
    ): Effect.Effect<Fragment | undefined, OpenError, Storage> => {
      const footer = footers.get(entry.name.name) ?? footers.get(entry.uri)
      const loading = loadFragment(access, entry, schemas, footer, bounded.makeSpace())
      // before format 5 a folder without metadata is an uncommitted fragment
      return entry.name.version === 0 ? Effect.catchTag(loading, "NotFound", () => Effect.succeed(undefined)) : loading
    }
    const loadAll = (entries: ReadonlyArray<FragmentEntry>, footers: ReadonlyMap<string, Uint8Array>) =>
      Effect.forEach(entries.filter((entry) => !loadedBefore.has(entry.uri)), (entry) => load(footers, entry), {
        concurrency: inFlight(storage, uri, 16),
      })
    const concurrency = inFlight(storage, uri, 2)
    // a vacuum may have removed the file; the footers are also in the fragments
    const loadFooters = several
      ? Effect.catchTag(loadConsolidatedFooters(access, listing), "NotFound", () => Effect.succeed(NO_FOOTERS))
      : Effect.succeed(NO_FOOTERS)
    let entries = inDense
    let schema: ArraySchema
    let loaded: ReadonlyArray<Fragment | undefined>
    if (isSame && concurrency > 1) {
      // the fragments do not depend on the kind of the array: load them while its schema is loaded
      const loading = Effect.flatMap(loadFooters, (footers) => loadAll(entries, footers))
      ;[schema, loaded] = yield* Effect.all([schemas.load(schemaName), loading], { concurrency })
    } else {
      const [loadedSchema, footers] = yield* Effect.all([schemas.load(schemaName), loadFooters], { concurrency })
      schema = loadedSchema
      entries = schema.arrayType === "sparse" ? inSparse : inDense
      loaded = yield* loadAll(entries, footers)
    }
    for (const fragment of loaded) if (fragment !== undefined) loadedBefore.set(fragment.uri, fragment)
    const fragments = entries.map((entry) => loadedBefore.get(entry.uri)).filter((f) => f !== undefined)
    yield* attemptFormat(() => fragments.forEach((fragment) => checkFragmentSchema(schema, fragment)))
    const deletes = visibleDeletes(directory, time)
    const caches = { bounded, cache: bounded.makeSpace(), schemaCache: before?.schemaCache ?? bounded.makeSpace() }
    return withKey({ uri, schema, schemaName, time, fragments, deletes, verifyChecksums, ...caches }, key)
  })

/**
 * Returns the loaded schemas of an open array by file name, except `__array_schema.tdb`, which may have been replaced.
 */
const knownSchemas = (array: OpenedArray): ReadonlyMap<string, ArraySchema> => {
  const cache = new Map(array.fragments.map((fragment) => [fragment.schemaName, fragment.schema]))
  cache.set(array.schemaName, array.schema)
  cache.delete("")
  cache.delete(ARRAY_SCHEMA_FILE)
  return cache
}

const NO_FOOTERS: ReadonlyMap<string, Uint8Array> = new Map()

/** Loads the footers in the newest consolidated file. */
const loadConsolidatedFooters = (
  access: TileAccess,
  listing: Listing,
): Effect.Effect<ReadonlyMap<string, Uint8Array>, NotFound | StorageError | TileError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const folder = listing.root.some((e) => e.name === FRAGMENT_METADATA_FOLDER)
    const files = folder ? yield* storage.list(join(listing.uri, FRAGMENT_METADATA_FOLDER)) : []
    const newest = newestFooters(listing, files)
    if (newest === undefined) return NO_FOOTERS
    const file = yield* storage.read(newest.uri)
    return yield* attemptTile(() => {
      const tile = openGenericTile(access, newest.uri, file)
      const metadata = decode(ConsolidatedFragmentMetadata, tile.bytes, tile.version, newest.uri)
      return consolidatedFooters(metadata, tile.version, newest.uri)
    })
  })

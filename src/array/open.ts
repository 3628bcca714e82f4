/**
 * Opening arrays: the listings, the schema, and one tail read per fragment, for a moment or a range of time.
 */
import * as Effect from "effect/Effect"
import { Codecs } from "../../platform/codecs.ts"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage.ts"
import { type ArraySchema, decodeArraySchema } from "../../schema/array_schema.ts"
import { decode } from "../../schema/binary/mod.ts"
import { consolidatedFooters, ConsolidatedFragmentMetadata } from "../../schema/consolidated_fragment_metadata.ts"
import { FormatError } from "../../schema/errors.ts"
import {
  ARRAY_SCHEMA_FILE,
  FRAGMENT_METADATA_FOLDER,
  GROUP_FILE,
  SCHEMA_FOLDER,
} from "../../schema/name/array_paths.ts"
import type { Fragment } from "../fragment/fragment.ts"
import { loadFragment } from "../fragment/load_fragment.ts"
import { attemptFormat, attemptTile, type TileError } from "../tile/attempt.ts"
import { openGenericTile, type TileAccess } from "../tile/generic_tile.ts"
import {
  type DeleteEntry,
  isArray,
  loadDirectory,
  newestFooters,
  schemaAt,
  type TimeRange,
  visibleDeletes,
  visibleFragments,
} from "./directory.ts"
import { checkFragmentSchema, checkSchema } from "./check_schema.ts"
import { ArrayNotFound, type InvalidOption } from "./errors.ts"
import { join, listArray, type Listing } from "./listing.ts"
import { openingOf, type OpenOptions } from "./open_options.ts"

/** An open array, as the engine works with it; what users hold of it is in `handle.ts`. */
export interface OpenedArray {
  readonly uri: string
  readonly schema: ArraySchema
  /** The name of the schema's file. */
  readonly schemaName: string
  readonly time: TimeRange
  /** What a read sees, oldest first. */
  readonly fragments: ReadonlyArray<Fragment>
  /** The delete conditions that a read applies, oldest first. */
  readonly deletes: ReadonlyArray<DeleteEntry>
  readonly key: Uint8Array | undefined
  readonly verifyChecksums: boolean
}

/** What opening can fail with. */
export type OpenError = InvalidOption | ArrayNotFound | NotFound | StorageError | TileError

/** What the tiles of an open array or group are opened with. */
export const accessOf = (
  opened: { readonly key: Uint8Array | undefined; readonly verifyChecksums: boolean },
): Effect.Effect<TileAccess, never, Codecs> =>
  Effect.map(Codecs, (codecs) => ({ codecs, key: opened.key, verifyChecksums: opened.verifyChecksums }))

/** URLs made from paths escape what URIs of arrays do not. */
const escapeHint = (uri: string): string =>
  /^file:.*%[0-9a-f]{2}/i.test(uri) ? "; percent signs are no escapes here: write the path as it is" : ""

/** What is at a URI that is not an array. */
const hintOf = (listing: Listing): string =>
  listing.root.some((e) => e.name === GROUP_FILE)
    ? "this is a group, not an array; open one of its members"
    : listing.root.length === 0
    ? `there is no array here; check the path, and whether you may list it${escapeHint(listing.uri)}`
    : "this folder is not an array: it has no schema"

/** Reads one schema file. */
export const loadSchema = (
  access: TileAccess,
  uri: string,
): Effect.Effect<ArraySchema, NotFound | StorageError | TileError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const file = yield* storage.read(uri)
    return yield* attemptTile(() => checkSchema(decodeArraySchema(openGenericTile(access, uri, file).bytes, uri), uri))
  })

/** Opens an array. */
export const openArray = (
  uri: string,
  options: OpenOptions = {},
): Effect.Effect<OpenedArray, OpenError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri: at, time, key, verifyChecksums } = yield* openingOf(uri, options)
    const access = yield* accessOf({ key, verifyChecksums })
    const listing = yield* listArray(at)
    if (!isArray(listing)) return yield* Effect.fail(new ArrayNotFound({ uri: at, hint: hintOf(listing) }))
    const directory = yield* loadDirectory(listing)
    const file = schemaAt(directory, time.end)
    if (file === undefined) return yield* Effect.fail(new ArrayNotFound({ uri: at, hint: hintOf(listing) }))

    const schemas = new Map<string, Effect.Effect<ArraySchema, NotFound | StorageError | TileError, Storage>>()
    const schemaNamed = (name: string) =>
      Effect.gen(function* () {
        const wanted = name === "" ? ARRAY_SCHEMA_FILE : name
        let loading = schemas.get(wanted)
        if (loading === undefined) {
          const found = directory.schemas.find((s) => s.name.name === wanted)
          if (found === undefined) {
            return yield* Effect.fail(
              new FormatError({
                uri: at,
                path: SCHEMA_FOLDER,
                offset: 0,
                version: 0,
                reason: `a fragment was written by the schema ${wanted}, which is not there`,
              }),
            )
          }
          loading = yield* Effect.cached(loadSchema(access, found.uri))
          schemas.set(wanted, loading)
        }
        return yield* loading
      })
    const schemaName = file.name.name
    // footers together pay off where there are several
    const [schema, footers] = yield* Effect.all([
      schemaNamed(schemaName),
      directory.fragments.length > 1 ? loadConsolidatedFooters(access, listing) : Effect.succeed(NO_FOOTERS),
    ], { concurrency: 2 })
    const entries = visibleFragments(directory, time, schema.arrayType === "sparse")
    const fragments = yield* Effect.forEach(entries, (entry) =>
      loadFragment(access, entry, schemaNamed, footers.get(entry.name.name) ?? footers.get(entry.uri)).pipe(
        Effect.tap((fragment) =>
          attemptFormat(() => checkFragmentSchema(schema, fragment))
        ),
        // before format 5 a folder without metadata is a fragment that was never committed
        Effect.catchTag(
          "NotFound",
          (error) => entry.name.version === 0 ? Effect.succeed(undefined) : Effect.fail(error),
        ),
      ), { concurrency: 16 })
    return {
      uri: at,
      schema,
      schemaName,
      time,
      fragments: fragments.filter((f) =>
        f !== undefined
      ),
      deletes: visibleDeletes(directory, time),
      key,
      verifyChecksums,
    }
  })

const NO_FOOTERS: ReadonlyMap<string, Uint8Array> = new Map()

/** The footers in the newest consolidated file. */
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

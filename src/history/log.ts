/**
 * The log of an array or group: its changes in the order of time.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import { traced } from "../../platform/observability/spans.ts"
import { inFlight, Storage } from "../../platform/storage/service.ts"
import type { ArrayNotFound, InvalidOption } from "../array/open/errors.ts"
import { resolveTags } from "../array/metadata/tag_times.ts"
import { isArray } from "../array/open/directory.ts"
import type { AnyTileArray } from "../array/open/handle.ts"
import { listArray } from "../array/open/listing.ts"
import { accessOf, noArray } from "../array/open/open.ts"
import { openingOf, type OpenOptions } from "../array/open/open_options.ts"
import { kindOfFolder } from "../group/object_type.ts"
import { openGroupTile, type TileGroup } from "../group/open_group.ts"
import { openGenericTileSteps, type TileAccess } from "../tile/generic_tile.ts"
import { addressOf } from "./address.ts"
import { arrayEntries } from "./array_entries.ts"
import { type ChangeEntry, type ChangeError, compareChanges, type LoggedChange } from "./change.ts"
import { loadItems } from "./tags.ts"
import { memberEntries, metadataEntries } from "./file_entries.ts"

/** Options of a log. */
export type LogOptions = Pick<OpenOptions, "start" | "end" | "key">

/** Errors of a log. */
export type LogError = InvalidOption | ArrayNotFound | ChangeError

/** Finds the changes of the array or group at `uri`, oldest first. */
export const findEntries = (
  access: TileAccess,
  uri: string,
): Effect.Effect<ReadonlyArray<ChangeEntry>, LogError, Storage> =>
  Effect.gen(function* () {
    const listing = yield* listArray(uri)
    const parts = isArray(listing)
      ? [arrayEntries(access, listing), metadataEntries(access, uri, openGenericTileSteps)]
      : kindOfFolder(listing.root) === "group"
      ? [memberEntries(access, uri), metadataEntries(access, uri, openGroupTile)]
      : [Effect.fail(noArray(listing))]
    return (yield* Effect.all(parts)).flat().sort(compareChanges)
  })

/**
 * Returns the changes of an array or group, oldest first: schemas, fragments, deletes, consolidations, metadata and
 * members. Files that a vacuum removed are not part of it. `start` and `end` select the changes whose last time is
 * between them, both inclusive; by default all changes are returned, also those with a time in the future. Format
 * versions up to 9 do not store the time of a creation, which is 0 then, and groups do not store their creation.
 *
 * Takes a listing of each folder, a read of each schema and of each metadata file, and for each fragment a listing and a
 * read. Fails with `ArrayNotFound`, `InvalidOption`, `NotFound` or `StorageError`, and with `FormatError`, `CodecError`,
 * `ChecksumMismatch` or `DecryptionFailed` for unreadable files.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const array = yield* TileArray.create("mem://log", Log, { at: 500 })
 *   yield* Sparse.write(array, { x: [1], n: [7] }, { at: 1000 })
 *   yield* TileArray.putMetadata(array, { title: "Counts" }, { at: 2000 })
 *   return (yield* TileArray.log("mem://log")).map(({ end, kind, cells }) => [end, kind, cells])
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [
 *   [500, "created", undefined],
 *   [1000, "written", 1],
 *   [2000, "metadata", undefined],
 * ])
 * ```
 */
export const log = (
  target: AnyTileArray | TileGroup | string,
  options: LogOptions = {},
): Effect.Effect<ReadonlyArray<LoggedChange>, LogError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri: place, key: chosen } = addressOf(target, options.key)
    const end = options.end ?? Number.MAX_SAFE_INTEGER
    const input = { ...options, end, ...(chosen === undefined ? {} : { key: chosen }) }
    const { uri, time, key } = yield* openingOf(place, yield* resolveTags(place, input, chosen, loadItems))
    const access = yield* accessOf({ key, verifyChecksums: true })
    const storage = yield* Storage
    const entries = (yield* findEntries(access, uri)).filter((e) => time.start <= e.end && e.end <= time.end)
    return yield* Effect.forEach(entries, ({ load }) => load, { concurrency: inFlight(storage, uri, 16) })
  }).pipe(traced("TileArray.log", target))

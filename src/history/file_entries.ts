/**
 * Finds the changes that are single files: metadata and members.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../platform/errors.ts"
import { type Entry, Storage } from "../../platform/storage/service.ts"
import { decodeSteps } from "../../schema/binary/mod.ts"
import { GroupDetails } from "../../schema/group.ts"
import { MetadataEntries } from "../../schema/metadata_entries.ts"
import { GROUP_FOLDER, METADATA_FOLDER } from "../../schema/name/array_paths.ts"
import { parseName, type TimestampedName } from "../../schema/name/timestamped_name.ts"
import { join } from "../array/open/listing.ts"
import type { OpenTile } from "../array/metadata/metadata.ts"
import { NUMPY_SHAPE_PREFIX, NUMPY_VALUES_PREFIX } from "../array/metadata/numpy_metadata.ts"
import { memberKey, openGroupTile } from "../group/open_group.ts"
import { attemptTileSteps } from "../tile/attempt.ts"
import { withTurns } from "../../platform/host/event_loop_turns.ts"
import type { GenericTile, TileAccess } from "../tile/generic_tile.ts"
import type { Steps } from "../kernel/steps.ts"
import type { ChangeEntry, ChangeError, ChangeKind, LoggedChange } from "./change.ts"

/** Returns the size of a listed file; `null` if it was removed meanwhile. */
export const fileSize = (uri: string, entry?: Entry): Effect.Effect<number | null, StorageError, Storage> =>
  entry?.size !== undefined ? Effect.succeed(entry.size) : Effect.flatMap(
    Storage,
    (storage) => Effect.catchTag(storage.size(uri), "NotFound", () => Effect.succeed(null)),
  )

/** Returns the entry of a listing with its name, if it is a file with a timestamped name and without a suffix. */
const namedFile = (entry: Entry): ReadonlyArray<{ readonly entry: Entry; readonly name: TimestampedName }> => {
  const name = entry.kind === "file" ? parseName(entry.name) : undefined
  return name === undefined || name.name !== entry.name ? [] : [{ entry, name }]
}

/** keys may be arbitrary bytes; invalid UTF-8 is shown as U+FFFD */
const keyText = (key: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(key)

/** Returns the key that `Metadata.values` shows for a stored key: that of the array for the parts of a NumPy array. */
const keyOf = (key: Uint8Array): string => {
  const text = keyText(key)
  const prefix = [NUMPY_VALUES_PREFIX, NUMPY_SHAPE_PREFIX].find((prefix) => text.startsWith(prefix)) ?? ""
  return text.slice(prefix.length)
}

/** The names that a file sets and deletes. */
type Names = Pick<Required<LoggedChange>, "added" | "removed">

const fileEntries = (
  uri: string,
  folder: string,
  kindOf: (name: TimestampedName) => ChangeKind,
  openTile: (file: string, bytes: Uint8Array) => Steps<GenericTile>,
  namesIn: (tile: GenericTile, file: string) => Steps<Names>,
): Effect.Effect<ReadonlyArray<ChangeEntry>, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const files = (yield* storage.list(join(uri, folder))).flatMap(namedFile)
    return files.map(({ entry, name }): ChangeEntry => {
      const file = join(uri, folder, entry.name)
      const change = { kind: kindOf(name), start: name.start, end: name.end, path: `${folder}/${entry.name}` }
      const load: Effect.Effect<LoggedChange, ChangeError, Storage> = withTurns(Effect.gen(function* () {
        const bytes = yield* Effect.catchTag(storage.read(file), "NotFound", () => Effect.succeed(undefined))
        if (bytes === undefined) return { ...change, version: null, bytes: null }
        return yield* attemptTileSteps(function* () {
          const tile = yield* openTile(file, bytes)
          return {
            ...change,
            version: tile.version,
            bytes: bytes.byteLength,
            ...(yield* namesIn(tile, file)),
          }
        })
      }))
      return { ...change, id: change.path, load }
    })
  })

/** Finds the metadata files of an array or group. */
export const metadataEntries = (
  access: TileAccess,
  uri: string,
  openTile: OpenTile,
): Effect.Effect<ReadonlyArray<ChangeEntry>, StorageError, Storage> =>
  fileEntries(
    uri,
    METADATA_FOLDER,
    ({ start, end }) => start < end ? "consolidated" : "metadata",
    (file, bytes) => openTile(access, file, bytes),
    function* (tile, file): Steps<Names> {
      const entries = yield* decodeSteps(MetadataEntries, tile.bytes, tile.version, file)
      const keys = (deleted: boolean) => new Set(entries.filter((e) => e.deleted === deleted).map((e) => keyOf(e.key)))
      const added = keys(false)
      return { added: [...added], removed: [...keys(true)].filter((key) => !added.has(key)) }
    },
  )

/** Finds the member files of a group. */
export const memberEntries = (
  access: TileAccess,
  uri: string,
): Effect.Effect<ReadonlyArray<ChangeEntry>, StorageError, Storage> =>
  fileEntries(
    uri,
    GROUP_FOLDER,
    () => "members",
    (file, bytes) => openGroupTile(access, file, bytes),
    function* (tile, file): Steps<Names> {
      const { members } = yield* decodeSteps(GroupDetails, tile.bytes, tile.version, file)
      const keys = (deleted: boolean) => members.filter((member) => member.deleted === deleted).map(memberKey)
      return { added: keys(false), removed: keys(true) }
    },
  )

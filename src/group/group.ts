/**
 * Groups: open one, list what is where, walk all of it.
 *
 * ```ts
 * import { Group } from "@tessera/array"
 * import { layerDefault } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const names = Effect.map(Group.ls("tests/golden/demo"), (found) => found.map((entry) => entry.name))
 * assertEquals(await Effect.runPromise(Effect.provide(names, layerDefault)), ["weather"])
 * ```
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { loadMetadata, type MetadataError, type MetadataItem } from "../array/metadata.ts"
import { accessOf } from "../array/open.ts"
import type { OpenOptions } from "../array/open_options.ts"
import { type GroupError, type Member, openGroup, openGroupTile, type TileGroup } from "./open_group.ts"

export type { MetadataError, MetadataItem } from "../array/metadata.ts"
export type { OpenOptions } from "../array/open_options.ts"
export { ls, type ObjectEntry, type ObjectTree, tree } from "./list_objects.ts"
export { type ObjectKind, objectType } from "./object_type.ts"
export type { GroupError, Member, TileGroup } from "./open_group.ts"
export { type Visit, walk } from "./walk.ts"

/**
 * Opens a group as it is now, at a moment, or over a range of time. Costs two listings and a read of what lists its members.
 * Fails with `ArrayNotFound` if there is no group, with `InvalidOption` before anything is read, with `StorageError` or
 * `NotFound`, and with `FormatError`, `CodecError`, `ChecksumMismatch`, `DecryptionFailed` or `Unsupported` for files that
 * cannot be read. Format: `group.md`.
 */
export const open: (
  uri: string,
  options?: OpenOptions,
) => Effect.Effect<TileGroup, GroupError, Storage | Codecs> = openGroup

/** The members of an open group, sorted by name, with their whole URIs. Costs nothing. */
export const members = (group: TileGroup): ReadonlyArray<Member> => group.members

/**
 * The group's metadata over the range of time that it was opened for, sorted by the bytes of the keys; `Metadata` makes
 * values of it. Costs a listing, and a read of each metadata file in that time. Fails as `TileArray.metadata` does.
 */
export const metadata = (
  group: TileGroup,
): Effect.Effect<ReadonlyArray<MetadataItem>, MetadataError, Storage | Codecs> =>
  Effect.flatMap(accessOf(group), (access) => loadMetadata(group.uri, group.time, access, openGroupTile))

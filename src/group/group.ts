/**
 * Groups: creates and opens groups, changes their members, and lists the objects below them.
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
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { ChangeOptions } from "../array/create/change_options.ts"
import { loadMetadata, type MetadataError, type MetadataItem } from "../array/metadata/metadata.ts"
import { resolveTags } from "../array/metadata/tag_times.ts"
import { accessOf } from "../array/open/open.ts"
import type { OpenOptions } from "../array/open/open_options.ts"
import { changeMembers, type ChangeMembersError, type MemberChanges, type NewMember } from "./change_members.ts"
import { createGroup, type CreateGroupError } from "./create_group.ts"
import { loadGroupItems } from "./group_tags.ts"
import { type GroupError, type Member, openGroup, openGroupTile, type TileGroup } from "./open_group.ts"

export type { ChangeOptions } from "../array/create/change_options.ts"
export type { StoreError } from "../array/create/create_structure.ts"
export type { MetadataEdit, MetadataEntriesInput } from "../array/metadata/edit_metadata.ts"
export type { MetadataError, MetadataItem } from "../array/metadata/metadata.ts"
export type { OpenOptions } from "../array/open/open_options.ts"
export { type ConsolidateGroupMetadataError, consolidateMetadata, vacuumMetadata } from "./consolidate_metadata.ts"
export type { ConsolidateResult } from "../maintain/directory/result.ts"
export type { KeptFile, VacuumFailure, VacuumResult } from "../maintain/vacuum/removal.ts"
export type { VacuumError, VacuumOptions } from "../maintain/vacuum.ts"
export type { ChangeMembersError, MemberChanges, NewMember } from "./change_members.ts"
export type { CreateGroupError } from "./create_group.ts"
export { type ListOptions, ls, type ObjectEntry, type ObjectTree, tree } from "./list_objects.ts"
export { type ObjectKind, objectType } from "./object_type.ts"
export type { GroupError, Member, TileGroup } from "./open_group.ts"
export { deleteMetadata, editMetadata, type PutGroupMetadataError, putMetadata } from "./put_metadata.ts"
export { type Visit, walk } from "./walk.ts"

/**
 * Creates an empty group. Existing contents of the folder stay and do not become members. Fails with `AlreadyExists` if
 * a group or an array exists at the URI, with `StorageError`, and with `InvalidOption` for an invalid URI.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.create("mem://all/some")
 *   yield* Group.add("mem://all", { uri: "some", relative: true, name: "part" })
 *   yield* Group.putMetadata("mem://all", { title: "Everything" })
 *   return Group.members(yield* Group.open("mem://all"))
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [
 *   { uri: "mem://all/some", type: "group", name: "part", relative: true },
 * ])
 * ```
 */
export const create = (uri: string): Effect.Effect<void, CreateGroupError, Storage> =>
  createGroup(uri).pipe(traced("Group.create", uri))

/**
 * Adds one or more members to a group, in one file. A member replaces an existing one of the same name; a member
 * without a name is identified by its URI. `group` is an open group or a URI; an open group does not change. With a
 * key, the file is encrypted.
 *
 * Takes two listings, a read of the member files, and a listing for each member without a type. Fails with
 * `WriteError`, which names the member, if no object exists at its URI, or if the URI is not absolute; with
 * `ArrayNotFound` if there is no group, `InvalidOption`, `StorageError`, and with `FormatError`, `CodecError`,
 * `ChecksumMismatch` or `DecryptionFailed` for unreadable files. After a failure the group is unchanged.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   for (const uri of ["mem://all", "mem://all/inside", "mem://elsewhere"]) yield* Group.create(uri)
 *   yield* Group.add("mem://all", [
 *     { uri: "inside", relative: true, name: "part" },
 *     { uri: "mem://elsewhere" },
 *     { uri: "mem://to/come", type: "array", name: "later" },
 *   ])
 *   const names = Group.members(yield* Group.open("mem://all")).map((member) => member.name)
 *   assertEquals(names, ["later", null, "part"])
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const add = (
  group: TileGroup | string,
  member: NewMember | ReadonlyArray<NewMember>,
  options: ChangeOptions = {},
): Effect.Effect<void, ChangeMembersError, Storage | Codecs> =>
  changeMembers(group, { add: isList(member) ? member : [member] }, options).pipe(traced("Group.add", group))

/**
 * Removes one or more members from a group, by name or URI, in one file. The objects themselves stay. Fails with
 * `WriteError` if there is no such member, or if several members have the URI, and otherwise as {@link add} does.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.add("mem://all", { uri: "mem://to/come", type: "array", name: "later" })
 *   yield* Group.remove("mem://all", "later")
 *   assertEquals(Group.members(yield* Group.open("mem://all")), [])
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const remove = (
  group: TileGroup | string,
  member: string | ReadonlyArray<string>,
  options: ChangeOptions = {},
): Effect.Effect<void, ChangeMembersError, Storage | Codecs> =>
  changeMembers(group, { remove: isList(member) ? member : [member] }, options).pipe(traced("Group.remove", group))

/**
 * Adds and removes members together, in one file. Fails as {@link add} and {@link remove} do.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.add("mem://all", { uri: "old", relative: true, type: "array", name: "data" })
 *   yield* Group.change("mem://all", {
 *     remove: ["data"],
 *     add: [{ uri: "new", relative: true, type: "array", name: "data 2" }],
 *   })
 *   assertEquals(Group.members(yield* Group.open("mem://all")).map((member) => member.name), ["data 2"])
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const change = (
  group: TileGroup | string,
  changes: MemberChanges,
  options?: ChangeOptions,
): Effect.Effect<void, ChangeMembersError, Storage | Codecs> =>
  changeMembers(group, changes, options).pipe(traced("Group.change", group))

const isList = <A>(input: A | ReadonlyArray<A>): input is ReadonlyArray<A> => Array.isArray(input)

/**
 * Opens a group in its current state, at a time, or over a time range. Takes two listings, and a read of each member
 * file. Fails with `ArrayNotFound` if there is no group, with `InvalidOption` before any request, with `StorageError`
 * or `NotFound`, and with `FormatError`, `CodecError`, `ChecksumMismatch` or `DecryptionFailed` for unreadable files.
 * Format: `group.md`.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   const empty = yield* Group.open("mem://all")
 *   return [empty.uri, empty.members.length]
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), ["mem://all", 0])
 * ```
 */
export const open = (
  uri: string,
  options?: OpenOptions,
): Effect.Effect<TileGroup, GroupError, Storage | Codecs> =>
  Effect.flatMap(
    resolveTags(uri, options === undefined ? {} : options, options?.key, loadGroupItems),
    (resolved) => openGroup(uri, resolved),
  ).pipe(traced("Group.open", uri))

/**
 * Returns the members of an open group, sorted by name, with resolved URIs. Takes no request.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.create("mem://other")
 *   yield* Group.add("mem://all", { uri: "mem://other", name: "friend" })
 *   return Group.members(yield* Group.open("mem://all"))
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [
 *   { uri: "mem://other", type: "group", name: "friend", relative: false },
 * ])
 * ```
 */
export const members = (group: TileGroup): ReadonlyArray<Member> => group.members

/**
 * Returns the group's metadata over its time range, sorted by the bytes of the keys; `Metadata` converts it to values.
 * Takes a listing, and a read of each metadata file in the time range. Fails as `TileArray.metadata` does.
 *
 * ```ts
 * import { Group, layerMemory, layerNative, Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.putMetadata("mem://all", { title: "Everything" })
 *   return Metadata.values(yield* Group.metadata(yield* Group.open("mem://all")))
 * })
 * const values = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(values.get("title"), "Everything")
 * ```
 */
export const metadata = (
  group: TileGroup,
): Effect.Effect<ReadonlyArray<MetadataItem>, MetadataError, Storage | Codecs> =>
  Effect.flatMap(accessOf(group), (access) => loadMetadata(group.uri, group.time, access, openGroupTile)).pipe(
    traced("Group.metadata", group),
  )

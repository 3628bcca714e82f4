/**
 * Changes the metadata of groups.
 */
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { Storage } from "../../platform/storage/service.ts"
import { CURRENT_VERSION } from "../../schema/version/version.ts"
import { type ChangeOptions, changingOf } from "../array/create/change_options.ts"
import type { StoreError } from "../array/create/create_structure.ts"
import {
  type EditedMetadata,
  editInto,
  type MetadataEdit,
  type MetadataEntriesInput,
  storeMetadata,
} from "../array/metadata/edit_metadata.ts"
import type { ArrayNotFound, InvalidOption, WriteError } from "../array/open/errors.ts"
import { accessOf } from "../array/open/open.ts"
import { checkGroup, type TileGroup } from "./open_group.ts"

/** Errors of changing the metadata of a group. */
export type PutGroupMetadataError = InvalidOption | WriteError | ArrayNotFound | StoreError

/**
 * Changes the metadata of a group, in one file. The changes of `change` are written after it succeeds; if it fails or
 * is interrupted, nothing is written. `group` is an open group or a URI. With a key, the file is encrypted. Without
 * `at`, the metadata files are listed to find a time after the newest one.
 *
 * Fails as `change` does; with `ArrayNotFound` if there is no group, `InvalidOption`, `StorageError` or `CodecError`.
 *
 * ```ts
 * import { Group, layerMemory, layerNative, Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.editMetadata("mem://all", (metadata) =>
 *     Effect.zipRight(metadata.put({ title: "Everything" }), metadata.delete(["draft"])))
 *   const items = yield* Effect.flatMap(Group.open("mem://all"), Group.metadata)
 *   assertEquals(Metadata.values(items), new Map([["title", "Everything"]]))
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const editMetadata = <A, E, R>(
  group: TileGroup | string,
  change: (metadata: MetadataEdit) => Effect.Effect<A, E, R>,
  options: ChangeOptions = {},
): Effect.Effect<A, E | PutGroupMetadataError, R | Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri, time, key } = yield* changingOf(group, options)
    if (typeof group === "string") {
      const storage = yield* Storage
      yield* checkGroup(uri, yield* storage.list(uri))
    }
    const edited: EditedMetadata = []
    const result = yield* change(editInto(uri, edited))
    const access = yield* accessOf({ key, verifyChecksums: true })
    yield* storeMetadata(access, uri, time, CURRENT_VERSION, edited)
    return result
  }).pipe(traced("Group.editMetadata", group))

/**
 * Sets metadata of a group, in one file: values by key, or items as `Group.metadata` and `TileArray.metadata` return
 * them. Fails with `WriteError`, which names the key, for an invalid value, and otherwise as {@link editMetadata} does.
 *
 * ```ts
 * import { Group, layerMemory, layerNative, Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.putMetadata("mem://all", { title: "Everything", parts: Metadata.int16(3) })
 *   const items = yield* Effect.flatMap(Group.open("mem://all"), Group.metadata)
 *   assertEquals(Metadata.values(items).get("parts"), 3)
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const putMetadata = (
  group: TileGroup | string,
  entries: MetadataEntriesInput,
  options: ChangeOptions = {},
): Effect.Effect<void, PutGroupMetadataError, Storage | Codecs> =>
  editMetadata(group, (metadata) => metadata.put(entries), options).pipe(traced("Group.putMetadata", group))

/**
 * Deletes one or more keys of a group's metadata, in one file. Succeeds for missing keys. Fails as {@link editMetadata}
 * does.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.putMetadata("mem://all", { title: "Everything" })
 *   yield* Group.deleteMetadata("mem://all", ["title"])
 *   assertEquals(yield* Effect.flatMap(Group.open("mem://all"), Group.metadata), [])
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const deleteMetadata = (
  group: TileGroup | string,
  keys: Iterable<string>,
  options: ChangeOptions = {},
): Effect.Effect<void, PutGroupMetadataError, Storage | Codecs> =>
  editMetadata(group, (metadata) => metadata.delete(keys), options).pipe(traced("Group.deleteMetadata", group))

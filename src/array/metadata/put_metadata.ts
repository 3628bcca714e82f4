/**
 * Changes the metadata of arrays.
 */
import * as Effect from "effect/Effect"
import { traced } from "../../../platform/observability/spans.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { Since } from "../../../schema/version/version.ts"
import { type ChangeOptions, changingOf } from "../create/change_options.ts"
import type { StoreError } from "../create/create_structure.ts"
import {
  type EditedMetadata,
  editInto,
  type MetadataEdit,
  type MetadataEntriesInput,
  storeMetadata,
} from "./edit_metadata.ts"
import { type InvalidOption, WriteError } from "../open/errors.ts"
import { type AnyTileArray, openedOf } from "../open/handle.ts"
import { type LatestSchemaError, loadLatestSchema } from "../open/latest_schema.ts"
import { accessOf } from "../open/open.ts"

/** Errors of changing metadata. */
export type PutMetadataError = InvalidOption | WriteError | LatestSchemaError | StoreError

/**
 * Changes the metadata of an array, in one file. The changes of `change` are written after it succeeds; if it fails or
 * is interrupted, nothing is written. `array` is an open array or a URI; for a URI, the newest schema is read to verify
 * the array, its format version and the key. Open arrays do not show the change. Without `at`, the metadata files are
 * listed to find a time after the newest one.
 *
 * Fails as `change` does; with `WriteError` for arrays that cannot have metadata (format versions up to 3),
 * `ArrayNotFound`, `InvalidOption`, `StorageError`, and `FormatError`, `CodecError`, `ChecksumMismatch` or
 * `DecryptionFailed` for an unreadable schema.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Metadata, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
 *   const array = yield* TileArray.create("mem://array", schema)
 *   yield* TileArray.putMetadata(array, { draft: 1 })
 *   yield* TileArray.editMetadata(array, (metadata) =>
 *     Effect.gen(function* () {
 *       yield* metadata.put({ title: "Weather" })
 *       yield* metadata.delete(["draft"])
 *     }))
 *   const values = Metadata.values(yield* TileArray.metadata(yield* TileArray.reopen(array)))
 *   assertEquals(values, new Map([["title", "Weather"]]))
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const editMetadata = <A, E, R>(
  array: AnyTileArray | string,
  change: (metadata: MetadataEdit) => Effect.Effect<A, E, R>,
  options: ChangeOptions = {},
): Effect.Effect<A, E | PutMetadataError, R | Storage | Codecs> =>
  Effect.gen(function* () {
    const opened = typeof array === "string" ? undefined : openedOf(array)
    const { uri, time, key } = yield* changingOf(opened ?? (array as string), options)
    const { schema } = opened ?? (yield* loadLatestSchema(uri, key))
    if (schema.version < Since.metadata) {
      const detail = `metadata needs format version ${Since.metadata}, the array has ${schema.version}`
      return yield* Effect.fail(new WriteError({ uri, field: "", reason: "Unsupported", detail }))
    }
    const edited: EditedMetadata = []
    const result = yield* change(editInto(uri, edited))
    const access = yield* accessOf({ key, verifyChecksums: true })
    yield* storeMetadata(access, uri, time, schema.version, edited)
    return result
  }).pipe(traced("TileArray.editMetadata", array))

/**
 * Sets metadata of an array, in one file: values by key, or items of another array as `TileArray.metadata` returns
 * them. Fails with `WriteError`, which names the key, for an invalid value, and otherwise as {@link editMetadata} does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Metadata, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
 *   const array = yield* TileArray.create("mem://array", schema)
 *   yield* TileArray.putMetadata(array, {
 *     title: "Weather",
 *     scale: 0.5,
 *     version: Metadata.int32(3),
 *     grid: Metadata.numpy(Int16Array.of(1, 2, 3, 4), { shape: [2, 2] }),
 *   })
 *   const values = Metadata.values(yield* TileArray.metadata(yield* TileArray.reopen(array)))
 *   assertEquals([values.get("title"), values.get("scale"), values.get("version")], ["Weather", 0.5, 3])
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const putMetadata = (
  array: AnyTileArray | string,
  entries: MetadataEntriesInput,
  options: ChangeOptions = {},
): Effect.Effect<void, PutMetadataError, Storage | Codecs> =>
  editMetadata(array, (metadata) => metadata.put(entries), options).pipe(traced("TileArray.putMetadata", array))

/**
 * Deletes one or more keys of an array's metadata, in one file; NumPy arrays are deleted with both entries. Succeeds
 * for missing keys. Fails as {@link editMetadata} does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
 *   const array = yield* TileArray.create("mem://array", schema)
 *   yield* TileArray.putMetadata(array, { a: 1, b: 2 })
 *   yield* TileArray.deleteMetadata(array, ["a", "never there"])
 *   const items = yield* TileArray.metadata(yield* TileArray.reopen(array))
 *   assertEquals(items.map((item) => item.name), ["b"])
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const deleteMetadata = (
  array: AnyTileArray | string,
  keys: Iterable<string>,
  options: ChangeOptions = {},
): Effect.Effect<void, PutMetadataError, Storage | Codecs> =>
  editMetadata(array, (metadata) => metadata.delete(keys), options).pipe(traced("TileArray.deleteMetadata", array))

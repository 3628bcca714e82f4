/**
 * Writes, lists and removes the named times of arrays and groups.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import { invalidOption } from "../../platform/errors.ts"
import { traced } from "../../platform/observability/spans.ts"
import { Storage } from "../../platform/storage/service.ts"
import type { MetadataEdit } from "../array/metadata/edit_metadata.ts"
import type { MetadataItem } from "../array/metadata/metadata.ts"
import { editMetadata, type PutMetadataError } from "../array/metadata/put_metadata.ts"
import {
  attemptTag,
  encodeTag,
  isTagName,
  loadArrayItems,
  type LoadItems,
  resolveTags,
  type Tag,
  TAG_KEY_PREFIX,
  TAG_NAME_RULE,
  type TagError,
  tagNamed,
  tagsIn,
  unknownTag,
} from "../array/metadata/tag_times.ts"
import type { WriteError } from "../array/open/errors.ts"
import type { AnyTileArray } from "../array/open/handle.ts"
import {
  attemptOptions,
  checkFlag,
  checkNames,
  openingOf,
  type OpenOptions,
  placeOf,
  refuseFor,
  type TimeInput,
} from "../array/open/open_options.ts"
import { loadGroupItems } from "../group/group_tags.ts"
import { kindOfFolder, type ObjectKind } from "../group/object_type.ts"
import type { TileGroup } from "../group/open_group.ts"
import { editMetadata as editGroupMetadata } from "../group/put_metadata.ts"
import { addressOf } from "./address.ts"

export type { Tag, TagError } from "../array/metadata/tag_times.ts"

/** Options of reading tags. */
export type TagOptions = Pick<OpenOptions, "key">

/** Options of a new tag. */
export interface PutTagOptions extends TagOptions {
  /** The time that the tag names; may be another tag: `"tag:NAME"`. Default: now. */
  readonly at?: TimeInput
  /** Whether the tag may exist already with another time. Default: false. */
  readonly replace?: boolean
}

/** Errors of writing and removing tags. */
export type PutTagError = TagError | PutMetadataError

/** The metadata of an array or group. */
interface Tagged {
  readonly uri: string
  readonly kind: ObjectKind
  readonly items: ReadonlyArray<MetadataItem>
  readonly key: OpenOptions["key"]
}

/** Loads the current metadata of an array or group. */
const loadTagged = (
  target: AnyTileArray | TileGroup | string,
  options: TagOptions,
): Effect.Effect<Tagged, TagError, Storage | Codecs> =>
  Effect.gen(function* () {
    yield* attemptOptions(() => checkNames(options, ["key"], refuseFor(target)))
    const { uri: place, key } = addressOf(target, options.key)
    const uri = yield* placeOf(place)
    const storage = yield* Storage
    const kind = kindOfFolder(yield* storage.list(uri)) ?? "array"
    const items = yield* (kind === "group" ? loadGroupItems(uri, key) : loadArrayItems(uri, key))
    return { uri, kind, items, key }
  })

/** Loads the current metadata of the array or group at a URI. */
export const loadItems: LoadItems = (uri, key) =>
  Effect.map(loadTagged(uri, key === undefined ? {} : { key }), ({ items }) => items)

const edit = (
  { uri, kind, key }: Tagged,
  change: (metadata: MetadataEdit) => Effect.Effect<void, WriteError>,
): Effect.Effect<void, PutTagError, Storage | Codecs> => {
  const options = key === undefined ? {} : { key }
  return kind === "group" ? editGroupMetadata(uri, change, options) : editMetadata(uri, change, options)
}

/**
 * Names a time of an array or group: `at`, by default now. Every option that takes a time when reading then accepts
 * `"tag:NAME"`, and the command line the name itself. Names consist of letters, digits, dots, dashes and underscores and
 * start with a letter. The tag is stored as the metadata key `tessera.tag.NAME`; arrays need format version 4.
 *
 * Fails with `InvalidOption` for an invalid name, and (`Conflict`) if the tag exists with another time and `replace` is
 * not set; otherwise as `TileArray.putMetadata` and `TileArray.metadata` do.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const array = yield* TileArray.create("mem://log", Log)
 *   yield* Sparse.write(array, { x: [1], n: [7] }, { at: 1000 })
 *   yield* TileArray.putTag(array, "release-1", { at: 1500 })
 *   yield* Sparse.write(array, { x: [2], n: [8] }, { at: 2000 })
 *   return (yield* Sparse.read(array, { at: "tag:release-1" })).length
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), 1)
 * ```
 */
export const putTag = (
  target: AnyTileArray | TileGroup | string,
  name: string,
  options: PutTagOptions = {},
): Effect.Effect<Tag, PutTagError, Storage | Codecs> =>
  Effect.gen(function* () {
    yield* attemptOptions(() => {
      checkNames(options, ["at", "key", "replace"], refuseFor(target))
      checkFlag("replace", options.replace, refuseFor(target))
    })
    const { replace = false, ...times } = options
    const { uri: place, key: chosen } = addressOf(target, options.key)
    if (!isTagName(name)) return yield* Effect.fail(invalidOption(place, "name", TAG_NAME_RULE, name))
    const resolved = yield* resolveTags(place, times, chosen, loadItems)
    const { time } = yield* openingOf(place, resolved)
    const tagged = yield* loadTagged(target, options.key === undefined ? {} : { key: options.key })
    const { uri, items } = tagged
    const key = TAG_KEY_PREFIX + name
    const isTaken = items.some((item) => item.name === key)
    const created = yield* Clock.currentTimeMillis
    if (isTaken && !replace) {
      const existing = yield* attemptTag(() => tagNamed(uri, items, name, "name"))
      if (existing.time === time.end) return existing
      const detail = `the tag ${JSON.stringify(name)} exists with the time ${existing.time}; replace it, or choose ` +
        "another name"
      return yield* Effect.fail(invalidOption(uri, "name", detail, name, { reason: "Conflict" }))
    }
    const tag: Tag = { name, time: time.end, created }
    yield* edit(tagged, (metadata) => metadata.put({ [key]: encodeTag(tag) }))
    return tag
  }).pipe(traced("TileArray.putTag", target))

/**
 * Removes a tag; the changes of its time stay. Fails with `InvalidOption` if no tag has the name, with similar names,
 * and otherwise as `TileArray.deleteMetadata` and `TileArray.metadata` do.
 *
 * ```ts
 * import { Group, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* TileArray.putTag("mem://all", "first", { at: 1000 })
 *   yield* TileArray.deleteTag("mem://all", "first")
 *   return yield* TileArray.listTags("mem://all")
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [])
 * ```
 */
export const deleteTag = (
  target: AnyTileArray | TileGroup | string,
  name: string,
  options: TagOptions = {},
): Effect.Effect<void, PutTagError, Storage | Codecs> =>
  Effect.gen(function* () {
    const tagged = yield* loadTagged(target, options)
    const key = TAG_KEY_PREFIX + name
    // tags whose value or name is invalid can be removed too
    if (!tagged.items.some((item) => item.name === key)) {
      return yield* Effect.fail(unknownTag(tagged.uri, tagged.items, name, "name"))
    }
    yield* edit(tagged, (metadata) => metadata.delete([key]))
  }).pipe(traced("TileArray.deleteTag", target))

/**
 * Returns the tags of an array or group, by the times that they name. Tags are read from the current metadata, for any
 * time of an open array. Fails as `TileArray.metadata` does, and with `FormatError` for an invalid tag.
 *
 * ```ts
 * import { Group, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* TileArray.putTag("mem://all", "second", { at: "2024-02-29" })
 *   yield* TileArray.putTag("mem://all", "first", { at: 1000 })
 *   return (yield* TileArray.listTags("mem://all")).map(({ name, time }) => [name, time])
 * })
 * const found = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(found, [["first", 1000], ["second", 1709164800000]])
 * ```
 */
export const listTags = (
  target: AnyTileArray | TileGroup | string,
  options: TagOptions = {},
): Effect.Effect<ReadonlyArray<Tag>, TagError, Storage | Codecs> =>
  Effect.flatMap(loadTagged(target, options), ({ uri, items }) => attemptTag(() => tagsIn(uri, items))).pipe(
    traced("TileArray.listTags", target),
  )

/**
 * Named times: each tag of an array or group is one metadata key, `tessera.tag.NAME`, with JSON as its value. Options
 * that take a time accept `"tag:NAME"`. Tags are read from the current metadata, for any time that is opened.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { InvalidOption, invalidOption } from "../../../platform/errors.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { isText } from "../../../schema/array/scalar.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { METADATA_FOLDER } from "../../../schema/name/array_paths.ts"
import { attempt, failOn } from "../../../platform/attempt.ts"
import { isArray } from "../open/directory.ts"
import type { ArrayNotFound } from "../open/errors.ts"
import { join, listSchemas } from "../open/listing.ts"
import { accessOf, noArray } from "../open/open.ts"
import { openingOf, type OpenOptions } from "../open/open_options.ts"
import { loadMetadata, type MetadataError, type MetadataItem } from "./metadata.ts"

/** A named time of an array or group. */
export interface Tag {
  /** The name. */
  readonly name: string
  /** The time that it names, in milliseconds since 1970. */
  readonly time: number
  /** When the tag was written, in milliseconds since 1970. */
  readonly created: number
}

/** Errors of reading tags. */
export type TagError = InvalidOption | ArrayNotFound | MetadataError

/** Prefix of the metadata keys of tags. */
export const TAG_KEY_PREFIX = "tessera.tag."

/** Prefix of options that name a time. */
export const TAG_OPTION_PREFIX = "tag:"

/** Maximum size of the value of a tag in bytes. */
const MAX_TAG_SIZE = 1024

/** Names start with a letter, so that they cannot be confused with a number or a date. */
const tagName = /^\p{L}[\p{L}\p{M}\p{N}._-]{0,99}$/u

/** Returns whether text is a valid name of a tag. */
export const isTagName = (name: unknown): name is string => typeof name === "string" && tagName.test(name)

/** Describes valid names of tags. */
export const TAG_NAME_RULE =
  "a name has up to 100 letters, digits, dots, dashes and underscores, and starts with a letter"

const TagText: Schema.Schema<{
  readonly format: "tessera-tag"
  readonly version: 1
  readonly time: number
  readonly created: number
}> = Schema.Struct({
  format: Schema.Literal("tessera-tag"),
  version: Schema.Literal(1),
  time: Schema.NonNegativeInt,
  created: Schema.NonNegativeInt,
})

const decodeTag = Schema.decodeUnknownEither(Schema.parseJson(TagText))

/** Returns the metadata value of a tag. */
export const encodeTag = ({ time, created }: Omit<Tag, "name">): string =>
  JSON.stringify({ format: "tessera-tag", version: 1, time, created })

/** Returns the tag in a metadata item. Throws `FormatError` if it is not a tag of version 1. */
const tagIn = (uri: string, name: string, { type, value }: MetadataItem): Tag => {
  const isValid = isTagName(name) && isText(type) && value.byteLength <= MAX_TAG_SIZE
  const decoded = isValid ? decodeTag(new TextDecoder().decode(value)) : undefined
  if (decoded === undefined || Either.isLeft(decoded)) {
    throw new FormatError({
      uri: join(uri, METADATA_FOLDER),
      path: JSON.stringify(TAG_KEY_PREFIX + name).slice(1, -1),
      offset: 0,
      version: 0,
      detail: "the value of this metadata key is not a tag of version 1; remove the tag, or write it again",
    })
  }
  return { name, time: decoded.right.time, created: decoded.right.created }
}

/** Returns the items of tags by the names of the tags. */
const tagItems = (items: ReadonlyArray<MetadataItem>): ReadonlyMap<string, MetadataItem> =>
  new Map(
    items.flatMap((item) =>
      item.name?.startsWith(TAG_KEY_PREFIX) === true ? [[item.name.slice(TAG_KEY_PREFIX.length), item] as const] : []
    ),
  )

/** Returns the tags among metadata, by time. Throws `FormatError` for an invalid one. */
export const tagsIn = (uri: string, items: ReadonlyArray<MetadataItem>): ReadonlyArray<Tag> =>
  [...tagItems(items)].map(([name, item]) => tagIn(uri, name, item))
    .sort((a, b) => a.time - b.time || (a.name < b.name ? -1 : 1))

/** Maximum number of existing names in an error. */
const MAX_LISTED_NAMES = 20

/** Returns the error for a name that no tag has, with similar names. */
export const unknownTag = (
  uri: string,
  items: ReadonlyArray<MetadataItem>,
  name: string,
  option: string,
): InvalidOption => {
  const accepted = [...tagItems(items).keys()].filter(isTagName)
  const list = accepted.length === 0
    ? "it has no tags"
    : accepted.length <= MAX_LISTED_NAMES
    ? `it has ${accepted.join(", ")}`
    : `it has ${accepted.length} others`
  const shown = JSON.stringify(name)
  // options of the command line take times and names
  const problem = option.startsWith("--")
    ? `${shown} is not a time, and there is no tag of this name`
    : `there is no tag ${shown}`
  const detail = `${problem}; ${list}`
  return invalidOption(uri, option, detail, name, { accepted: accepted.slice(0, MAX_LISTED_NAMES), nearestTo: name })
}

/** Returns a tag by name. Throws `InvalidOption` for an unknown name, and `FormatError` for an invalid tag. */
export const tagNamed = (uri: string, items: ReadonlyArray<MetadataItem>, name: string, option: string): Tag => {
  const item = isTagName(name) ? tagItems(items).get(name) : undefined
  if (item === undefined) throw unknownTag(uri, items, name, option)
  return tagIn(uri, name, item)
}

/** Loads the current metadata of the object at a URI, which contains its tags. */
export type LoadItems = (
  uri: string,
  key: OpenOptions["key"],
) => Effect.Effect<ReadonlyArray<MetadataItem>, TagError, Storage | Codecs>

/** Loads the current metadata of an array. */
export const loadArrayItems: LoadItems = (uri, key) =>
  Effect.gen(function* () {
    const end = Number.MAX_SAFE_INTEGER
    const opening = yield* openingOf(uri, key === undefined ? { end } : { end, key })
    const listing = yield* listSchemas(opening.uri)
    if (!isArray(listing)) return yield* Effect.fail(noArray(listing))
    return yield* loadMetadata(opening.uri, opening.time, yield* accessOf(opening))
  })

/** Runs a function that may throw the errors of tags. */
export const attemptTag = <A>(run: () => A): Effect.Effect<A, InvalidOption | FormatError> =>
  attempt(run, failOn(InvalidOption, FormatError))

/** Options whose values may be the name of a tag. */
const TIME_OPTIONS = ["at", "start", "end", "to", "since", "from"] as const

/**
 * Replaces the names of tags among options by their times: `"tag:release-1"`. Without such a name, takes no request.
 */
export const resolveTags = <O extends object>(
  uri: string,
  options: O,
  key: OpenOptions["key"],
  load: LoadItems = loadArrayItems,
): Effect.Effect<O, TagError, Storage | Codecs> => {
  const input: Readonly<Record<string, unknown>> = typeof options === "object" && options !== null ? { ...options } : {}
  const named = TIME_OPTIONS.flatMap((option) => {
    const value = input[option]
    return typeof value === "string" && value.startsWith(TAG_OPTION_PREFIX)
      ? [[option, value.slice(TAG_OPTION_PREFIX.length)] as const]
      : []
  })
  if (named.length === 0) return Effect.succeed(options)
  return Effect.flatMap(load(uri, key), (items) =>
    attemptTag(() => ({
      ...options,
      ...Object.fromEntries(named.map(([option, name]) => [option, tagNamed(uri, items, name, option).time])),
    })))
}

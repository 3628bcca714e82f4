/**
 * Errors of the layers below the array format: storage and codecs.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { messageText } from "../schema/errors/message_text.ts"
import { nearestNames } from "../schema/errors/nearest.ts"
import { adviseApi, type Advised, Hint } from "../schema/errors/hint.ts"
import { taggedError, type TaggedErrorClass } from "../schema/errors/tagged_error.ts"

export type { TaggedErrorClass }

const NotFoundBase: TaggedErrorClass<NotFound, "NotFound", { readonly uri: string }> = taggedError("NotFound", () => ({
  uri: Schema.String,
}))

/**
 * No object exists at `uri`.
 *
 * ```ts
 * import { makeMemoryStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = makeMemoryStorage()
 * const size = Effect.catchTag(storage.size("mem://none"), "NotFound", ({ uri }) => Effect.succeed(`nothing at ${uri}`))
 * assertEquals(Effect.runSync(size), "nothing at mem://none")
 * ```
 */
export class NotFound extends NotFoundBase {
  /** Describes the error and its location. */
  override get message(): string {
    return `${this.uri}: there is nothing here`
  }
}

const AlreadyExistsBase: TaggedErrorClass<AlreadyExists, "AlreadyExists", {
  readonly uri: string
  readonly detail?: string
  readonly hint?: Hint
}> = taggedError("AlreadyExists", () => ({
  uri: Schema.String,
  detail: Schema.optional(Schema.String),
  hint: Schema.optional(Hint),
}))

/**
 * The name `uri` is taken: a file exists at the name of a new file, or an array, a group or other files exist at the
 * location of a new array. `detail` describes the existing content, if known, and `hint` is advice.
 *
 * ```ts
 * import { makeMemoryStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const { create } = makeMemoryStorage()
 * const again = Effect.zipRight(create("mem://a", Uint8Array.of(1)), create("mem://a", Uint8Array.of(2)))
 * const first = Effect.catchTag(again, "AlreadyExists", ({ uri }) => Effect.succeed(`another writer was first at ${uri}`))
 * assertEquals(Effect.runSync(first), "another writer was first at mem://a")
 * ```
 */
export class AlreadyExists extends AlreadyExistsBase implements Advised {
  /** Describes the error and its location. */
  get summary(): string {
    return `${this.uri}: ${this.detail ?? "a file already exists here"}`
  }

  /** Describes the error, its location and a remedy. */
  override get message(): string {
    return adviseApi(this)
  }
}

/** Reasons for a failed storage call. */
export type StorageReason =
  | "Denied"
  | "Timeout"
  | "Unavailable"
  | "Conflict"
  | "Truncated"
  | "Full"
  | "Occupied"
  | "BadName"
  | "Unsupported"
  | "Unknown"

/** All {@link StorageReason}s. */
export const storageReasons = [
  "Denied",
  "Timeout",
  "Unavailable",
  "Conflict",
  "Truncated",
  "Full",
  "Occupied",
  "BadName",
  "Unsupported",
  "Unknown",
] as const satisfies ReadonlyArray<StorageReason>

/** Names of storage calls, as errors report them. */
export type StorageOp =
  | "list"
  | "listPage"
  | "listAllPage"
  | "head"
  | "size"
  | "exists"
  | "read"
  | "readRanges"
  | "readTail"
  | "realPath"
  | "write"
  | "openWrite"
  | "append"
  | "finish"
  | "create"
  | "createFolder"
  | "copy"
  | "moveFolder"
  | "remove"
  | "removeAll"
  | "removeFolder"
  | "publish"
  | "mode"
  | "unlisted"

const StorageErrorBase: TaggedErrorClass<StorageError, "StorageError", {
  readonly op: StorageOp
  readonly uri: string
  readonly reason: StorageReason
  readonly cause?: unknown
}> = taggedError("StorageError", () => ({
  op: Schema.Literal(
    "list",
    "listPage",
    "listAllPage",
    "head",
    "size",
    "exists",
    "read",
    "readRanges",
    "readTail",
    "realPath",
    "write",
    "openWrite",
    "append",
    "finish",
    "create",
    "createFolder",
    "copy",
    "moveFolder",
    "remove",
    "removeAll",
    "removeFolder",
    "publish",
    "mode",
    "unlisted",
  ),
  uri: Schema.String,
  reason: Schema.Literal(...storageReasons),
  cause: Schema.optional(Schema.Defect),
}))

const advice: Record<StorageReason, string> = {
  Denied: "permission denied; check the permissions of the file or the credentials",
  Timeout: "the request timed out; try again",
  Unavailable: "the storage is not available; try again later",
  Conflict: "conflict: the file changed during the read, or the manifest or listing is stale; try again",
  Truncated: "the file is shorter than expected; it was truncated, or it is being replaced",
  Full: "no space left; free some space, or raise the quota",
  Occupied: "the name is taken: there is a folder instead of a file, or a file instead of a folder",
  BadName: "invalid name for this storage; it may be too long",
  Unsupported: "not supported",
  Unknown: "the storage failed",
}

/**
 * A failed storage call: `op` on `uri` failed for `reason`; `cause` is the error of the runtime or the server, if any.
 *
 * ```ts
 * import { makeMemoryStorage, makeRouter } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = makeRouter({ mem: makeMemoryStorage() })
 * const listed = Effect.catchTag(storage.list("ftp://a"), "StorageError", ({ op, reason }) => Effect.succeed([op, reason]))
 * assertEquals(Effect.runSync(listed), ["list", "Unsupported"])
 * ```
 */
export class StorageError extends StorageErrorBase {
  /** Describes the error, its location and a remedy. */
  override get message(): string {
    const cause = this.cause instanceof Error ? ` (${this.cause.message})` : ""
    return `${this.uri}: cannot ${this.op}: ${advice[this.reason]}${cause}`
  }
}

/** Reasons for a codec failure: damaged input, a codec that the layer does not have, or an invalid argument. */
export type CodecReason = "Damaged" | "Missing" | "InvalidArgument"

const CodecErrorBase: TaggedErrorClass<CodecError, "CodecError", {
  readonly codec: string
  readonly reason: CodecReason
  readonly detail: string
  readonly cause?: unknown
}> = taggedError("CodecError", () => ({
  codec: Schema.String,
  reason: Schema.Literal("Damaged", "Missing", "InvalidArgument"),
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect),
}))

/**
 * A codec failure. `reason` is damaged input, a codec that this layer does not have, or an argument of the wrong size;
 * `detail` explains it.
 *
 * ```ts
 * import { CodecError, nativeCodecs } from "@tessera/array/platform"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const error = assertThrows(() => nativeCodecs.gzip.decompress(Uint8Array.of(1, 2, 3), 10), CodecError)
 * assertEquals([error.codec, error.reason], ["gzip", "Damaged"])
 * ```
 */
export class CodecError extends CodecErrorBase {
  /** Creates the error; the default `reason` is `"Damaged"`. */
  constructor(
    fields: Omit<ConstructorParameters<typeof CodecErrorBase>[0], "reason"> & { readonly reason?: CodecReason },
  ) {
    super({ ...fields, reason: fields.reason ?? "Damaged" })
  }

  /** Describes the error. */
  override get message(): string {
    return `${this.codec}: ${this.detail}`
  }
}

/** Maximum length of an option's value in an error, in characters. */
const MAX_SHOWN_VALUE = 80

/** Formats the value of an option for errors: on one line, shortened, and for objects the class name only. */
export const shownValue = (value: unknown): string => {
  if (typeof value === "string") return messageText(JSON.stringify(value), MAX_SHOWN_VALUE)
  if (Array.isArray(value)) return "a list"
  if (typeof value === "function") return "a function"
  if (typeof value === "bigint") return messageText(`${value}n`, MAX_SHOWN_VALUE)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid Date" : value.toISOString()
  return typeof value === "object" && value !== null ? "an object" : String(value)
}

/** Reasons why an option is invalid. */
export type InvalidOptionReason =
  /** The operation has no option of this name. */
  | "UnknownOption"
  /** The value has the wrong type, or is not one of the accepted values. */
  | "InvalidValue"
  /** The value cannot be combined with another option, the array or the target. */
  | "Conflict"

const InvalidOptionBase: TaggedErrorClass<InvalidOption, "InvalidOption", {
  readonly uri: string
  readonly option: string
  readonly value?: string
  readonly accepted?: ReadonlyArray<string>
  readonly reason: InvalidOptionReason
  readonly detail: string
  readonly hint?: Hint
}> = taggedError("InvalidOption", () => ({
  uri: Schema.String,
  option: Schema.String,
  value: Schema.optional(Schema.String),
  accepted: Schema.optional(Schema.Array(Schema.String)),
  reason: Schema.Literal("UnknownOption", "InvalidValue", "Conflict"),
  detail: Schema.String,
  hint: Schema.optional(Hint),
}))

/**
 * An invalid option of an operation, a layer or a storage; every operation fails with this error before it reads or
 * writes. `option` is its name (`uri` for the URI itself), `value` its value as shortened text, if it can be
 * displayed, and `detail` the expectation. `accepted` lists the accepted names or values if there are few, and `hint`
 * the most similar ones. `reason` is the kind of problem, see {@link InvalidOptionReason}. `uri` is `""` if the URI is
 * invalid or does not apply.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const opened = TileArray.open("tests/golden/demo/weather", { at: new Date("yesterday") })
 * const program = Effect.catchTag(opened, "InvalidOption", ({ option, value }) => Effect.succeed([option, value]))
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), ["at", "an invalid Date"])
 * ```
 */
export class InvalidOption extends InvalidOptionBase implements Advised {
  /** Describes the invalid option and the expectation. */
  get summary(): string {
    return `${this.uri === "" ? "" : `${this.uri}: `}${this.option}: ${this.detail}`
  }

  /** Describes the invalid option, the expectation and a remedy. */
  override get message(): string {
    return adviseApi(this)
  }
}

/** Optional details of an invalid option. */
export interface InvalidOptionDetails {
  /** Kind of problem. Default: `InvalidValue`. */
  readonly reason?: InvalidOptionReason
  /** Accepted values, if there are few; the error suggests the most similar ones. */
  readonly accepted?: ReadonlyArray<string>
  /** Text to compare with the accepted values for suggestions. Default: the value. */
  readonly nearestTo?: string
}

/** Returns a hint that suggests accepted names similar to the input. */
const nearest = (input: unknown, accepted: ReadonlyArray<string> = []): { readonly hint?: Hint } => {
  const names = typeof input === "string" ? nearestNames(input, accepted) : []
  return names.length === 0 ? {} : { hint: { _tag: "DidYouMean", names } }
}

/** Returns the error for an invalid `option` of the operation on `uri`; `value` is shown as shortened text. */
export const invalidOption = (
  uri: string,
  option: string,
  detail: string,
  value?: unknown,
  { reason = "InvalidValue", accepted, nearestTo }: InvalidOptionDetails = {},
): InvalidOption =>
  new InvalidOption({
    uri,
    option,
    reason,
    detail,
    ...(value === undefined ? {} : { value: shownValue(value) }),
    ...(accepted === undefined ? {} : { accepted }),
    ...nearest(nearestTo ?? value, accepted),
  })

/** Returns the error text for an unknown option, with the valid names. */
export const noSuchOption = (names: ReadonlyArray<string>): string =>
  `unknown option; valid options: ${names.join(", ")}`

/** Returns the error for an option that the operation on `uri` does not have; the error does not contain the value. */
export const unknownOption = (uri: string, option: string, accepted: ReadonlyArray<string>): InvalidOption =>
  invalidOption(uri, option, noSuchOption(accepted), undefined, {
    reason: "UnknownOption",
    accepted,
    nearestTo: option,
  })

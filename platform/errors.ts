/**
 * What can go wrong below the format: storage and codecs.
 *
 * @module
 */
import { taggedError, type TaggedErrorClass } from "../schema/errors/tagged_error.ts"

export type { TaggedErrorClass }

const NotFoundBase: TaggedErrorClass<"NotFound", { readonly uri: string }> = taggedError("NotFound")

/**
 * There is no object at `uri`.
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
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: there is nothing here`
  }
}

const AlreadyExistsBase: TaggedErrorClass<"AlreadyExists", { readonly uri: string; readonly found?: string }> =
  taggedError("AlreadyExists")

/**
 * The place `uri` is taken: by a file where a file was to be created; by an array, a group or other files where an array
 * was. `found` says what is there and what to do, where more is known.
 *
 * ```ts
 * import { makeMemoryStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const { create } = makeMemoryStorage()
 * const again = Effect.zipRight(create("mem://a", Uint8Array.of(1)), create("mem://a", Uint8Array.of(2)))
 * const first = Effect.catchTag(again, "AlreadyExists", ({ uri }) => Effect.succeed(`somebody was first at ${uri}`))
 * assertEquals(Effect.runSync(first), "somebody was first at mem://a")
 * ```
 */
export class AlreadyExists extends AlreadyExistsBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: ${this.found ?? "there is something here already"}`
  }
}

/** Why a storage call failed. */
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

const StorageErrorBase: TaggedErrorClass<"StorageError", {
  readonly op: string
  readonly uri: string
  readonly reason: StorageReason
  readonly cause?: unknown
}> = taggedError("StorageError")

const advice: Record<StorageReason, string> = {
  Denied: "permission denied; check the permissions of the file or the credentials",
  Timeout: "the storage did not answer in time; try again",
  Unavailable: "the storage is not available; try again later",
  Conflict:
    "it is not what it was said to be: somebody changed it at the same time, or the list of files is an old one; try again",
  Truncated: "the file is shorter than what was asked of it; it was cut, or it is being replaced",
  Full: "there is no room left; free some, or raise the quota",
  Occupied:
    "something of another kind has the name: a folder where a file should be, or a file where a folder should be",
  BadName: "the storage takes no such name; it may be too long",
  Unsupported: "it is not supported here",
  Unknown: "the storage failed",
}

/**
 * A storage call that failed: `op` on `uri`, for `reason`; `cause` is what the runtime or the server said, where it said anything.
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
  /** What is wrong, where, and what to do. */
  override get message(): string {
    const cause = this.cause instanceof Error ? ` (${this.cause.message})` : ""
    return `${this.uri}: cannot ${this.op}: ${advice[this.reason]}${cause}`
  }
}

const CodecErrorBase: TaggedErrorClass<"CodecError", {
  readonly codec: string
  readonly reason: string
  readonly missing?: boolean
  readonly cause?: unknown
}> = taggedError("CodecError")

/**
 * A codec could not do its work: damaged input, or a codec that this layer lacks, which `missing` tells.
 *
 * ```ts
 * import { CodecError, nativeCodecs } from "@tessera/array/platform"
 * import { assertEquals, assertThrows } from "@std/assert"
 *
 * const error = assertThrows(() => nativeCodecs.gzip.decompress(Uint8Array.of(1, 2, 3), 10), CodecError)
 * assertEquals([error._tag, error.codec], ["CodecError", "gzip"])
 * ```
 */
export class CodecError extends CodecErrorBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.codec}: ${this.reason}`
  }
}

/**
 * What can go wrong below the format: storage and codecs.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"

/** The constructor of a tagged error with fields `F`; spelled out so that JSR needs no inference. */
export type TaggedErrorClass<Tag extends string, F extends object> = new (
  fields: F,
) => Cause.YieldableError & { readonly _tag: Tag } & Readonly<F>

const NotFoundBase: TaggedErrorClass<"NotFound", { readonly uri: string }> = Data.TaggedError("NotFound")

/** There is no object at `uri`. */
export class NotFound extends NotFoundBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: there is nothing here`
  }
}

const AlreadyExistsBase: TaggedErrorClass<"AlreadyExists", { readonly uri: string }> = Data.TaggedError("AlreadyExists")

/** An exclusive create found an object at `uri`. */
export class AlreadyExists extends AlreadyExistsBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: there is something here already`
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
}> = Data.TaggedError("StorageError")

const advice: Record<StorageReason, string> = {
  Denied: "permission denied; check the permissions of the file or the credentials",
  Timeout: "the storage did not answer in time; try again",
  Unavailable: "the storage is not available; try again later",
  Conflict: "somebody else changed it at the same time; try again",
  Truncated: "the file is shorter than what was asked of it; it was cut, or it is being replaced",
  Full: "there is no room left; free some, or raise the quota",
  Occupied:
    "something of another kind has the name: a folder where a file should be, or a file where a folder should be",
  BadName: "the storage takes no such name; it may be too long",
  Unsupported: "it is not supported here",
  Unknown: "the storage failed",
}

/** A storage call that failed: `op` on `uri`, for `reason`. */
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
}> = Data.TaggedError("CodecError")

/** A codec could not do its work: damaged input, or a codec that this layer lacks, which `missing` tells. */
export class CodecError extends CodecErrorBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.codec}: ${this.reason}`
  }
}

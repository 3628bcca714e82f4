/**
 * What can go wrong in the engine, above bytes and storage.
 *
 * @module
 */
import * as Data from "effect/Data"
import type { TaggedErrorClass } from "../../schema/errors.ts"

const ArrayNotFoundBase: TaggedErrorClass<"ArrayNotFound", { readonly uri: string; readonly hint: string }> = Data
  .TaggedError("ArrayNotFound")

/** There is no array (or group) at `uri`; `hint` says what is there instead, or what to check. */
export class ArrayNotFound extends ArrayNotFoundBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: ${this.hint}`
  }
}

const InvalidOptionBase: TaggedErrorClass<"InvalidOption", {
  readonly uri: string
  readonly option: string
  readonly reason: string
}> = Data.TaggedError("InvalidOption")

/** An option of an open that means nothing, or the URI itself (`uri`): nothing was asked of the storage. */
export class InvalidOption extends InvalidOptionBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri === "" ? "" : `${this.uri}: `}${this.option}: ${this.reason}`
  }
}

const SelectionErrorBase: TaggedErrorClass<"SelectionError", {
  readonly uri: string
  readonly field: string
  readonly reason: string
}> = Data.TaggedError("SelectionError")

/** A selection that the array cannot answer: an unknown name, a range outside the domain, a value of a wrong type. */
export class SelectionError extends SelectionErrorBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: ${this.field === "" ? "" : `${this.field}: `}${this.reason}`
  }
}

const WriteErrorBase: TaggedErrorClass<"WriteError", {
  readonly uri?: string
  readonly field: string
  readonly cell?: number
  readonly reason: string
}> = Data.TaggedError("WriteError")

/**
 * What was to be written cannot be, and nothing was written: `field` names the dimension, attribute, metadata key or member
 * (`""` where it is no single one), `reason` says what is wrong and what would be right. `cell` is the number of the first
 * cell that is wrong, counted from 0 in the order in which cells were given; `uri` is there where it is known.
 */
export class WriteError extends WriteErrorBase {
  /** Where, and what is wrong there. */
  override get message(): string {
    const where = [this.uri ?? "", this.field, this.cell === undefined ? "" : `cell ${this.cell}`]
    return [...where.filter((part) => part !== ""), this.reason].join(": ")
  }
}

const ResultTooLargeBase: TaggedErrorClass<"ResultTooLarge", {
  readonly uri: string
  readonly needed: number
  readonly limit: number
  readonly reason?: string
}> = Data.TaggedError("ResultTooLarge")

/**
 * The result would take `needed` bytes, more than `limit`; nothing was read for it. Where it is not the bytes that are too
 * many, `reason` says what is. No `uri` (`""`) is known of columns that were read before.
 */
export class ResultTooLarge extends ResultTooLargeBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    const reason = this.reason ??
      `the result needs up to ${this.needed} bytes, more than the limit of ${this.limit}; ` +
        `select fewer cells or fields, or raise maxBytes`
    return this.uri === "" ? reason : `${this.uri}: ${reason}`
  }
}

const UnsupportedBase: TaggedErrorClass<"Unsupported", { readonly uri: string; readonly feature: string }> = Data
  .TaggedError("Unsupported")

/** Something that this engine does not do. */
export class Unsupported extends UnsupportedBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: ${this.feature}`
  }
}

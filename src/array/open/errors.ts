/**
 * What can go wrong in the engine, above bytes and storage.
 *
 * @module
 */
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

const ArrayNotFoundBase: TaggedErrorClass<"ArrayNotFound", { readonly uri: string; readonly hint: string }> =
  taggedError("ArrayNotFound")

/**
 * There is no array (or group) at `uri`; `hint` says what is there instead, or what to check.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const opened = TileArray.open("mem://none")
 * const program = Effect.catchTag(opened, "ArrayNotFound", ({ uri }) => Effect.succeed(`nothing at ${uri}`))
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), "nothing at mem://none")
 * ```
 */
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
}> = taggedError("InvalidOption")

/**
 * An option that means nothing, or the URI itself (`option` is `uri` then), for `reason`: nothing was asked of the storage.
 * No `uri` (`""`) is known where that is what is wrong.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const opened = TileArray.open("tests/golden/demo/weather", { at: new Date("yesterday") })
 * const program = Effect.catchTag(opened, "InvalidOption", ({ option, reason }) => Effect.succeed(`${option}: ${reason}`))
 * const answer = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(answer, "at: this Date is invalid; check what it was made from")
 * ```
 */
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
}> = taggedError("SelectionError")

/**
 * A selection that the array cannot answer: an unknown name, a range outside the domain, a value of a wrong type. `field` is
 * the dimension, attribute or option (`""` where it is no single one).
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.read(weather, { region: { day: [360, 370] } })
 * })
 * const wrong = Effect.catchTag(program, "SelectionError", ({ field }) => Effect.succeed(field))
 * assertEquals(await Effect.runPromise(Effect.provide(wrong, layerDefault)), "day")
 * ```
 */
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
  readonly other?: number
  readonly reason: string
}> = taggedError("WriteError")

/**
 * What was to be written cannot be, and nothing was written: `field` names the dimension, attribute, metadata key or member
 * (`""` where it is no single one), `reason` says what is wrong and what would be right. `cell` is the number of the first
 * cell that is wrong, counted from 0 in the order in which cells were given, and `other` that of the one whose coordinates
 * it has, if that is what is wrong; `uri` is there where it is known.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Points = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const points = yield* TileArray.create("mem://points", Points)
 *   return yield* Sparse.write(points, { x: Uint32Array.of(1, 2, 10), n: Uint8Array.of(1, 2, 3) })
 * })
 * const wrong = Effect.catchTag(program, "WriteError", ({ field, cell }) => Effect.succeed([field, cell]))
 * assertEquals(await Effect.runPromise(Effect.provide(wrong, Layer.merge(layerMemory, layerNative))), ["x", 2])
 * ```
 */
export class WriteError extends WriteErrorBase {
  /** Where, and what is wrong there. */
  override get message(): string {
    const where = [this.uri ?? "", this.field, this.cell === undefined ? "" : `cell ${this.cell}`]
    return [...where.filter((part) => part !== ""), reasonOf(this, "cell")].join(": ")
  }
}

const ConflictBase: TaggedErrorClass<"Conflict", {
  readonly uri: string
  readonly field: string
  readonly reason: string
}> = taggedError("Conflict")

/**
 * A change of a schema that contradicts another one, which came first while this one was under way: `field` names the
 * attribute, enumeration or dimension that both change. The array is as the other change made it. Also an append of rows to a
 * dense array where another write has added the same rows: nothing of it is written, and `field` is the dimension.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
 *   yield* TileArray.create("mem://a", schema)
 *   yield* Effect.catchTag(
 *     TileArray.evolve("mem://a", { addAttributes: { b: Attr.int32() } }),
 *     "Conflict",
 *     ({ field }) => Effect.logWarning(`somebody else has just added another ${field}`),
 *   )
 *   return (yield* TileArray.open("mem://a")).schema.attributes.length
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), 2)
 * ```
 */
export class Conflict extends ConflictBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    return `${this.uri}: ${this.field === "" ? "" : `${this.field}: `}${this.reason}`
  }
}

/** The reason of a {@link WriteError} of what are not cells to who gave them: the other one is number `first + other`. */
export const reasonOf = ({ reason, other }: WriteError, what: string, first = 0): string =>
  other === undefined ? reason : `${reason} (the other is ${what} ${first + other})`

const ResultTooLargeBase: TaggedErrorClass<"ResultTooLarge", {
  readonly uri: string
  readonly needed: number
  readonly limit: number
  readonly reason?: string
}> = taggedError("ResultTooLarge")

/**
 * The result would take `needed` bytes, more than `limit`; nothing was read for it. Where it is not the bytes that are too
 * many, `reason` says what is. No `uri` (`""`) is known of columns that were read before.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.read(weather, { select: ["temperature"], memory: 100 })
 * })
 * const tooLarge = Effect.catchTag(program, "ResultTooLarge", ({ needed, limit }) => Effect.succeed([needed, limit]))
 * assertEquals(await Effect.runPromise(Effect.provide(tooLarge, layerDefault)), [7 * 4 * 4, 100])
 * ```
 */
export class ResultTooLarge extends ResultTooLargeBase {
  /** What is wrong, where, and what to do. */
  override get message(): string {
    const reason = this.reason ??
      `the result needs up to ${this.needed} bytes, more than the limit of ${this.limit}; ` +
        `select fewer cells or fields, or let memory be more`
    return this.uri === "" ? reason : `${this.uri}: ${reason}`
  }
}

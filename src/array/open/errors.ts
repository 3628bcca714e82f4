/**
 * Errors of arrays: opening, selections, writes and results. Errors of storage and codecs are in `platform/errors.ts`.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { adviseApi, type Advised, Hint } from "../../../schema/errors/hint.ts"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"

export { InvalidOption, type InvalidOptionReason } from "../../../platform/errors.ts"

/** Why there is no array or group at a URI. */
export type ArrayNotFoundReason =
  /** The folder is missing or empty, or listing it is not permitted. */
  | "Empty"
  /** A group is at the URI of an array. */
  | "IsGroup"
  /** An array is at the URI of a group. */
  | "IsArray"
  /** An unfinished copy or import is at the URI. */
  | "Unfinished"
  /** The folder contains other files. */
  | "OtherFiles"

const ArrayNotFoundBase: TaggedErrorClass<ArrayNotFound, "ArrayNotFound", {
  readonly uri: string
  readonly reason: ArrayNotFoundReason
  readonly detail: string
  readonly hint?: Hint
}> = taggedError("ArrayNotFound", () => ({
  uri: Schema.String,
  reason: Schema.Literal("Empty", "IsGroup", "IsArray", "Unfinished", "OtherFiles"),
  detail: Schema.String,
  hint: Schema.optional(Hint),
}))

/**
 * There is no array (or group) at `uri`. `reason` and `detail` describe what exists there, and `hint` is advice.
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
export class ArrayNotFound extends ArrayNotFoundBase implements Advised {
  /** The problem and its location. */
  get summary(): string {
    return `${this.uri}: ${this.detail}`
  }

  /** The problem, its location and advice. */
  override get message(): string {
    return adviseApi(this)
  }
}

/** Why an array cannot return a selection. */
export type SelectionReason =
  /** The array has no field, dimension or label of this name. */
  | "UnknownName"
  /** A name is repeated, or two selections apply to the same dimension. */
  | "Duplicate"
  /** A range is outside the domain. */
  | "OutOfBounds"
  /** A range or point is not a value of the dimension, or ends before it starts. */
  | "InvalidRange"
  /** A part of the selection has the wrong type. */
  | "WrongType"
  /** A required part is missing: an attribute, or the values of a label. */
  | "Missing"
  /** The selection is too large for the operation. */
  | "TooLarge"
  /** The array type or the field does not support the operation. */
  | "Unsupported"

const SelectionErrorBase: TaggedErrorClass<SelectionError, "SelectionError", {
  readonly uri: string
  readonly field: string
  readonly reason: SelectionReason
  readonly detail: string
  readonly hint?: Hint
}> = taggedError("SelectionError", () => ({
  uri: Schema.String,
  field: Schema.String,
  reason: Schema.Literal(
    "UnknownName",
    "Duplicate",
    "OutOfBounds",
    "InvalidRange",
    "WrongType",
    "Missing",
    "TooLarge",
    "Unsupported",
  ),
  detail: Schema.String,
  hint: Schema.optional(Hint),
}))

/**
 * A selection that does not fit the array: an unknown name, a range outside the domain, a value of a wrong type.
 * `reason` is the kind of problem, see {@link SelectionReason}, and `detail` describes it; `field` is the dimension,
 * attribute or option (`""` for several).
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
 * const wrong = Effect.catchTag(program, "SelectionError", ({ field, reason }) => Effect.succeed([field, reason]))
 * assertEquals(await Effect.runPromise(Effect.provide(wrong, layerDefault)), ["day", "OutOfBounds"])
 * ```
 */
export class SelectionError extends SelectionErrorBase implements Advised {
  /** The problem and its location. */
  get summary(): string {
    return `${this.uri}: ${this.field === "" ? "" : `${this.field}: `}${this.detail}`
  }

  /** The problem, its location and advice. */
  override get message(): string {
    return adviseApi(this)
  }
}

/** Why cells, metadata or members cannot be written. */
export type WriteReason =
  /** The array or group has no dimension, field, label or member of this name. */
  | "UnknownName"
  /** The name or URI of a member cannot be stored. */
  | "InvalidName"
  /** Coordinates, or a member, occur twice. */
  | "Duplicate"
  /** A column, the offsets or the array of a label or member are missing. */
  | "Missing"
  /** The input or its values do not have the type of the field. */
  | "WrongType"
  /** The number of cells or values differs from the expected number. */
  | "WrongLength"
  /** A cell or metadata value cannot be stored in its field. */
  | "InvalidValue"
  /** The offsets of var-sized cells do not fit the values. */
  | "InvalidOffsets"
  /** A cell is null, and the field is not nullable. */
  | "NullValue"
  /** A range of the region is not valid, or ends before it starts. */
  | "InvalidRange"
  /** Coordinates or a region are outside the domain. */
  | "OutOfBounds"
  /** Cells or label values are not in the required order. */
  | "OutOfOrder"
  /** Another write has the same cells and the same timestamp. */
  | "SameTime"
  /** The input is too large for one write, tile or column. */
  | "TooLarge"
  /** The array of a label cannot be read. */
  | "UnreadableLabel"
  /** The writer has failed or finished before. */
  | "Ended"
  /** The array type, its format version or its fragments do not support the write. */
  | "Unsupported"

/** The reasons that errors of cells and errors of rows have in common. */
const cellReasons = ["Duplicate", "NullValue", "OutOfBounds", "OutOfOrder"] as const satisfies ReadonlyArray<
  WriteReason
>

/** Returns the reason for the error of a row, from the reason for the error of its cell. */
export const cellReasonOf = (reason: WriteReason): typeof cellReasons[number] | "InvalidValue" =>
  cellReasons.find((one) => one === reason) ?? "InvalidValue"

const WriteErrorBase: TaggedErrorClass<WriteError, "WriteError", {
  readonly uri?: string
  readonly field: string
  readonly cell?: number
  readonly other?: number
  readonly reason: WriteReason
  readonly detail: string
}> = taggedError("WriteError", () => ({
  uri: Schema.optional(Schema.String),
  field: Schema.String,
  cell: Schema.optional(Schema.Number),
  other: Schema.optional(Schema.Number),
  reason: Schema.Literal(
    "UnknownName",
    "InvalidName",
    "Duplicate",
    "Missing",
    "WrongType",
    "WrongLength",
    "InvalidValue",
    "InvalidOffsets",
    "NullValue",
    "InvalidRange",
    "OutOfBounds",
    "OutOfOrder",
    "SameTime",
    "TooLarge",
    "UnreadableLabel",
    "Ended",
    "Unsupported",
  ),
  detail: Schema.String,
}))

/**
 * Invalid input of a write; nothing was written. `field` names the dimension, attribute, metadata key or member (`""`
 * for several), `reason` is the kind of problem, see {@link WriteReason}, and `detail` describes it and the expected
 * input. `cell` is the number of the first invalid cell, counted from 0 in input order; `other` is the number of the
 * cell with the same coordinates, for duplicates; `uri` is present if it is known.
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
 * const wrong = Effect.catchTag(program, "WriteError", ({ cell, reason }) => Effect.succeed([cell, reason]))
 * const result = await Effect.runPromise(Effect.provide(wrong, Layer.merge(layerMemory, layerNative)))
 * assertEquals(result, [2, "OutOfBounds"])
 * ```
 */
export class WriteError extends WriteErrorBase {
  /** The location and the problem. */
  override get message(): string {
    const where = [this.uri ?? "", this.field, this.cell === undefined ? "" : `cell ${this.cell}`]
    return [...where.filter((part) => part !== ""), reasonOf(this, "cell")].join(": ")
  }
}

/** The concurrent change that a change conflicts with. */
export type ConflictReason =
  /** Another program changed the schema. */
  | "SchemaChanged"
  /** Another program appended the same rows. */
  | "RowsAppended"

const ConflictBase: TaggedErrorClass<Conflict, "Conflict", {
  readonly uri: string
  readonly field: string
  readonly reason: ConflictReason
  readonly detail: string
}> = taggedError(
  "Conflict",
  () => ({
    uri: Schema.String,
    field: Schema.String,
    reason: Schema.Literal("SchemaChanged", "RowsAppended"),
    detail: Schema.String,
  }),
)

/**
 * A change contradicts a concurrent change that came first; nothing was written. With the reason `SchemaChanged`, both
 * change the schema, `field` names the attribute, enumeration or dimension, and the array has the result of the other
 * change. With the reason `RowsAppended`, both append the same rows to a dense array, and `field` is the dimension.
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
 *     ({ field }) => Effect.logWarning(`another writer has just added a different ${field}`),
 *   )
 *   return (yield* TileArray.open("mem://a")).schema.attributes.length
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), 2)
 * ```
 */
export class Conflict extends ConflictBase {
  /** The problem, its location and advice. */
  override get message(): string {
    return `${this.uri}: ${this.field === "" ? "" : `${this.field}: `}${this.detail}`
  }
}

/**
 * Returns the reason of a {@link WriteError} for input that does not consist of cells, such as rows. `first` is added
 * to the number of the other cell.
 */
export const reasonOf = ({ detail, other }: WriteError, unit: string, first = 0): string =>
  other === undefined ? detail : `${detail} (the other is ${unit} ${first + other})`

const ResultTooLargeBase: TaggedErrorClass<ResultTooLarge, "ResultTooLarge", {
  readonly uri: string
  readonly needed: number
  readonly limit: number
  readonly detail?: string
  readonly hint?: Hint
}> = taggedError("ResultTooLarge", () => ({
  uri: Schema.String,
  needed: Schema.Number,
  limit: Schema.Number,
  detail: Schema.optional(Schema.String),
  hint: Schema.optional(Hint),
}))

/**
 * The result would take `needed` bytes, more than `limit`; nothing was read for it. If the limit is not the memory
 * budget of a read, `detail` describes it; `hint` is advice. `uri` is `""` for columns that were read before.
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
export class ResultTooLarge extends ResultTooLargeBase implements Advised {
  /** Creates the error. Without a `detail`, the hint is to select less. */
  constructor(fields: ConstructorParameters<typeof ResultTooLargeBase>[0]) {
    const less = { _tag: "SelectLess", atLeast: fields.needed } as const
    super({ ...fields, hint: fields.hint ?? (fields.detail === undefined ? less : undefined) })
  }

  /** The problem and its location. */
  get summary(): string {
    const detail = this.detail ?? `the result needs up to ${this.needed} bytes, more than the limit of ${this.limit}`
    return this.uri === "" ? detail : `${this.uri}: ${detail}`
  }

  /** The problem, its location and advice. */
  override get message(): string {
    return adviseApi(this)
  }
}

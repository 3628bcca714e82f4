/**
 * The errors of tiles with a valid layout: checksums, decryption, and values that a filter does not support.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { adviseApi, type Advised, Hint } from "../../../schema/errors/hint.ts"
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"
import type { FilterType } from "../../../schema/array/filter.ts"

const ChecksumMismatchBase: TaggedErrorClass<ChecksumMismatch, "ChecksumMismatch", {
  readonly uri: string
  readonly offset: number
  readonly algorithm: "md5" | "sha256"
}> = taggedError("ChecksumMismatch", () => ({
  uri: Schema.String,
  offset: Schema.Number,
  algorithm: Schema.Literal("md5", "sha256"),
}))

/**
 * The checksum of a chunk (`algorithm`) does not match: the bytes differ from the written bytes. `offset` is the start
 * of the chunk in the file `uri`. `TileArray.open` with `verifyChecksums: false` reads such files without verification.
 *
 * ```ts
 * import { ArraySchema, Attr, Dense, Dim, Filter, layerNative, StorageService, TileArray } from "@tessera/array"
 * import { makeMemoryStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const files = new Map<string, Uint8Array>()
 * const layer = Layer.merge(Layer.succeed(StorageService, makeMemoryStorage(files)), layerNative)
 * const Numbers = ArraySchema.dense({ dims: { x: Dim.int32([0, 3]) }, attrs: { n: Attr.int32({ filters: [Filter.checksum_md5()] }) } })
 * const program = Effect.gen(function* () {
 *   const numbers = yield* TileArray.create("mem://numbers", Numbers)
 *   yield* Dense.write(numbers, {}, { n: Int32Array.of(1, 2, 3, 4) })
 *   for (const [name, bytes] of files) if (name.endsWith("/a0.tdb")) bytes[bytes.length - 1] ^= 1
 *   return yield* Dense.read(yield* TileArray.reopen(numbers))
 * })
 * const damaged = Effect.catchTag(program, "ChecksumMismatch", ({ algorithm }) => Effect.succeed(algorithm))
 * assertEquals(await Effect.runPromise(Effect.provide(damaged, layer)), "md5")
 * ```
 */
export class ChecksumMismatch extends ChecksumMismatchBase implements Advised {
  /** The problem and its location. */
  get summary(): string {
    return `${this.uri}: the ${this.algorithm} checksum of the chunk at offset ${this.offset} does not match: the file was ` +
      "damaged after it was written"
  }

  /** Advice: restore the file, or read it without verifying checksums. */
  get hint(): Hint {
    return { _tag: "SkipChecksums" }
  }

  /** The reason, the location, and advice. */
  override get message(): string {
    return adviseApi(this)
  }
}

/** Why bytes cannot be decrypted. */
export type DecryptionReason =
  /** The array is encrypted, and there is no key. */
  | "MissingKey"
  /** The key is wrong, or the bytes changed after they were written. */
  | "WrongKey"
  /** The key does not have 32 bytes. */
  | "InvalidKey"
  /** There is a key, and the array is not encrypted. */
  | "NotEncrypted"

const DecryptionFailedBase: TaggedErrorClass<DecryptionFailed, "DecryptionFailed", {
  readonly uri: string
  readonly reason: DecryptionReason
  readonly detail: string
  readonly hint?: Hint
}> = taggedError("DecryptionFailed", () => ({
  uri: Schema.String,
  reason: Schema.Literal("MissingKey", "WrongKey", "InvalidKey", "NotEncrypted"),
  detail: Schema.String,
  hint: Schema.optional(Hint),
}))

/**
 * Encrypted bytes that cannot be decrypted, because the key is missing or wrong. `reason` and `detail` describe the
 * problem, and `hint` is advice.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Secret = ArraySchema.dense({ dims: { x: Dim.int32([0, 3]) }, attrs: { n: Attr.int32() } })
 * const program = Effect.gen(function* () {
 *   yield* TileArray.create("mem://secret", Secret, { key: crypto.getRandomValues(new Uint8Array(32)) })
 *   return yield* TileArray.open("mem://secret")
 * })
 * const closed = Effect.catchTag(program, "DecryptionFailed", ({ hint }) => Effect.succeed(hint?._tag))
 * assertEquals(await Effect.runPromise(Effect.provide(closed, Layer.merge(layerMemory, layerNative))), "ProvideKey")
 * ```
 */
export class DecryptionFailed extends DecryptionFailedBase implements Advised {
  /** The problem and its location. */
  get summary(): string {
    return `${this.uri}: cannot decrypt: ${this.detail}`
  }

  /** The reason, the location, and advice. */
  override get message(): string {
    return adviseApi(this)
  }
}

const FilterRefusedBase: TaggedErrorClass<FilterRefused, "FilterRefused", {
  readonly filter: FilterType
  readonly detail: string
  readonly cell?: number
}> = taggedError("FilterRefused", () => ({
  filter: Schema.Literal(
    "noop",
    "gzip",
    "zstd",
    "lz4",
    "rle",
    "bzip2",
    "double_delta",
    "bit_width_reduction",
    "bitshuffle",
    "byteshuffle",
    "positive_delta",
    "aes_256_gcm",
    "checksum_md5",
    "checksum_sha256",
    "dictionary",
    "scale_float",
    "xor",
    "webp",
    "delta",
  ),
  detail: Schema.String,
  cell: Schema.optional(Schema.Number),
}))

/**
 * A filter cannot encode the values without loss; no data were written. `cell` is relative to the start of the tile; it
 * is undefined if previous filters moved the values, or if the error does not concern a single cell.
 */
export class FilterRefused extends FilterRefusedBase {
  /** The reason, the location, and advice. */
  override get message(): string {
    const where = this.cell === undefined ? "" : `cell ${this.cell} of the tile: `
    return `${this.filter}: ${where}${this.detail}; change the values, or write to an array without this filter`
  }
}

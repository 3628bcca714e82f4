/**
 * The errors of tiles with a valid layout: checksums, decryption, and values that a filter does not support.
 *
 * @module
 */
import { taggedError, type TaggedErrorClass } from "../../../schema/errors/tagged_error.ts"
import type { FilterType } from "../../../schema/array/filter.ts"

const ChecksumMismatchBase: TaggedErrorClass<"ChecksumMismatch", {
  readonly uri: string
  readonly offset: number
  readonly algorithm: "md5" | "sha256"
}> = taggedError("ChecksumMismatch")

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
 * const Numbers = ArraySchema.dense({ dims: { x: Dim.int32([0, 3]) }, attrs: { n: Attr.int32(Filter.checksumMd5) } })
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
export class ChecksumMismatch extends ChecksumMismatchBase {
  /** The reason, the location, and advice. */
  override get message(): string {
    return `${this.uri}: the ${this.algorithm} checksum of the chunk at offset ${this.offset} does not match: the file was ` +
      "damaged after it was written; restore it, or read without verifying checksums"
  }
}

const DecryptionFailedBase: TaggedErrorClass<"DecryptionFailed", {
  readonly uri: string
  readonly hint: string
}> = taggedError("DecryptionFailed")

/**
 * Encrypted bytes cannot be decrypted with the key; `hint` contains the advice.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertMatch } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Secret = ArraySchema.dense({ dims: { x: Dim.int32([0, 3]) }, attrs: { n: Attr.int32() } })
 * const program = Effect.gen(function* () {
 *   yield* TileArray.create("mem://secret", Secret, { key: crypto.getRandomValues(new Uint8Array(32)) })
 *   return yield* TileArray.open("mem://secret")
 * })
 * const closed = Effect.catchTag(program, "DecryptionFailed", ({ hint }) => Effect.succeed(hint))
 * assertMatch(String(await Effect.runPromise(Effect.provide(closed, Layer.merge(layerMemory, layerNative)))), /key/)
 * ```
 */
export class DecryptionFailed extends DecryptionFailedBase {
  /** The reason, the location, and advice. */
  override get message(): string {
    return `${this.uri}: cannot decrypt: ${this.hint}`
  }
}

const FilterRefusedBase: TaggedErrorClass<"FilterRefused", {
  readonly filter: FilterType
  readonly reason: string
  readonly cell: number | undefined
}> = taggedError("FilterRefused")

/**
 * A filter cannot encode the values without loss; no data were written. `cell` is relative to the start of the tile; it
 * is undefined if previous filters moved the values, or if the error does not concern a single cell.
 */
export class FilterRefused extends FilterRefusedBase {
  /** The reason, the location, and advice. */
  override get message(): string {
    const where = this.cell === undefined ? "" : `cell ${this.cell} of the tile: `
    return `${this.filter}: ${where}${this.reason}; change the values, or write to an array without this filter`
  }
}

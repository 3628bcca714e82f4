/**
 * Traces the consumed bytes of an input, so that a resumed import detects a changed input: computes a digest of all
 * bytes that does not depend on the sizes of the pieces.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { toHex } from "../../schema/array/scalar.ts"
import type { PassedInput } from "../array/open/unfinished.ts"

/** Size of the blocks that are digested. The digest of a block includes the digest of all previous blocks. */
const BLOCK_SIZE = 1 << 18
const DIGEST_SIZE = 32

/** Traces an input from its beginning. */
export interface InputTrace {
  /** Adds the next piece. Returns false if the input is known to differ from the expected one. */
  readonly take: (piece: Uint8Array | string) => Effect.Effect<boolean>
  /** Returns whether all expected bytes were read and equal the expected input. */
  readonly isVerified: () => boolean
  /** Returns the number of bytes so far. */
  readonly bytes: () => number
  /** The trace for a later call: the bytes so far, or the expected ones as long as fewer bytes were read. */
  readonly passed: Effect.Effect<PassedInput>
}

/** Starts a trace; `expected` is the trace of an earlier call. */
export const traceInput = (expected: PassedInput | undefined): InputTrace => {
  const memory = new Uint8Array(DIGEST_SIZE + BLOCK_SIZE)
  let [before, filled] = [0, 0]
  let isVerified = expected === undefined
  /** first half of a surrogate pair that two pieces share */
  let half = ""
  const encoder = new TextEncoder()
  /** digest of the previous block, which is computed while its text is parsed */
  let chained: Promise<ArrayBuffer> | undefined
  const awaitDigest = Effect.promise(async () => {
    if (chained !== undefined) memory.set(new Uint8Array(await chained))
    chained = undefined
  })
  const digest = (length: number): Effect.Effect<Uint8Array> =>
    Effect.promise(async () =>
      new Uint8Array(await crypto.subtle.digest("SHA-256", memory.subarray(0, DIGEST_SIZE + length)))
    )
  const bytesOf = (piece: Uint8Array | string): Uint8Array => {
    if (typeof piece !== "string") return piece
    const text = half + piece
    half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ""
    return encoder.encode(half === "" ? text : text.slice(0, -1))
  }
  /** compares the input up to the expected number of bytes, if that position is in the current block */
  const verify = Effect.suspend(() => {
    const at = (expected?.bytes ?? 0) - before
    if (isVerified || at > filled || at === BLOCK_SIZE) return Effect.succeed(true)
    return Effect.map(digest(at), (bytes) => isVerified = toHex(bytes) === expected?.digest)
  })
  return {
    take: (piece) =>
      Effect.gen(function* () {
        yield* awaitDigest
        const bytes = bytesOf(piece)
        for (let from = 0; from < bytes.length;) {
          const some = bytes.subarray(from, from + BLOCK_SIZE - filled)
          memory.set(some, DIGEST_SIZE + filled)
          filled += some.length
          from += some.length
          if (!(yield* verify)) return false
          if (filled < BLOCK_SIZE) continue
          // `digest` copies the memory before it returns
          chained = crypto.subtle.digest("SHA-256", memory)
          before += BLOCK_SIZE
          filled = 0
          if (isVerified && from === bytes.length) return true
          yield* awaitDigest
          if (!(yield* verify)) return false
        }
        return true
      }),
    isVerified: () => isVerified,
    bytes: () => before + filled,
    passed: Effect.suspend(() =>
      !isVerified && expected !== undefined ? Effect.succeed(expected) : Effect.map(
        Effect.zipRight(awaitDigest, digest(filled)),
        (bytes) => ({ bytes: before + filled, digest: toHex(bytes) }),
      )
    ),
  }
}

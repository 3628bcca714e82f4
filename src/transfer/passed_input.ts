/**
 * Traces the bytes of an input that were read, so that a resumed import detects a changed input: a digest of all bytes,
 * independent of the sizes of the pieces.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { toHex } from "../../schema/array/scalar.ts"
import type { PassedInput } from "../array/open/unfinished.ts"

/** Size of the blocks that are digested, each together with the digest of all previous bytes. */
const BLOCK = 1 << 18
const DIGEST = 32

/** Follows an input from its beginning. */
export interface InputTrace {
  /** Takes the next piece. Returns whether it equals, as far as known, the input at the time of `expected`. */
  readonly take: (piece: Uint8Array | string) => Effect.Effect<boolean>
  /** Whether the input has reached, and is the same until, what was expected. */
  readonly isVerified: () => boolean
  /** Bytes that were taken. */
  readonly bytes: () => number
  /** What a later call has to find again: what was taken, or what was expected while it is not reached. */
  readonly passed: Effect.Effect<PassedInput>
}

/** Starts to trace an input; `expected` is the trace of an earlier call. */
export const traceInput = (expected: PassedInput | undefined): InputTrace => {
  const memory = new Uint8Array(DIGEST + BLOCK)
  let [before, filled] = [0, 0]
  let isVerified = expected === undefined
  /** The first half of a character that two pieces share. */
  let half = ""
  const encoder = new TextEncoder()
  /** The digest of the block before, which is made while its text is parsed. */
  let chained: Promise<ArrayBuffer> | undefined
  const settle = Effect.promise(async () => {
    if (chained !== undefined) memory.set(new Uint8Array(await chained))
    chained = undefined
  })
  const digest = (length: number): Effect.Effect<Uint8Array> =>
    Effect.promise(async () =>
      new Uint8Array(await crypto.subtle.digest("SHA-256", memory.subarray(0, DIGEST + length)))
    )
  const bytesOf = (piece: Uint8Array | string): Uint8Array => {
    if (typeof piece !== "string") return piece
    const text = half + piece
    half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ""
    return encoder.encode(half === "" ? text : text.slice(0, -1))
  }
  /** Compares what was taken until the place that is expected, if this is in the block. */
  const verify = Effect.suspend(() => {
    const at = (expected?.bytes ?? 0) - before
    if (isVerified || at > filled || at === BLOCK) return Effect.succeed(true)
    return Effect.map(digest(at), (bytes) => isVerified = toHex(bytes) === expected?.digest)
  })
  return {
    take: (piece) =>
      Effect.gen(function* () {
        yield* settle
        const bytes = bytesOf(piece)
        for (let from = 0; from < bytes.length;) {
          const some = bytes.subarray(from, from + BLOCK - filled)
          memory.set(some, DIGEST + filled)
          filled += some.length
          from += some.length
          if (!(yield* verify)) return false
          if (filled < BLOCK) continue
          // what is digested is copied first
          chained = crypto.subtle.digest("SHA-256", memory)
          before += BLOCK
          filled = 0
          if (isVerified && from === bytes.length) return true
          yield* settle
          if (!(yield* verify)) return false
        }
        return true
      }),
    isVerified: () => isVerified,
    bytes: () => before + filled,
    passed: Effect.suspend(() =>
      !isVerified && expected !== undefined ? Effect.succeed(expected) : Effect.map(
        Effect.zipRight(settle, digest(filled)),
        (bytes) => ({ bytes: before + filled, digest: toHex(bytes) }),
      )
    ),
  }
}

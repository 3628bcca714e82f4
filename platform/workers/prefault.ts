/**
 * Fresh memory, made ready in another thread. An operating system hands out memory a page at a time, when a byte of it is first
 * written: for large results that takes longer than to read them from a warm cache.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { isGranted } from "../host/permissions.ts"
import { builtin } from "../host/builtin_modules.ts"

const fs = builtin("node:fs")

/** Never runs out of zeros. */
const ZEROS = "/dev/zero"

/** The most bytes of one call. */
const PIECE = 1 << 30

/** `Workers.faultIn`; where it cannot be done, nothing is. */
export const faultIn = (bytes: Uint8Array): Effect.Effect<void> => {
  let pieces = 0
  const waiting: Array<() => void> = []
  try {
    if (isGranted({ name: "read", path: ZEROS })) {
      const { closeSync, openSync, read } = fs()
      const file = openSync(ZEROS, "r")
      const end = (): void => {
        if (--pieces > 0) return
        closeSync(file)
        for (const wake of waiting) wake()
      }
      for (let at = 0; at < bytes.length; at += PIECE) {
        read(file, bytes, at, Math.min(PIECE, bytes.length - at), null, end)
        pieces++
      }
    }
  } catch {
    // no such file, or no files at all: the memory comes when it is needed
  }
  return Effect.async<void>((resume) => {
    if (pieces === 0) resume(Effect.void)
    else waiting.push(() => resume(Effect.void))
  })
}

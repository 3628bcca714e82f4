/**
 * Prefaults new memory in another thread. An operating system allocates a memory page when it is first written: for
 * large results, these page faults take longer than reading the data from a warm cache.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { isGranted } from "../host/permissions.ts"
import { builtin } from "../host/builtin_modules.ts"

const fs = builtin("node:fs")

/** A file with an endless supply of zeros. */
const ZEROS = "/dev/zero"

/** Maximum number of bytes per read call. */
const MAX_READ_SIZE = 1 << 30

/** Implements `Workers.faultIn`; does nothing where it is not supported. */
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
      for (let at = 0; at < bytes.length; at += MAX_READ_SIZE) {
        read(file, bytes, at, Math.min(MAX_READ_SIZE, bytes.length - at), null, end)
        pieces++
      }
    }
  } catch {
    // the file is missing, or the runtime has no files: the memory is allocated on first write
  }
  return Effect.async<void>((resume) => {
    if (pieces === 0) resume(Effect.void)
    else waiting.push(() => resume(Effect.void))
  })
}

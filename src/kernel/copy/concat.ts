/**
 * Concatenates buffers. `platform/` may not import this folder and has its own function for streams of files.
 */
import { COPY_STEP, copyInParts, finish, type Steps } from "../steps.ts"

/** Concatenates buffers like {@link concat}, in steps. */
export function* concatSteps(parts: ReadonlyArray<Uint8Array>): Steps<Uint8Array> {
  if (parts.length === 1) return parts[0]
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let at = 0
  let copied = 0
  for (const part of parts) {
    yield* copyInParts(out, part, at)
    at += part.byteLength
    copied += part.byteLength
    if (copied >= COPY_STEP) {
      copied = 0
      yield
    }
  }
  return out
}

/** Concatenates buffers. Returns the buffer itself if there is only one. */
export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => finish(concatSteps(parts))

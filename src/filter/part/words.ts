/**
 * Bytes as machine words. All platforms that run JavaScript today are little-endian, like the format.
 *
 * @module
 */
import { COPY_STEP, copyInParts, finish, type Steps } from "../../kernel/steps.ts"

/** Returns `bytes` as u32, copied only if they are not aligned. Trailing bytes of an incomplete word are ignored. */
export const asUint32 = (bytes: Uint8Array): Uint32Array => {
  const source = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Uint32Array(source.buffer, source.byteOffset, source.byteLength >>> 2)
}

/** Returns `bytes` as u16, copied only if they are not aligned. Trailing bytes of an incomplete word are ignored. */
export const asUint16 = (bytes: Uint8Array): Uint16Array => {
  const source = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice()
  return new Uint16Array(source.buffer, source.byteOffset, source.byteLength >>> 1)
}

/** As {@link concat}, in steps. */
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

/** One buffer of several; the only one itself if there is one. */
export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => finish(concatSteps(parts))

/** A little-endian u32 in bytes of its own; for the small headers of metadata. */
export const u32Bytes = (...values: ReadonlyArray<number>): Uint8Array => {
  const out = new Uint8Array(4 * values.length)
  const view = new DataView(out.buffer)
  values.forEach((value, i) => view.setUint32(4 * i, value, true))
  return out
}

/**
 * Replaces cells that are not selected with fill values.
 */
import type { Units } from "./gather.ts"

/** The minimum number of adjacent cells that are filled in one call. */
const MIN_RUN_LENGTH = 16

/** Writes `fill` to each cell of `out` whose `mask` is 0. */
export const fillOthers = (out: Units, fill: Units, mask: Uint8Array): void => {
  const k = out.perCell
  const to = out.array
  const from = fill.array
  const n = mask.length
  const wide = k === 2 && to.BYTES_PER_ELEMENT === 4 && to.byteOffset % 8 === 0
    ? new BigUint64Array(to.buffer, to.byteOffset, n)
    : undefined
  const both = wide === undefined ? 0n : BigInt(from[1]) << 32n | BigInt(from[0])
  for (let i = 0; i < n;) {
    if (mask[i] !== 0) {
      i++
      continue
    }
    const first = i++
    while (i < n && mask[i] === 0) i++
    if (i - first >= MIN_RUN_LENGTH && (k === 1 || wide !== undefined)) {
      if (wide === undefined) to.fill(from[0], first, i)
      else wide.fill(both, first, i)
    } else for (let c = first; c < i; c++) for (let u = 0; u < k; u++) to[c * k + u] = from[u]
  }
}

/** Replaces var-sized cells whose `mask` is 0 with `fill`; positions are in bytes. */
export const fillOtherVars = (
  bytes: Uint8Array,
  offsets: Uint32Array,
  fill: Uint8Array,
  mask: Uint8Array,
): { readonly bytes: Uint8Array; readonly offsets: Uint32Array } => {
  const starts = new Uint32Array(offsets.length)
  for (let i = 0; i < mask.length; i++) {
    starts[i + 1] = starts[i] + (mask[i] === 0 ? fill.length : offsets[i + 1] - offsets[i])
  }
  const out = new Uint8Array(starts[mask.length])
  for (let i = 0; i < mask.length;) {
    if (mask[i] === 0) {
      out.set(fill, starts[i++])
      continue
    }
    const from = i
    while (i < mask.length && mask[i] !== 0) i++
    out.set(bytes.subarray(offsets[from], offsets[i]), starts[from])
  }
  return { bytes: out, offsets: starts }
}

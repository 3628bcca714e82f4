/**
 * Fill values in the place of cells that are not wanted.
 */
import type { Units } from "./gather.ts"

/** Puts `fill` into each cell of `out` for which `keep` has no one. */
export const fillOthers = (out: Units, fill: Units, keep: Uint8Array): void => {
  const k = out.perCell
  const to = out.array
  const from = fill.array
  if (k === 1) {
    const [value] = from
    for (let i = 0; i < keep.length; i++) if (keep[i] === 0) to[i] = value
    return
  }
  for (let i = 0; i < keep.length; i++) {
    if (keep[i] === 0) { for (let u = 0; u < k; u++) to[i * k + u] = from[u] }
  }
}

/** Var-sized cells with `fill` in the place of those for which `keep` has no one; positions are in bytes. */
export const fillOtherVars = (
  bytes: Uint8Array,
  offsets: Uint32Array,
  fill: Uint8Array,
  keep: Uint8Array,
): { readonly bytes: Uint8Array; readonly offsets: Uint32Array } => {
  const starts = new Uint32Array(offsets.length)
  for (let i = 0; i < keep.length; i++) {
    starts[i + 1] = starts[i] + (keep[i] === 0 ? fill.length : offsets[i + 1] - offsets[i])
  }
  const out = new Uint8Array(starts[keep.length])
  for (let i = 0; i < keep.length;) {
    if (keep[i] === 0) {
      out.set(fill, starts[i++])
      continue
    }
    const from = i
    while (i < keep.length && keep[i] !== 0) i++
    out.set(bytes.subarray(offsets[from], offsets[i]), starts[from])
  }
  return { bytes: out, offsets: starts }
}

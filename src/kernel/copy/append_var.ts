/**
 * Var-sized cells of one tile behind those of others. Cell `i` of a tile lies from `offsets[i]` to `offsets[i + 1]` of its
 * bytes; `positions` are the chosen cells, ascending, and all without it.
 */

/**
 * Writes where the chosen cells end to `starts[at + 1]` and on, if the first of them starts at `total`; answers where the
 * last ends. What is past 32 bits is written wrongly: look at the answer.
 */
export const appendStarts = (
  starts: Uint32Array,
  at: number,
  total: number,
  offsets: Uint32Array,
  positions: Uint32Array | undefined,
): number => {
  if (positions === undefined) {
    const shift = total - offsets[0]
    for (let i = 1; i < offsets.length; i++) starts[at + i] = offsets[i] + shift
    return shift + offsets[offsets.length - 1]
  }
  for (let k = 0; k < positions.length; k++) {
    const p = positions[k]
    total += offsets[p + 1] - offsets[p]
    starts[at + k + 1] = total
  }
  return total
}

/** Copies the bytes of the chosen cells to `out` from `at` on; neighbours move at once. `bytes` start at byte `base` of the tile. */
export const appendVar = (
  out: Uint8Array,
  at: number,
  bytes: Uint8Array,
  offsets: Uint32Array,
  positions: Uint32Array | undefined,
  base = 0,
): void => {
  if (positions === undefined) {
    out.set(bytes.subarray(offsets[0] - base, offsets[offsets.length - 1] - base), at)
    return
  }
  for (let k = 0; k < positions.length;) {
    const first = k++
    while (k < positions.length && positions[k] === positions[k - 1] + 1) k++
    let from = offsets[positions[first]] - base
    const end = offsets[positions[k - 1] + 1] - base
    if (end - from > 32) {
      out.set(bytes.subarray(from, end), at)
      at += end - from
    } else while (from < end) out[at++] = bytes[from++]
  }
}

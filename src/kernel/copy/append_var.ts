/**
 * Concatenates var-sized cells of several tiles. Cell `i` of a tile is `offsets[i] … offsets[i + 1]` of its bytes;
 * `positions` are the selected cells, ascending; without it, all cells are selected.
 */

/**
 * Writes the ends of the selected cells to `starts[at + 1]` and following, if the first cell starts at `total`. Returns
 * the end of the last cell. Ends above 2^32 are not stored correctly: check the result.
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

/**
 * Copies the selected cells to `out` from `at`, adjacent cells in one call. `bytes` start at byte `base` of the tile.
 */
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

/**
 * Decodes many short texts at once. A call of the decoder costs more than the decoding itself, so cells are decoded in
 * blocks that are then sliced.
 */

const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true })
const tolerant = new TextDecoder("utf-8", { ignoreBOM: true })

/** Maximum number of bytes decoded at once. A text may keep the memory of its block alive. */
const BLOCK_SIZE = 1 << 14

/** Decodes UTF-8; invalid sequences become U+FFFD. */
export const decodeText = (bytes: Uint8Array): string => tolerant.decode(bytes)

/** Decodes all cells, each as {@link decodeText} does: cell `i` is `bytes[offsets[i]] … bytes[offsets[i + 1] − 1]`. */
export const decodeTexts = (bytes: Uint8Array, offsets: Uint32Array): Array<string> => {
  const count = Math.max(0, offsets.length - 1)
  const out = new Array<string>(count)
  for (let from = 0; from < count;) {
    let to = from + 1
    while (to < count && offsets[to + 1] - offsets[from] <= BLOCK_SIZE) to++
    if (!decodeBlock(bytes, offsets, from, to, out)) {
      for (let i = from; i < to; i++) out[i] = decodeText(bytes.subarray(offsets[i], offsets[i + 1]))
    }
    from = to
  }
  return out
}

/** Decodes cells `from` to `to` (exclusive). Returns false if a cell is invalid UTF-8 or ends inside a character. */
const decodeBlock = (
  bytes: Uint8Array,
  offsets: Uint32Array,
  from: number,
  to: number,
  out: Array<string>,
): boolean => {
  const start = offsets[from]
  const end = offsets[to]
  let all: string
  try {
    all = strict.decode(bytes.subarray(start, end))
  } catch {
    return false
  }
  if (all.length === end - start) {
    for (let i = from; i < to; i++) out[i] = all.slice(offsets[i] - start, offsets[i + 1] - start)
    return true
  }
  let unit = 0
  for (let i = from, at = start; i < to; i++) {
    const first = unit
    const last = offsets[i + 1]
    if (at < last && (bytes[at] & 0xc0) === 0x80) return false
    for (; at < last; at++) {
      const byte = bytes[at]
      // continuation bytes are 10xxxxxx; a character of four bytes takes two UTF-16 units
      if ((byte & 0xc0) !== 0x80) unit += byte >= 0xf0 ? 2 : 1
    }
    out[i] = all.slice(first, unit)
  }
  return true
}

/**
 * The literals of a zstd block: raw, one repeated byte, or Huffman-coded in one stream or four (RFC 8878, 3.1.1.3.1).
 *
 * @module
 */
import { BLOCK_MAX } from "./frame.ts"
import { backwardBits, damagedZstd, type HuffmanTable, readHuffmanTable } from "./entropy_tables.ts"

const decodeStream = (
  table: HuffmanTable,
  bytes: Uint8Array,
  from: number,
  end: number,
  out: Uint8Array,
  first: number,
  last: number,
): void => {
  const { entries, maxBits } = table
  const mask = (1 << maxBits) - 1
  let remaining = backwardBits(bytes, from, end)
  let to = first
  // as long as a whole window remains, its bits (at most 18) are in three bytes
  while (to < last && remaining >= maxBits) {
    const position = remaining - maxBits
    const byte = from + (position >>> 3)
    const word = bytes[byte] | (bytes[byte + 1] << 8) | (bytes[byte + 2] << 16)
    const entry = entries[(word >>> (position & 7)) & mask]
    out[to++] = entry
    remaining -= entry >>> 8
  }
  while (to < last && remaining > 0) {
    const word = bytes[from] | (bytes[from + 1] << 8)
    const entry = entries[((word & ((1 << remaining) - 1)) << (maxBits - remaining)) & mask]
    out[to++] = entry
    remaining -= entry >>> 8
  }
  if (to !== last || remaining !== 0) throw damagedZstd("a stream of literals does not come out even")
}

/** The literals of a block, the Huffman code that later blocks may reuse, and the offset of the sequences. */
export interface Literals {
  readonly bytes: Uint8Array
  readonly table: HuffmanTable | undefined
  readonly next: number
}

/** Reads the literals of the block `bytes[from … end)`; `room` is their maximum number. */
export const readLiterals = (
  bytes: Uint8Array,
  from: number,
  end: number,
  capacity: number,
  previous: HuffmanTable | undefined,
): Literals => {
  if (from >= end) throw damagedZstd("a block without a header of literals")
  const head = bytes[from]
  const type = head & 3
  const form = (head >>> 2) & 3
  const coded = type > 1
  const headLength = coded ? [3, 3, 4, 5][form] : [1, 2, 1, 3][form]
  if (end - from < headLength) throw damagedZstd("a header of literals is cut short")
  const word = (bytes[from] | (bytes[from + 1] << 8) | (bytes[from + 2] << 16) | (bytes[from + 3] << 24)) >>> 0
  let at = from + headLength
  let count: number
  let length = 0
  if (!coded) {
    count = headLength === 1 ? head >>> 3 : headLength === 2 ? (word & 0xffff) >>> 4 : (word & 0xffffff) >>> 4
    length = type === 0 ? count : 1
  } else if (headLength === 3) {
    count = (word >>> 4) & 0x3ff
    length = (word >>> 14) & 0x3ff
  } else if (headLength === 4) {
    count = (word >>> 4) & 0x3fff
    length = word >>> 18
  } else {
    count = (word >>> 4) & 0x3ffff
    length = (word >>> 22) | (bytes[from + 4] << 10)
  }
  if (count > BLOCK_MAX) throw damagedZstd("a block has more literals than blocks can have")
  if (count > capacity) throw damagedZstd("a block has more literals than the frame has room for")
  if (length > end - at) throw damagedZstd("the literals of a block are cut short")
  const stop = at + length
  if (type === 0) return { bytes: bytes.subarray(at, stop), table: previous, next: stop }
  if (type === 1) return { bytes: new Uint8Array(count).fill(bytes[at]), table: previous, next: stop }
  let table = previous
  if (type === 2) {
    const read = readHuffmanTable(bytes, at, stop)
    table = read.table
    at = read.next
  }
  if (table === undefined) throw damagedZstd("a block repeats a missing Huffman code")
  const out = new Uint8Array(count)
  if (form === 0) {
    decodeStream(table, bytes, at, stop, out, 0, count)
  } else {
    if (stop - at < 6) throw damagedZstd("the literals of a block are cut short")
    const quarter = (count + 3) >>> 2
    let start = at + 6
    for (let i = 0; i < 4; i++) {
      const ends = i === 3 ? stop : start + (bytes[at + 2 * i] | (bytes[at + 2 * i + 1] << 8))
      if (ends > stop) throw damagedZstd("the literals of a block are cut short")
      const first = Math.min(quarter * i, count)
      decodeStream(table, bytes, start, ends, out, first, i === 3 ? count : Math.min(first + quarter, count))
      start = ends
    }
  }
  return { bytes: out, table, next: stop }
}

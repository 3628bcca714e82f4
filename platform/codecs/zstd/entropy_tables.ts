/**
 * Decoding tables of zstd's two entropy codes: finite-state entropy (FSE) and Huffman (RFC 8878, 4.1 and 4.2).
 *
 * @module
 */
import { CodecError } from "../../errors.ts"

/** Returns the error for a frame that violates the RFC. */
export const damagedZstd = (reason: string): CodecError => new CodecError({ codec: "zstd", detail: reason })

/** An FSE table: for each state, the symbol, and the base and number of bits of the next state. */
export interface FseTable {
  readonly log: number
  readonly symbols: Uint8Array
  readonly bits: Uint8Array
  readonly base: Uint16Array
}

/** A Huffman table, indexed by the next `maxBits` bits: symbol in the low byte, code length in the high byte. */
export interface HuffmanTable {
  readonly maxBits: number
  readonly entries: Uint16Array
}

const highestBit = (value: number): number => 31 - Math.clz32(value)

/**
 * Returns the table of a distribution: `counts[symbol]` of the `1 << log` states; −1 is a probability below one state.
 */
export const fseTable = (counts: ArrayLike<number>, log: number): FseTable => {
  const size = 1 << log
  const symbols = new Uint8Array(size)
  const bits = new Uint8Array(size)
  const base = new Uint16Array(size)
  const next = new Uint16Array(counts.length)
  let high = size
  for (let symbol = 0; symbol < counts.length; symbol++) {
    if (counts[symbol] === -1) {
      symbols[--high] = symbol
      next[symbol] = 1
    } else next[symbol] = counts[symbol]
  }
  const step = (size >>> 1) + (size >>> 3) + 3
  let at = 0
  for (let symbol = 0; symbol < counts.length; symbol++) {
    for (let i = 0; i < counts[symbol]; i++) {
      symbols[at] = symbol
      do at = (at + step) & (size - 1)
      while (at >= high)
    }
  }
  for (let state = 0; state < size; state++) {
    const order = next[symbols[state]]++
    bits[state] = log - highestBit(order)
    base[state] = (order << bits[state]) - size
  }
  return { log, symbols, bits, base }
}

/** Returns the table of a single symbol. */
export const fseOfOne = (symbol: number): FseTable => ({
  log: 0,
  symbols: Uint8Array.of(symbol),
  bits: new Uint8Array(1),
  base: new Uint16Array(1),
})

/** Reads the description of an FSE table at `at`; `next` is its end. */
export const readFseTable = (
  bytes: Uint8Array,
  at: number,
  end: number,
  symbolMax: number,
  logMax: number,
): { readonly table: FseTable; readonly next: number } => {
  if (at >= end) throw damagedZstd("a table is cut short")
  const log = (bytes[at] & 15) + 5
  if (log > logMax) throw damagedZstd("a table is larger than it may be")
  const counts: Array<number> = []
  const stop = end * 8
  let position = at * 8 + 4
  const peek = (count: number): number => {
    const byte = position >>> 3
    const word = bytes[byte] | ((bytes[byte + 1] ?? 0) << 8) | ((bytes[byte + 2] ?? 0) << 16)
    return (word >>> (position & 7)) & ((1 << count) - 1)
  }
  let remaining = 1 << log
  while (remaining > 0) {
    if (counts.length > symbolMax || position >= stop) throw damagedZstd("a table is not one")
    const width = highestBit(remaining + 1) + 1
    const half = 1 << (width - 1)
    // values below the threshold take one bit less
    const threshold = 2 * half - 1 - (remaining + 1)
    let value = peek(width)
    if ((value & (half - 1)) < threshold) {
      value &= half - 1
      position += width - 1
    } else {
      if (value >= half) value -= threshold
      position += width
    }
    const count = value - 1
    remaining -= Math.abs(count)
    counts.push(count)
    if (count !== 0) continue
    for (let repeat = 3; repeat === 3;) {
      if (position >= stop || counts.length > symbolMax) throw damagedZstd("a table is not one")
      repeat = peek(2)
      position += 2
      for (let i = 0; i < repeat; i++) counts.push(0)
    }
  }
  if (remaining !== 0 || counts.length > symbolMax + 1 || position > stop) throw damagedZstd("a table is not one")
  return { table: fseTable(counts, log), next: (position + 7) >>> 3 }
}

/** Returns the number of bits in a stream that is read from the end: those below the highest set bit. */
export const backwardBits = (bytes: Uint8Array, from: number, end: number): number => {
  if (end <= from || bytes[end - 1] === 0) throw damagedZstd("a bit stream has no end mark")
  return (end - from - 1) * 8 + highestBit(bytes[end - 1])
}

/** Reads weights that are FSE-coded, with two alternating states. */
const readWeights = (bytes: Uint8Array, from: number, end: number): Uint8Array => {
  const { table, next } = readFseTable(bytes, from, end, 255, 6)
  const weights = new Uint8Array(256)
  let remaining = backwardBits(bytes, next, end)
  const read = (count: number): number => {
    remaining -= count
    // bits before the start are zero
    const position = Math.max(remaining, 0)
    const byte = next + (position >>> 3)
    const word = (bytes[byte] | ((bytes[byte + 1] ?? 0) << 8)) >>> (position & 7)
    const mask = (1 << count) - 1
    return remaining < 0 ? (word << -remaining) & mask : word & mask
  }
  const states = [read(table.log), read(table.log)]
  if (remaining < 0) throw damagedZstd("the weights of a Huffman code are cut short")
  let count = 0
  for (let turn = 0;; turn ^= 1) {
    if (count >= 254) throw damagedZstd("a Huffman code has too many weights")
    const state = states[turn]
    weights[count++] = table.symbols[state]
    const more = read(table.bits[state])
    if (remaining < 0) {
      weights[count++] = table.symbols[states[turn ^ 1]]
      return weights.subarray(0, count)
    }
    states[turn] = table.base[state] + more
  }
}

/** Reads the description of a Huffman code at `at`; `next` is its end. */
export const readHuffmanTable = (
  bytes: Uint8Array,
  at: number,
  end: number,
): { readonly table: HuffmanTable; readonly next: number } => {
  if (at >= end) throw damagedZstd("a Huffman code is cut short")
  const head = bytes[at++]
  let weights: Uint8Array
  let next: number
  if (head < 128) {
    next = at + head
    if (next > end) throw damagedZstd("a Huffman code is cut short")
    weights = readWeights(bytes, at, next)
  } else {
    const count = head - 127
    next = at + ((count + 1) >>> 1)
    if (next > end) throw damagedZstd("a Huffman code is cut short")
    weights = Uint8Array.from(
      { length: count },
      (_, i) => i & 1 ? bytes[at + (i >>> 1)] & 15 : bytes[at + (i >>> 1)] >>> 4,
    )
  }
  let sum = 0
  for (const weight of weights) {
    if (weight > 11) throw damagedZstd("a Huffman code is longer than it may be")
    sum += weight === 0 ? 0 : 1 << (weight - 1)
  }
  if (sum === 0) throw damagedZstd("a Huffman code without symbols")
  // the last weight is implicit: it completes the sum to a power of two
  const maxBits = highestBit(sum) + 1
  const rest = (1 << maxBits) - sum
  if (maxBits > 11 || (rest & (rest - 1)) !== 0) throw damagedZstd("a Huffman code does not add up")
  const all = new Uint8Array(weights.length + 1)
  all.set(weights)
  all[weights.length] = highestBit(rest) + 1
  const entries = new Uint16Array(1 << maxBits)
  let to = 0
  for (let weight = 1; weight <= maxBits; weight++) {
    const entry = (maxBits + 1 - weight) << 8
    for (let symbol = 0; symbol < all.length; symbol++) {
      if (all[symbol] === weight) entries.fill(entry | symbol, to, to += 1 << (weight - 1))
    }
  }
  return { table: { maxBits, entries }, next }
}

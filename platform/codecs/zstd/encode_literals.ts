/**
 * Encodes the literals of a zstd block: Huffman-coded in one stream or four, one repeated byte, or raw, whichever is
 * shortest (RFC 8878, 3.1.1.3.1).
 *
 * @module
 */
import { BackwardBits } from "./bit_writer.ts"
import { firstState, fseEncoder, lastState, nextState, shares, suitingLog, writeShares } from "./fse_encode.ts"
import { huffmanLengths } from "../huffman_lengths.ts"

const MAX_CODE_BITS = 11
/** Minimum number of literals for a Huffman code: below, the description of the code takes more than it saves. */
const MIN_CODED = 64

/**
 * Writes the literals section at `at`, where `out` must have room for the literals and five more bytes; returns the
 * end.
 */
export const writeLiterals = (literals: Uint8Array, out: Uint8Array, at: number): number => {
  const size = literals.length
  if (size < MIN_CODED) return stored(literals, out, at)
  const uses = new Uint32Array(256)
  for (let i = 0; i < size; i++) uses[literals[i]]++
  if (uses[literals[0]] === size) {
    const to = header(1, size, out, at)
    out[to] = literals[0]
    return to + 1
  }
  const lengths = huffmanLengths(uses, MAX_CODE_BITS)
  const body = new Uint8Array(size + 512)
  const described = describe(lengths, body)
  let bits = 0
  for (let i = 0; i < 256; i++) bits += uses[i] * lengths[i]
  if (described === 0 || described + bits / 8 + 12 >= size) return stored(literals, out, at)
  const values = codeValues(lengths)
  const four = size >= 1024
  let to = described
  if (four) {
    to += 6
    const part = (size + 3) >>> 2
    for (let i = 0; i < 4; i++) {
      const end = encode(literals, i * part, Math.min((i + 1) * part, size), values, lengths, body, to)
      if (i < 3) {
        body[described + 2 * i] = end - to
        body[described + 2 * i + 1] = (end - to) >>> 8
      }
      to = end
    }
  } else to = encode(literals, 0, size, values, lengths, body, to)
  if (to >= size) return stored(literals, out, at)
  // two sizes of 10, 14 or 18 bits; the format is in the four bits before them
  const form = four ? (size < 1 << 10 ? 1 : size < 1 << 14 ? 2 : 3) : 0
  const width = [10, 10, 14, 18][form]
  const head = new BackwardBits(out, at)
  head.put(2 | (form << 2), 4)
  head.putWide(size, width)
  head.putWide(to, width)
  const start = head.align()
  out.set(body.subarray(0, to), start)
  return start + to
}

/** Writes the header of raw or repeated literals. */
const header = (type: 0 | 1, size: number, out: Uint8Array, at: number): number => {
  if (size < 32) out[at++] = type | (size << 3)
  else if (size < 4096) {
    out[at++] = type | 4 | (size << 4)
    out[at++] = size >>> 4
  } else {
    out[at++] = type | 12 | (size << 4)
    out[at++] = size >>> 4
    out[at++] = size >>> 12
  }
  return at
}

const stored = (literals: Uint8Array, out: Uint8Array, at: number): number => {
  const to = header(0, literals.length, out, at)
  out.set(literals, to)
  return to + literals.length
}

/** Returns the codes for code lengths: the longest first, then in the order of the symbols. */
const codeValues = (lengths: Uint8Array): Uint16Array => {
  const values = new Uint16Array(256)
  let next = 0
  for (let length = MAX_CODE_BITS; length > 0; length--) {
    for (let symbol = 0; symbol < 256; symbol++) if (lengths[symbol] === length) values[symbol] = next++
    next >>>= 1
  }
  return values
}

/** Writes a stream of the literals `[first, last)`, in reverse order; returns the end. */
const encode = (
  literals: Uint8Array,
  first: number,
  last: number,
  values: Uint16Array,
  lengths: Uint8Array,
  out: Uint8Array,
  at: number,
): number => {
  let buffered = 0
  let count = 0
  for (let i = last - 1; i >= first; i--) {
    const symbol = literals[i]
    buffered |= values[symbol] << count
    count += lengths[symbol]
    while (count >= 8) {
      out[at++] = buffered
      buffered >>>= 8
      count -= 8
    }
  }
  out[at++] = buffered | (1 << count)
  return at
}

/** Writes the weights of a code except the last; returns their size in bytes, or 0 if they cannot be encoded. */
const describe = (lengths: Uint8Array, out: Uint8Array): number => {
  const max = Math.max(...lengths)
  let count = 255
  while (lengths[count] === 0) count--
  const weights = lengths.subarray(0, count).map((length) => length === 0 ? 0 : max + 1 - length)
  const coded = codeWeights(weights, out)
  const plain = count <= 128 ? 1 + ((count + 1) >>> 1) : Infinity
  if (coded > 0 && coded < plain) return coded
  if (plain === Infinity) return 0
  out[0] = 127 + count
  for (let i = 0; i < count; i += 2) out[1 + (i >>> 1)] = (weights[i] << 4) | (weights[i + 1] ?? 0)
  return plain
}

/** Writes weights with two alternating FSE states; returns 0 if they are all equal, too few or too many. */
const codeWeights = (weights: Uint8Array, out: Uint8Array): number => {
  const uses = new Uint32Array(12)
  for (const weight of weights) uses[weight]++
  const kinds = uses.filter((n) => n > 0).length
  if (weights.length < 4 || kinds < 2) return 0
  const log = Math.min(6, suitingLog(weights.length, kinds, 6))
  const counts = shares(uses, log)
  const body = new Uint8Array(2 * weights.length + 64)
  const head = new BackwardBits(body, 1)
  writeShares(counts, log, head)
  const stream = new BackwardBits(body, head.align())
  const currentFseEncoder = fseEncoder(counts, log)
  let i = weights.length - 1
  const states = [0, 0]
  states[i & 1] = firstState(currentFseEncoder, weights[i--])
  states[i & 1] = firstState(currentFseEncoder, weights[i--])
  for (; i >= 0; i--) states[i & 1] = nextState(currentFseEncoder, states[i & 1], weights[i], stream)
  lastState(currentFseEncoder, states[1], stream)
  lastState(currentFseEncoder, states[0], stream)
  const end = stream.finish()
  if (end - 1 > 127) return 0
  body[0] = end - 1
  out.set(body.subarray(0, end))
  return end
}

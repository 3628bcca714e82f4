/**
 * bzip2 encoder: run-length encoding, block sorting, move-to-front, and two to six alternating Huffman codes.
 *
 * @module
 */
import { crcTable } from "./crc.ts"
import { huffmanLengths } from "../huffman_lengths.ts"
import { sortRotations } from "./burrows_wheeler.ts"

const GROUP_SIZE = 50
/** Maximum code length of the encoder; decoders accept 20. */
const MAX_CODE_BITS = 17
const ROUNDS = 4

/** Writes bits, most significant first. */
class BitWriter {
  private bytes = new Uint8Array(1024)
  private at = 0
  private buffer = 0
  private count = 0

  /** Writes the low `count` bits of `value`, at most 24. */
  bits(value: number, count: number): void {
    this.buffer = (this.buffer << count) | value
    this.count += count
    while (this.count >= 8) {
      if (this.at === this.bytes.length) {
        const more = new Uint8Array(2 * this.at)
        more.set(this.bytes)
        this.bytes = more
      }
      this.count -= 8
      this.bytes[this.at++] = this.buffer >>> this.count
    }
    this.buffer &= (1 << this.count) - 1
  }

  word(value: number): void {
    this.bits(value >>> 16, 16)
    this.bits(value & 0xffff, 16)
  }

  finish(): Uint8Array {
    if (this.count > 0) this.bits(0, 8 - this.count)
    return this.bytes.slice(0, this.at)
  }
}

/** Returns one stream of blocks of `level` times 100,000 bytes. */
export const encodeBzip2 = (input: Uint8Array, level: number): Uint8Array => {
  const out = new BitWriter()
  out.bits(0x425a, 16)
  out.bits(0x6830 + level, 16)
  const block = new Uint8Array(Math.min(level * 100_000 - 19, Math.ceil(input.length * 1.25) + 8))
  let streamCrc = 0
  for (let from = 0; from < input.length;) {
    const taken = takeRuns(input, from, block)
    out.word(0x31415926)
    out.bits(0x5359, 16)
    out.word(taken.crc)
    out.bits(0, 1)
    writeBlock(out, block.subarray(0, taken.length))
    streamCrc = ((streamCrc << 1) | (streamCrc >>> 31)) ^ taken.crc
    from = taken.next
  }
  out.word(0x17724538)
  out.bits(0x5090, 16)
  out.word(streamCrc)
  return out.finish()
}

/** Fills a block: a run of 4 to 255 equal bytes becomes four bytes and the number of the remaining ones. */
const takeRuns = (
  input: Uint8Array,
  start: number,
  block: Uint8Array,
): { readonly length: number; readonly next: number; readonly crc: number } => {
  let crc = -1
  let at = start
  let to = 0
  while (at < input.length && to + 5 <= block.length) {
    const byte = input[at]
    const stop = Math.min(at + 255, input.length)
    const first = at
    while (at < stop && input[at] === byte) {
      crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ byte]
      at++
    }
    const run = at - first
    for (let i = 0; i < run && i < 4; i++) block[to++] = byte
    if (run >= 4) block[to++] = run - 4
  }
  return { length: to, next: at, crc: ~crc }
}

const writeBlock = (out: BitWriter, block: Uint8Array): void => {
  const n = block.length
  const order = sortRotations(block)
  let origin = 0
  const column = new Uint8Array(n)
  for (let i = 0; i < n; i++) {
    const at = order[i]
    if (at === 0) origin = i
    column[i] = block[at === 0 ? n - 1 : at - 1]
  }
  out.bits(origin, 24)
  const used = new Uint8Array(256)
  for (let i = 0; i < n; i++) used[block[i]] = 1
  let rows = 0
  for (let i = 0; i < 256; i++) if (used[i] === 1) rows |= 0x8000 >>> (i >>> 4)
  out.bits(rows, 16)
  for (let row = 0; row < 16; row++) {
    if ((rows & (0x8000 >>> row)) === 0) continue
    let bits = 0
    for (let i = 0; i < 16; i++) if (used[16 * row + i] === 1) bits |= 0x8000 >>> i
    out.bits(bits, 16)
  }
  const { symbols, count } = moveToFront(column, used)
  writeSymbols(out, symbols, count)
}

/**
 * Replaces bytes by their index in a move-to-front list; encodes runs of zeros as bijective base-2 numbers (digits 1
 * and 2).
 */
const moveToFront = (
  column: Uint8Array,
  used: Uint8Array,
): { readonly symbols: Uint16Array; readonly count: number } => {
  const list = new Uint8Array(256)
  let length = 0
  for (let i = 0; i < 256; i++) if (used[i] === 1) list[length++] = i
  const symbols = new Uint16Array(column.length + 1)
  let to = 0
  let run = 0
  const endRun = (): void => {
    for (; run > 0; run = (run - 1) >>> 1) symbols[to++] = (run - 1) & 1
  }
  for (let i = 0; i < column.length; i++) {
    const byte = column[i]
    if (list[0] === byte) {
      run++
      continue
    }
    endRun()
    let moved = list[0]
    let place = 0
    do {
      const next = list[++place]
      list[place] = moved
      moved = next
    } while (moved !== byte)
    list[0] = byte
    symbols[to++] = place + 1
  }
  endRun()
  symbols[to++] = length + 1
  return { symbols, count: to }
}

/**
 * Writes symbols in groups of fifty, each with the cheapest code; the codes are refined by the symbols that they
 * encode.
 */
const writeSymbols = (out: BitWriter, symbols: Uint16Array, count: number): void => {
  const kinds = symbols[count - 1] + 1
  const codes = count < 200 ? 2 : count < 600 ? 3 : count < 1200 ? 4 : count < 2400 ? 5 : 6
  const groups = Math.ceil(count / GROUP_SIZE)
  const selectors = new Uint8Array(groups)
  const lengths = firstLengths(symbols, count, kinds, codes)
  const costs = new Uint32Array(codes)
  for (let round = 0; round < ROUNDS; round++) {
    const uses = lengths.map(() => new Uint32Array(kinds))
    for (let group = 0, at = 0; group < groups; group++) {
      const end = Math.min(at + GROUP_SIZE, count)
      costs.fill(0)
      let best = 0
      for (let code = 0; code < codes; code++) {
        const bytes = lengths[code]
        let cost = 0
        for (let i = at; i < end; i++) cost += bytes[symbols[i]]
        costs[code] = cost
        if (cost < costs[best]) best = code
      }
      selectors[group] = best
      const counted = uses[best]
      for (; at < end; at++) counted[symbols[at]]++
    }
    // a code must include all symbols, also those that it does not encode
    uses.forEach((use, code) => lengths[code] = huffmanLengths(use.map((n) => Math.max(1, n)), MAX_CODE_BITS))
  }
  out.bits(codes, 3)
  out.bits(groups, 15)
  const list = Uint8Array.of(0, 1, 2, 3, 4, 5)
  for (let i = 0; i < groups; i++) {
    const place = list.indexOf(selectors[i])
    for (let k = 0; k < place; k++) out.bits(1, 1)
    out.bits(0, 1)
    list.copyWithin(1, 0, place)
    list[0] = selectors[i]
  }
  for (const currentBytes of lengths) {
    let length = currentBytes[0]
    out.bits(length, 5)
    for (const next of currentBytes) {
      for (; length < next; length++) out.bits(0b10, 2)
      for (; length > next; length--) out.bits(0b11, 2)
      out.bits(0, 1)
    }
  }
  const values = lengths.map(codeValues)
  for (let group = 0, at = 0; group < groups; group++) {
    const end = Math.min(at + GROUP_SIZE, count)
    const item = lengths[selectors[group]]
    const value = values[selectors[group]]
    for (; at < end; at++) out.bits(value[symbols[at]], item[symbols[at]])
  }
}

/**
 * Returns initial code lengths: each code favours one range of symbols; the ranges have about equal total frequency.
 */
const firstLengths = (symbols: Uint16Array, count: number, kinds: number, codes: number): Array<Uint8Array> => {
  const uses = new Uint32Array(kinds)
  for (let i = 0; i < count; i++) uses[symbols[i]]++
  let remaining = count
  let from = 0
  return Array.from({ length: codes }, (_, code) => {
    const share = remaining / (codes - code)
    let to = from
    let taken = 0
    while (to < kinds && taken < share) taken += uses[to++]
    const lengths = new Uint8Array(kinds).fill(15).fill(0, from, to)
    remaining -= taken
    from = to
    return lengths
  })
}

/** Returns the canonical codes for code lengths: short codes first, then in the order of the symbols. */
const codeValues = (lengths: Uint8Array): Uint32Array => {
  const values = new Uint32Array(lengths.length)
  let next = 0
  for (let length = 1; length <= MAX_CODE_BITS; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) if (lengths[symbol] === length) values[symbol] = next++
    next <<= 1
  }
  return values
}

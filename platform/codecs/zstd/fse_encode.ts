/**
 * Finite-state entropy encoding: distributions, their description, and states that encode symbols from the last to the
 * first (RFC 8878, 4.1).
 *
 * @module
 */
import type { BackwardBits } from "./bit_writer.ts"

const highestBit = (value: number): number => 31 - Math.clz32(value)

/** The encoding table of a distribution. */
export interface FseEncoder {
  readonly log: number
  /** For each symbol: with a state, determines the number of output bits and the next state. */
  readonly bits: Int32Array
  readonly find: Int32Array
  readonly states: Uint16Array
}

/**
 * Returns the encoder of a distribution: `counts[symbol]` of the `1 << log` states; −1 is a probability below one
 * state.
 */
export const fseEncoder = (counts: ArrayLike<number>, log: number): FseEncoder => {
  const size = 1 << log
  const symbols = new Uint8Array(size)
  const starts = new Int32Array(counts.length + 1)
  const bits = new Int32Array(counts.length)
  const find = new Int32Array(counts.length)
  let high = size
  for (let symbol = 0; symbol < counts.length; symbol++) {
    const share = Math.abs(counts[symbol])
    if (counts[symbol] === -1) symbols[--high] = symbol
    starts[symbol + 1] = starts[symbol] + share
    if (share === 0) continue
    const max = share === 1 ? log : log - highestBit(share - 1)
    bits[symbol] = (max << 16) - (share << max)
    find[symbol] = starts[symbol] - share
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
  const states = new Uint16Array(size)
  for (let i = 0; i < size; i++) states[starts[symbols[i]]++] = size + i
  return { log, bits, find, states }
}

/** Returns the state that encodes `symbol` as the last symbol. */
export const firstState = ({ bits, find, states }: FseEncoder, symbol: number): number => {
  const count = (bits[symbol] + 0x8000) >>> 16
  return states[(((count << 16) - bits[symbol]) >>> count) + find[symbol]]
}

/** Encodes `symbol` before the symbols of `state`: writes the bits of the transition and returns the new state. */
export const nextState = (currentFseEncoder: FseEncoder, state: number, symbol: number, out: BackwardBits): number => {
  const count = (state + currentFseEncoder.bits[symbol]) >>> 16
  out.put(state & ((1 << count) - 1), count)
  return currentFseEncoder.states[(state >>> count) + currentFseEncoder.find[symbol]]
}

/** Writes the final state, which decoders read first. */
export const lastState = ({ log }: FseEncoder, state: number, out: BackwardBits): void =>
  out.put(state & ((1 << log) - 1), log)

/**
 * Distributes `1 << log` states among symbols by their frequency; there must be at least two symbols, and fewer than
 * states.
 */
export const shares = (uses: Uint32Array, log: number): Int16Array => {
  const size = 1 << log
  const total = uses.reduce((sum, n) => sum + n, 0)
  const out = new Int16Array(uses.length)
  let remaining = size
  for (let symbol = 0; symbol < uses.length; symbol++) {
    if (uses[symbol] > 0) remaining -= out[symbol] = Math.max(1, Math.round(uses[symbol] / total * size))
  }
  // corrects the rounding error at the most frequent symbols, where it costs least
  for (; remaining !== 0; remaining -= Math.sign(remaining)) {
    let best = -1
    for (let symbol = 0; symbol < uses.length; symbol++) {
      if (remaining < 0 && out[symbol] < 2 || out[symbol] === 0) continue
      if (best < 0 || uses[symbol] / out[symbol] * remaining > uses[best] / out[best] * remaining) best = symbol
    }
    out[best] += Math.sign(remaining)
  }
  return out
}

/** Returns the log of a suitable number of states for `total` symbols of `kinds` kinds. */
export const suitingLog = (total: number, kinds: number, max: number): number =>
  Math.max(5, highestBit(kinds) + 1, Math.min(max, highestBit(Math.max(total - 1, 1)) - 2))

/** Returns the number of bits that symbols take with a distribution. */
export const costOf = (uses: Uint32Array, counts: ArrayLike<number>, log: number): number => {
  let bits = 0
  for (let symbol = 0; symbol < uses.length; symbol++) {
    if (uses[symbol] === 0) continue
    const share = Math.abs(counts[symbol] ?? 0)
    if (share === 0) return Infinity
    bits += uses[symbol] * (log - Math.log2(share))
  }
  return bits
}

/** Writes the description of a distribution. */
export const writeShares = (counts: ArrayLike<number>, log: number, out: BackwardBits): void => {
  out.put(log - 5, 4)
  let remaining = (1 << log) + 1
  for (let symbol = 0; remaining > 1;) {
    const width = highestBit(remaining) + 1
    const half = 1 << (width - 1)
    // values below the threshold take one bit less
    const threshold = 2 * half - 1 - remaining
    const count = counts[symbol++]
    const value = count + 1
    out.put(value >= half ? value + threshold : value, value < threshold ? width - 1 : width)
    remaining -= Math.abs(count)
    if (count !== 0) continue
    let zeros = 0
    while (counts[symbol] === 0) {
      symbol++
      zeros++
    }
    for (; zeros >= 3; zeros -= 3) out.put(3, 2)
    out.put(zeros, 2)
  }
}

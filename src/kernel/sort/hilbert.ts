/**
 * Hilbert values as TileDB uses them to order cells: every coordinate belongs to one of 2^bits buckets of its
 * dimension; the buckets are transposed by Skilling's algorithm ("Programming the Hilbert curve", 2004) and
 * interleaved.
 */

import { finish, inParts, type Steps } from "../steps.ts"

/** Two key words per cell, the more significant first. */
export type Words = readonly [high: Uint32Array, low: Uint32Array]

/** Returns the number of bits of a bucket number: 63 divided among the dimensions. */
export const hilbertBits = (dimensions: number): number => Math.floor(63 / dimensions)

/**
 * Returns the buckets of numeric coordinates. Computed in float64 like in the engine: 64-bit integers lose precision
 * here. `low` and `range` describe the domain: its start, and end − start (+ 1 for integers in engines 2.2).
 */
export const numberBuckets = (values: Float64Array, low: number, range: number, bits: number): Words =>
  finish(numberBucketsSteps(values, low, range, bits))

/** Returns buckets like {@link numberBuckets}, in steps. */
export function* numberBucketsSteps(values: Float64Array, low: number, range: number, bits: number): Steps<Words> {
  const top = 2 ** bits - 1
  const n = values.length
  const high = new Uint32Array(n)
  const lowWord = new Uint32Array(n)
  yield* inParts(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const bucket = Math.trunc(((values[i] - low) / range) * top)
      high[i] = Math.floor(bucket / 0x100000000)
      lowWord[i] = bucket % 0x100000000
    }
  })
  return [high, lowWord]
}

/**
 * Returns the buckets of strings: their first eight bytes, big-endian, zero-padded, shifted to `bits` bits. The engine
 * sign-extends characters, so that a byte of 0x80 or above sets all bits before it; reproduced to match the order on
 * disk.
 */
export const stringBuckets = (bytes: Uint8Array, offsets: Uint32Array, bits: number): Words =>
  finish(stringBucketsSteps(bytes, offsets, bits))

/** Returns buckets like {@link stringBuckets}, in steps. */
export function* stringBucketsSteps(bytes: Uint8Array, offsets: Uint32Array, bits: number): Steps<Words> {
  const n = offsets.length - 1
  const high = new Uint32Array(n)
  const low = new Uint32Array(n)
  yield* inParts(n, (from, to) => fillStringBuckets(bytes, offsets, bits, high, low, from, to))
  return [high, low]
}

const fillStringBuckets = (
  bytes: Uint8Array,
  offsets: Uint32Array,
  bits: number,
  high: Uint32Array,
  low: Uint32Array,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) {
    let h = 0
    let l = 0
    for (let k = 0; k < 8; k++) {
      const at = offsets[i] + k
      const byte = at < offsets[i + 1] ? bytes[at] : 0
      h = (h << 8) | (l >>> 24)
      l = (l << 8) | byte
      if (byte >= 0x80) {
        h = -1
        l |= -256
      }
    }
    // value >> (64 − bits); bits is 63 or at most 31
    const shift = 64 - bits
    if (shift >= 32) low[i] = (h >>> 0) >>> (shift - 32)
    else {
      high[i] = h >>> shift
      low[i] = (h << (32 - shift)) | (l >>> shift)
    }
  }
}

/** Returns the Hilbert values of cells as key words. `buckets[d]` are the buckets of dimension `d`. */
export const hilbertWords = (buckets: ReadonlyArray<Words>): Words => finish(hilbertWordsSteps(buckets))

/** Returns Hilbert values like {@link hilbertWords}, in steps. */
export function* hilbertWordsSteps(buckets: ReadonlyArray<Words>): Steps<Words> {
  const dims = buckets.length
  // in one dimension the Hilbert value is the bucket
  if (dims === 1) return buckets[0]
  const n = buckets[0][0].length
  const high = new Uint32Array(n)
  const low = new Uint32Array(n)
  yield* inParts(
    n,
    dims === 2
      ? (from, to) => planeWords(buckets[0][1], buckets[1][1], high, low, from, to)
      : (from, to) => spaceWords(buckets, high, low, from, to),
    HILBERT_STEP,
  )
  return [high, low]
}

/** The number of cells between two yields: each takes up to a microsecond. */
const HILBERT_STEP = 1 << 13

/** Computes the values in three or more dimensions. */
const spaceWords = (
  buckets: ReadonlyArray<Words>,
  high: Uint32Array,
  low: Uint32Array,
  from: number,
  to: number,
): void => {
  const dims = buckets.length
  const bits = hilbertBits(dims)
  const x = new Uint32Array(dims)
  for (let i = from; i < to; i++) {
    for (let d = 0; d < dims; d++) x[d] = buckets[d][1][i]
    transpose(x, bits)
    let h = 0
    let l = 0
    for (let j = bits - 1; j >= 0; j--) {
      for (let d = 0; d < dims; d++) {
        h = (h << 1) | (l >>> 31)
        l = (l << 1) | ((x[d] >>> j) & 1)
      }
    }
    high[i] = h
    low[i] = l
  }
}

/** Spreads the low 16 bits of `v` to the even bits of 32. */
const spread = (v: number): number => {
  v = (v | (v << 8)) & 0x00ff00ff
  v = (v | (v << 4)) & 0x0f0f0f0f
  v = (v | (v << 2)) & 0x33333333
  return (v | (v << 1)) & 0x55555555
}

/** Computes the values in two dimensions: Skilling's algorithm on two numbers, with masks instead of branches. */
const planeWords = (
  xs: Uint32Array,
  ys: Uint32Array,
  high: Uint32Array,
  low: Uint32Array,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) {
    let x = xs[i]
    let y = ys[i]
    for (let j = 30; j > 0; j--) {
      const p = (1 << j) - 1
      // if x has bit j, the lower bits of x are inverted; if y has it, inverted again, else exchanged with the bits of
      // y
      const turnX = -((x >>> j) & 1)
      const turnY = -((y >>> j) & 1)
      x ^= turnX & p
      const t = (x ^ y) & p & ~turnY
      x ^= t | (turnY & p)
      y ^= t
    }
    y ^= x
    // parity of all higher bits of y, by prefix xor
    let t = y >>> 1
    t ^= t >>> 1
    t ^= t >>> 2
    t ^= t >>> 4
    t ^= t >>> 8
    t ^= t >>> 16
    x ^= t
    y ^= t
    // bits of x at odd positions of 62, bits of y at even positions
    high[i] = (spread(x >>> 16) << 1) | spread(y >>> 16)
    low[i] = (spread(x & 0xffff) << 1) | spread(y & 0xffff)
  }
}

/** Skilling's AxestoTranspose, in place. */
const transpose = (x: Uint32Array, bits: number): void => {
  const n = x.length
  const top = 2 ** (bits - 1)
  for (let q = top; q > 1; q >>>= 1) {
    const p = q - 1
    if ((x[0] & q) !== 0) x[0] ^= p
    for (let i = 1; i < n; i++) {
      if ((x[i] & q) !== 0) x[0] ^= p
      else {
        const t = (x[0] ^ x[i]) & p
        x[0] ^= t
        x[i] ^= t
      }
    }
  }
  for (let i = 1; i < n; i++) x[i] ^= x[i - 1]
  let t = 0
  for (let q = top; q > 1; q >>>= 1) if ((x[n - 1] & q) !== 0) t ^= q - 1
  for (let i = 0; i < n; i++) x[i] ^= t
}

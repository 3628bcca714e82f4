/**
 * Double delta, writing: determines the number of bits from the widest change of the differences, then writes the
 * stream.
 *
 * @module
 */
import { encodeDoubleDeltaByKernel } from "../../../platform/wasm/double_delta.ts"
import { type Datatype, sizeOf, storageOf, viewAs } from "../../../schema/array/datatype.ts"
import { Refusal } from "../part/transform.ts"
import { asUint32 } from "../part/words.ts"

const HEADER_SIZE = 9

/**
 * Encodes a part: a multiple of the size of `type`. With `countFirst`, the first difference counts among the changes
 * that determine the number of bits, as in engines that write format 22.
 */
export const encodeDoubleDelta = (part: Uint8Array, type: Datatype, countFirst: boolean): Uint8Array => {
  const size = sizeOf(type)
  const count = part.byteLength / size
  // an empty part is written raw: otherwise, engines would read a first value
  if (count === 0) return packed(8 * size - 1, 0, part)
  if (size === 8) {
    const unsigned = storageOf(type) === "uint64"
    const made = count > 2 ? encodeDoubleDeltaByKernel(part, unsigned, countFirst) : undefined
    const { bits, stream } = made ?? encodePairs(part, unsigned, countFirst)
    return bits >= 63 ? packed(bits, count, part) : packed(bits, count, part.subarray(0, 16), stream)
  }
  // float64 for all types: the sums are exact
  const values = new Float64Array(viewAs(type, part) as Uint8Array)
  const bits = count <= 2 ? 0 : bitsOf(values, countFirst)
  if (bits >= 8 * size - 1) return packed(bits, count, part)
  const stream = new Uint32Array(2 * Math.ceil((Math.max(count - 2, 0) * (bits + 1)) / 64))
  encodeNarrow(new Int32Array(values), bits, stream)
  return packed(bits, count, part.subarray(0, 2 * size), new Uint8Array(stream.buffer))
}

/** The kernel in TypeScript: determines the bits of the changes of 64-bit values, and writes their stream. */
export const encodePairs = (
  part: Uint8Array,
  unsigned: boolean,
  countFirst: boolean,
): { readonly bits: number; readonly stream: Uint8Array } => {
  const values = asUint32(part)
  const count = part.byteLength / 8
  const bits = count <= 2 ? 0 : bitsOfPairs(values, unsigned ? 0x80000000 : 0, countFirst)
  const stream = new Uint32Array(bits < 63 ? 2 * Math.ceil((Math.max(count - 2, 0) * (bits + 1)) / 64) : 0)
  if (bits < 32) encodeNarrow(lowHalves(values), bits, stream)
  else if (bits < 63) encodeWidePairs(values, bits, stream)
  return { bits, stream: new Uint8Array(stream.buffer) }
}

const packed = (bits: number, count: number, heads: Uint8Array, stream?: Uint8Array): Uint8Array => {
  const out = new Uint8Array(HEADER_SIZE + heads.byteLength + (stream?.byteLength ?? 0))
  out[0] = bits
  new DataView(out.buffer).setUint32(1, count, true)
  out.set(heads, HEADER_SIZE)
  if (stream !== undefined) out.set(stream, HEADER_SIZE + heads.byteLength)
  return out
}

/** Returns the bit length of a number below 2^53, at least one. */
const bitLength = (value: number): number =>
  value < 0x100000000 ? Math.max(1, 32 - Math.clz32(value)) : 64 - Math.clz32(value / 0x100000000)

const bitsOf = (values: Float64Array, countFirst: boolean): number => {
  let before = values[1]
  let step = before - values[0]
  let max = countFirst ? Math.abs(step) : 0
  for (let i = 2; i < values.length; i++) {
    const value = values[i]
    const next = value - before
    const change = Math.abs(next - step)
    if (change > max) max = change
    step = next
    before = value
  }
  return bitLength(max)
}

/**
 * Returns the bits of all changes of 64-bit values. The upper half of unsigned values is flipped to compare as signed.
 */
const bitsOfPairs = (values: Uint32Array, flip: number, countFirst: boolean): number => {
  let orLo = 0
  let orHi = 0
  let stepLo = 0
  let stepHi = 0
  let beforeLo = values[0]
  let beforeHi = values[1] ^ flip
  for (let i = 2; i < values.length; i += 2) {
    const lo = values[i]
    const hi = values[i + 1] ^ flip
    const nextLo = (lo - beforeLo) >>> 0
    const nextHi = hi - beforeHi - (lo < beforeLo ? 1 : 0)
    let changeLo = nextLo
    let changeHi = nextHi
    if (i > 2) {
      changeLo = (nextLo - stepLo) >>> 0
      changeHi = nextHi - stepHi - (nextLo < stepLo ? 1 : 0)
    }
    if (nextHi !== (nextHi | 0) || changeHi !== (changeHi | 0)) throw overflow(4 * i)
    if (i > 2 || countFirst) {
      if (changeHi < 0) {
        // −x in two halves
        changeHi = -changeHi - (changeLo === 0 ? 0 : 1)
        changeLo = -changeLo
      }
      orLo |= changeLo
      orHi |= changeHi
    }
    stepLo = nextLo
    stepHi = nextHi
    beforeLo = lo
    beforeHi = hi
  }
  return orHi !== 0 ? 64 - Math.clz32(orHi) : Math.max(1, 32 - Math.clz32(orLo))
}

const overflow = (at: number): Refusal =>
  new Refusal("the difference to this value, or the change of the differences, exceeds 64 bits", at)

// A 64-bit word filled from the most significant bit consists of two such u32, the upper one first: u32 number k of the
// stream is at index k ^ 1.

/** The lower halves of 64-bit values. */
const lowHalves = (values: Uint32Array): Int32Array => {
  const out = new Int32Array(values.length / 2)
  for (let i = 0; i < out.length; i++) out[i] = values[2 * i]
  return out
}

/**
 * Encodes values whose sign and change have at most 32 bits together. The lower 32 bits of the values are sufficient: the
 * differences wrap around, and the changes fit.
 */
const encodeNarrow = (values: Int32Array, bits: number, stream: Uint32Array): void => {
  const width = bits + 1
  let before = values[1]
  let step = (before - values[0]) | 0
  let word = 0
  let current = 0
  let remaining = 32
  for (let i = 2; i < values.length; i++) {
    const value = values[i]
    const next = (value - before) | 0
    const change = (next - step) | 0
    step = next
    before = value
    const field = change < 0 ? (1 << bits) | -change : change
    if (remaining > width) {
      remaining -= width
      current |= field << remaining
    } else {
      const more = width - remaining
      stream[word++ ^ 1] = current | (field >>> more)
      remaining = 32 - more
      current = more === 0 ? 0 : field << remaining
    }
  }
  if (remaining < 32) stream[word ^ 1] = current
}

/** Encodes values of 8 bytes. */
const encodeWidePairs = (values: Uint32Array, bits: number, stream: Uint32Array): void => {
  let at = 0 // in bits
  const put = (value: number, n: number): void => {
    const remaining = 32 - (at & 31)
    const word = at >>> 5
    at += n
    if (remaining >= n) {
      stream[word ^ 1] |= value << (remaining - n)
    } else {
      stream[word ^ 1] |= value >>> (n - remaining)
      stream[(word + 1) ^ 1] |= value << (32 - (n - remaining))
    }
  }
  let stepLo = (values[2] - values[0]) >>> 0
  let stepHi = (values[3] - values[1] - (values[2] < values[0] ? 1 : 0)) | 0
  for (let i = 4; i < values.length; i += 2) {
    const nextLo = (values[i] - values[i - 2]) >>> 0
    const nextHi = (values[i + 1] - values[i - 1] - (values[i] < values[i - 2] ? 1 : 0)) | 0
    let changeLo = (nextLo - stepLo) >>> 0
    let changeHi = (nextHi - stepHi - (nextLo < stepLo ? 1 : 0)) | 0
    let sign = 0
    if (changeHi < 0) {
      sign = 1
      changeHi = (~changeHi + (changeLo === 0 ? 1 : 0)) | 0
      changeLo = -changeLo >>> 0
    }
    put((sign << (bits - 32)) | changeHi, bits - 31)
    put(changeLo, 32)
    stepLo = nextLo
    stepHi = nextHi
  }
}

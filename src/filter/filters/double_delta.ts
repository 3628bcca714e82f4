/**
 * Double delta: stores two values, then the changes of the differences, each as a sign and `bits` bits in a stream of
 * 64-bit words that are filled from the most significant bit.
 *
 * @module
 */
import { doubleDeltaByKernel } from "../../../platform/wasm/double_delta.ts"
import { Cursor, u64, u8 } from "../../../schema/binary/mod.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import { CURRENT_VERSION } from "../../../schema/version/version.ts"
import { checkDeltaParts, deltaSize, deltaType } from "./delta.ts"
import { encodeDoubleDelta } from "./double_delta_forward.ts"
import { forwardParts, reverseParts } from "../part/part_frame.ts"
import { type Allocate, damaged, type FilterOf, type Transform } from "../part/transform.ts"
import { asUint16, asUint32 } from "../part/words.ts"

/** The double delta filter. */
export const doubleDelta: Transform<FilterOf<"double_delta">> = {
  reverse: (filter, chunk, context, limit, allocate) => {
    const size = deltaSize(filter, context.type)
    return reverseParts(
      chunk,
      8,
      limit,
      allocate,
      (part, bytes, allocatePart) => bytes === 0 ? part.subarray(0, 0) : decode(part, size, bytes, allocatePart),
    )
  },
  forward: (filter, parts, context) => {
    const type = deltaType(filter, context.type)
    // some releases that write format 22 exclude the first difference, others include it
    const countFirst = (context.engineVersion ?? CURRENT_VERSION) >= CURRENT_VERSION
    checkDeltaParts(parts, sizeOf(type))
    return forwardParts(parts, (part) => ({ stored: encodeDoubleDelta(part, type, countFirst) }))
  },
}

const decode = (part: Uint8Array, size: number, bytes: number, allocate: Allocate): Uint8Array => {
  const cursor = new Cursor(part, 0)
  const bits = u8.get(cursor, undefined)
  const count = u64.get(cursor, undefined)
  if (count * size !== bytes) throw damaged(`${count} values of ${size} bytes instead of ${bytes} bytes`)
  if (bits >= 8 * size - 1) {
    const raw = cursor.bytesOf(bytes)
    if (cursor.remaining > 0) throw damaged(`${cursor.remaining} unexpected bytes at the end`)
    return raw
  }
  const heads = Math.min(count, 2) * size
  const words = Math.ceil((Math.max(count - 2, 0) * (bits + 1)) / 64)
  const input = cursor.bytesOf(heads + 8 * words)
  if (cursor.remaining > 0) throw damaged(`${cursor.remaining} unexpected bytes at the end`)
  const out = allocate(bytes)
  if (count <= 2) out.set(input)
  else if (!doubleDeltaByKernel(input, bits, size, out)) decodeStream(input, bits, size, out)
  return out
}

/** The kernel in TypeScript: decodes two or more values of `size` bytes; `input` contains the first two. */
export const decodeStream = (input: Uint8Array, bits: number, size: number, out: Uint8Array): void => {
  out.set(input.subarray(0, 2 * size))
  const stream = asUint32(input.subarray(2 * size))
  if (size === 8) (bits < 32 ? decodeNarrowPairs : decodePairs)(stream, bits, asUint32(out))
  else decodeSmall(stream, bits, size === 4 ? asUint32(out) : size === 2 ? asUint16(out) : out)
}

// A 64-bit word filled from the most significant bit consists of two such u32, the upper one first: u32 number k of the
// stream is at index k ^ 1.

/** Decodes values of at most 4 bytes: sign and change have at most 31 bits, so they span at most two u32. */
const decodeSmall = (input: Uint32Array, bits: number, out: Uint8Array | Uint16Array | Uint32Array): void => {
  const width = bits + 1
  let before = out[0] | 0
  let value = out[1] | 0
  let step = (value - before) | 0
  let word = 0
  let current = input[1]
  let remaining = 32
  for (let i = 2; i < out.length; i++) {
    let field: number
    if (remaining >= width) {
      remaining -= width
      // the shift is at most 31, because width is at least 1
      field = (current << (32 - width - remaining)) >>> (32 - width)
      if (remaining === 0) {
        current = input[++word ^ 1]
        remaining = 32
      }
    } else {
      const more = width - remaining
      const top = remaining === 0 ? 0 : (current << (32 - remaining)) >>> (32 - remaining)
      current = input[++word ^ 1]
      remaining = 32 - more
      field = (top << more) | (current >>> remaining)
    }
    const size = bits === 0 ? 0 : field & (0xffffffff >>> (32 - bits))
    step = (step + ((field >>> bits) === 1 ? -size : size)) | 0
    before = value
    value = (before + step) | 0
    out[i] = value
  }
}

/**
 * Decodes values of 8 bytes as pairs of u32, with sign and change of at most 32 bits together: the most frequent case.
 */
const decodeNarrowPairs = (input: Uint32Array, bits: number, out: Uint32Array): void => {
  const width = bits + 1
  const mask = 2 ** bits - 1
  let lo = out[2]
  let hi = out[3] | 0
  let stepLo = (lo - out[0]) >>> 0
  let stepHi = (hi - out[1] - (lo < out[0] ? 1 : 0)) | 0
  let word = 0
  let current = input[1]
  let remaining = 32
  for (let i = 4; i < out.length; i += 2) {
    let field: number
    if (remaining >= width) {
      remaining -= width
      field = current >>> remaining
    } else {
      // remaining is at most 31 here, and more at most 32
      const more = width - remaining
      const top = current << more
      current = input[++word ^ 1]
      remaining = 32 - more
      field = more === 32 ? current : top | (current >>> remaining)
    }
    const change = field & mask
    if ((field >>> bits) & 1) {
      stepHi = (stepHi - (stepLo < change ? 1 : 0)) | 0
      stepLo = (stepLo - change) >>> 0
    } else {
      stepLo = (stepLo + change) >>> 0
      stepHi = (stepHi + (stepLo < change ? 1 : 0)) | 0
    }
    lo = (lo + stepLo) >>> 0
    hi = (hi + stepHi + (lo < stepLo ? 1 : 0)) | 0
    out[i] = lo
    out[i + 1] = hi
  }
}

/** Decodes values of 8 bytes as pairs of u32. */
const decodePairs = (input: Uint32Array, bits: number, out: Uint32Array): void => {
  let at = 0 // in bits
  const take = (n: number): number => {
    if (n === 0) return 0
    const word = at >>> 5
    const used = at & 31
    at += n
    const top = (input[word ^ 1] << used) >>> 0
    const both = used + n > 32 ? (top | (input[(word + 1) ^ 1] >>> (32 - used))) >>> 0 : top
    return both >>> (32 - n)
  }
  let lo = out[2]
  let hi = out[3] | 0
  let stepLo = (lo - out[0]) >>> 0
  let stepHi = (hi - out[1] - (lo < out[0] ? 1 : 0)) | 0
  const upper = Math.max(bits - 32, 0)
  const lower = Math.min(bits, 32)
  for (let i = 4; i < out.length; i += 2) {
    const negative = take(1) === 1
    let changeHi = take(upper)
    let changeLo = take(lower)
    if (negative) {
      changeLo = (-changeLo) >>> 0
      changeHi = (~changeHi + (changeLo === 0 ? 1 : 0)) | 0
    }
    stepLo = (stepLo + changeLo) >>> 0
    stepHi = (stepHi + changeHi + (stepLo < changeLo ? 1 : 0)) | 0
    lo = (lo + stepLo) >>> 0
    hi = (hi + stepHi + (lo < stepLo ? 1 : 0)) | 0
    out[i] = lo
    out[i + 1] = hi
  }
}

/**
 * Bitshuffle: transposes the bit matrix of each block of 8192 bytes: first the lowest bit of every value's first byte,
 * then the next bit, and so on.
 *
 * @module
 */
import { shuffleByKernel } from "../../../platform/wasm/shuffle.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import { eachPart } from "../part/part_sizes.ts"
import type { FilterOf, Transform } from "../part/transform.ts"
import { u32Bytes } from "../part/words.ts"

const BLOCK_SIZE = 8192

/** The bitshuffle filter. */
export const bitshuffle: Transform<FilterOf<"bitshuffle">> = {
  reverse: (_, chunk, context, _limit, allocate) => {
    const size = sizeOf(context.type)
    const out = allocate(chunk.data.byteLength)
    const metadata = eachPart(chunk, (start, end) => {
      transpose("bitunshuffle", chunk.data.subarray(start, end), size, out.subarray(start, end))
    })
    return { metadata, data: out }
  },
  forward: (_, parts, context) => {
    const size = sizeOf(context.type)
    const out = new Uint8Array(parts.data.byteLength)
    const tail = out.byteLength % 8
    const sizes = parts.dropped === true ? [] : tail === 0 ? [out.byteLength] : [out.byteLength - tail, tail]
    let at = 0
    for (const part of sizes) {
      transpose("bitshuffle", parts.data.subarray(at, at + part), size, out.subarray(at, at + part))
      at += part
    }
    return { metadata: [u32Bytes(sizes.length, ...sizes), ...parts.metadata], data: out }
  },
}

const transpose = (name: "bitshuffle" | "bitunshuffle", input: Uint8Array, size: number, output: Uint8Array): void => {
  if (input.length % size !== 0 || input.length % 8 !== 0) output.set(input)
  else if (!shuffleByKernel(name, input, size, output)) transposeBlocks(name, input, size, output)
}

type Block = (input: Uint8Array, at: number, values: number, size: number, output: Uint8Array) => void

/**
 * The kernel in TypeScript: transposes values of `size` bytes. The number of bytes is a multiple of 8 and of `size`.
 */
export const transposeBlocks = (
  name: "bitshuffle" | "bitunshuffle",
  input: Uint8Array,
  size: number,
  output: Uint8Array,
): void => {
  const block = name === "bitshuffle" ? shuffle : unshuffle
  for (let at = 0; at < input.length; at += BLOCK_SIZE) {
    const stop = Math.min(at + BLOCK_SIZE, input.length)
    const values = Math.floor((stop - at) / size / 8) * 8
    block(input, at, values, size, output)
    const done = at + values * size
    if (done < stop) output.set(input.subarray(done, stop), done)
  }
}

// Eight bytes are an 8 × 8 matrix of bits, in two u32 (lo: the first four bytes). It is transposed by swapping within
// pairs, then pairs, then halves. The transposition is its own inverse.

const unshuffle: Block = (input, at, values, size, output) => {
  const plane = values >>> 3
  for (let byte = 0; byte < size; byte++) {
    const planes = at + 8 * byte * plane
    for (let group = 0; group < plane; group++) {
      let p = planes + group
      let lo = input[p] | (input[p += plane] << 8) | (input[p += plane] << 16) | (input[p += plane] << 24)
      let hi = input[p += plane] | (input[p += plane] << 8) | (input[p += plane] << 16) | (input[p += plane] << 24)
      let t = (lo ^ (lo >>> 7)) & 0x00aa00aa
      lo ^= t ^ (t << 7)
      t = (hi ^ (hi >>> 7)) & 0x00aa00aa
      hi ^= t ^ (t << 7)
      t = (lo ^ (lo >>> 14)) & 0x0000cccc
      lo ^= t ^ (t << 14)
      t = (hi ^ (hi >>> 14)) & 0x0000cccc
      hi ^= t ^ (t << 14)
      t = (lo ^ (hi << 4)) & 0xf0f0f0f0
      lo ^= t
      hi ^= t >>> 4
      let q = at + 8 * group * size + byte
      output[q] = lo
      output[q += size] = lo >>> 8
      output[q += size] = lo >>> 16
      output[q += size] = lo >>> 24
      output[q += size] = hi
      output[q += size] = hi >>> 8
      output[q += size] = hi >>> 16
      output[q += size] = hi >>> 24
    }
  }
}

const shuffle: Block = (input, at, values, size, output) => {
  const plane = values >>> 3
  for (let byte = 0; byte < size; byte++) {
    for (let bit = 0; bit < 8; bit++) {
      const planes = at + (8 * byte + bit) * plane
      for (let group = 0; group < plane; group++) {
        let bits = 0
        for (let i = 0, from = at + 8 * group * size + byte; i < 8; i++, from += size) {
          bits |= ((input[from] >>> bit) & 1) << i
        }
        output[planes + group] = bits
      }
    }
  }
}

/**
 * Byteshuffle: stores all first bytes of the values, then all second bytes, and so on; an incomplete value is appended
 * unchanged.
 *
 * @module
 */
import { shuffleByKernel } from "../../../platform/wasm/shuffle.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import { eachPart, partSizes } from "../part/part_sizes.ts"
import type { FilterOf, Transform } from "../part/transform.ts"
import { asUint16, asUint32 } from "../part/words.ts"

/** The byteshuffle filter. */
export const byteshuffle: Transform<FilterOf<"byteshuffle">> = {
  reverse: (_, chunk, context, _limit, allocate) => {
    const size = sizeOf(context.type)
    const out = size === 1 ? chunk.data : allocate(chunk.data.byteLength)
    const metadata = eachPart(chunk, (start, end) => {
      if (size === 1) return
      const input = chunk.data.subarray(start, end)
      const output = out.subarray(start, end)
      if (!shuffleByKernel("unshuffle", input, size, output)) unshuffle(input, size, output)
    })
    return { metadata, data: out }
  },
  forward: (_, parts, context) => {
    const size = sizeOf(context.type)
    const data = size === 1 ? parts.data : new Uint8Array(parts.data.byteLength)
    if (size > 1 && !shuffleByKernel("shuffle", parts.data, size, data)) shuffle(parts.data, size, data)
    return { metadata: [partSizes(parts, data.byteLength), ...parts.metadata], data }
  },
}

/** The kernel in TypeScript: restores values of `size` bytes (at least 2) from their planes. */
export const unshuffle = (input: Uint8Array, size: number, output: Uint8Array): void => {
  const n = Math.floor(input.byteLength / size)
  if (output.byteOffset % Math.min(size, 4) !== 0) {
    const aligned = new Uint8Array(output.byteLength)
    unshuffle(input, size, aligned)
    output.set(aligned)
    return
  }
  if (size === 2) {
    const out = asUint16(output)
    for (let i = 0; i < n; i++) out[i] = input[i] | (input[n + i] << 8)
  } else {
    // an 8-byte value consists of two words of four planes each
    const out = asUint32(output)
    const step = size >>> 2
    for (let half = 0; half < step; half++) gather(input, 4 * half * n, n, out, half, step)
  }
  output.set(input.subarray(n * size), n * size)
}

/** Gathers word `i` of `out` (from `first` with stride `step`) from byte `i` of four planes of `n` bytes. */
const gather = (input: Uint8Array, at: number, n: number, out: Uint32Array, first: number, step: number): void => {
  let to = first
  let i = 0
  if (n % 4 === 0 && (input.byteOffset + at) % 4 === 0) {
    // four values at a time: a 4 × 4 transposition of bytes in words
    const words = new Uint32Array(input.buffer, input.byteOffset + at, n)
    const quarter = n >>> 2
    for (let k = 0; k < quarter; k++) {
      const a = words[k]
      const b = words[quarter + k]
      const c = words[2 * quarter + k]
      const d = words[3 * quarter + k]
      const ab0 = (a & 0x00ff00ff) | ((b & 0x00ff00ff) << 8)
      const ab1 = ((a >>> 8) & 0x00ff00ff) | (b & 0xff00ff00)
      const cd0 = (c & 0x00ff00ff) | ((d & 0x00ff00ff) << 8)
      const cd1 = ((c >>> 8) & 0x00ff00ff) | (d & 0xff00ff00)
      out[to] = (ab0 & 0xffff) | (cd0 << 16)
      out[to + step] = (ab1 & 0xffff) | (cd1 << 16)
      out[to + 2 * step] = (ab0 >>> 16) | (cd0 & 0xffff0000)
      out[to + 3 * step] = (ab1 >>> 16) | (cd1 & 0xffff0000)
      to += 4 * step
    }
    i = n
  }
  for (; i < n; i++, to += step) {
    const from = at + i
    out[to] = input[from] | (input[from + n] << 8) | (input[from + 2 * n] << 16) | (input[from + 3 * n] << 24)
  }
}

/** The inverse of {@link unshuffle}. */
export const shuffle = (input: Uint8Array, size: number, output: Uint8Array): void => {
  const n = Math.floor(input.byteLength / size)
  for (let plane = 0; plane < size; plane++) {
    for (let i = 0, from = plane, to = plane * n; i < n; i++, from += size) output[to + i] = input[from]
  }
  output.set(input.subarray(n * size), n * size)
}

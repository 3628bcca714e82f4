/**
 * XOR: stores each value xor the previous value.
 *
 * @module
 */
import { sizeOf } from "../../../schema/array/datatype.ts"
import { eachPart, partSizes } from "../part/part_sizes.ts"
import { damaged, type FilterOf, Refusal, type Transform } from "../part/transform.ts"
import { asUint32 } from "../part/words.ts"

/** The xor filter. */
export const xor: Transform<FilterOf<"xor">> = {
  reverse: (_, chunk, context, _limit, allocate) => {
    const size = sizeOf(context.type)
    const out = allocate(chunk.data.byteLength)
    const metadata = eachPart(chunk, (start, end) => reverseXor(chunk.data, start, end, size, out))
    return { metadata, data: out }
  },
  forward: (_, parts, context) => {
    const size = sizeOf(context.type)
    const { data } = parts
    if (data.byteLength % size !== 0) {
      throw new Refusal(`${data.byteLength} bytes are not a multiple of the value size ${size}`)
    }
    const out = new Uint8Array(data.byteLength)
    if (size % 4 === 0) xorWords(asUint32(data), asUint32(out), size >>> 2)
    else {
      out.set(data.subarray(0, size))
      for (let i = size; i < out.length; i++) out[i] = data[i] ^ data[i - size]
    }
    return { metadata: [partSizes(parts, out.byteLength), ...parts.metadata], data: out }
  },
}

/** Processes values of one or two words. */
const xorWords = (input: Uint32Array, out: Uint32Array, words: number): void => {
  let a = 0
  let b = 0
  if (words === 1) {
    for (let i = 0; i < out.length; i++) {
      out[i] = input[i] ^ a
      a = input[i]
    }
    return
  }
  for (let i = 0; i < out.length; i += 2) {
    out[i] = input[i] ^ a
    out[i + 1] = input[i + 1] ^ b
    a = input[i]
    b = input[i + 1]
  }
}

const checkWhole = (bytes: number, size: number): void => {
  if (bytes % size !== 0) throw damaged(`${bytes} bytes are not a multiple of the value size ${size}`)
}

const reverseXor = (input: Uint8Array, start: number, end: number, size: number, out: Uint8Array): void => {
  checkWhole(end - start, size)
  if (size % 4 === 0 && (input.byteOffset + start) % 4 === 0 && start % 4 === 0) {
    const from = new Uint32Array(input.buffer, input.byteOffset + start, (end - start) >>> 2)
    const to = new Uint32Array(out.buffer, out.byteOffset + start, (end - start) >>> 2)
    const words = size >>> 2
    for (let i = 0; i < words && i < to.length; i++) to[i] = from[i]
    for (let i = words; i < to.length; i++) to[i] = from[i] ^ to[i - words]
    return
  }
  const first = Math.min(start + size, end)
  for (let i = start; i < first; i++) out[i] = input[i]
  for (let i = first; i < end; i++) out[i] = input[i] ^ out[i - size]
}

/**
 * Float scale: floats as integers, `round((x − offset) / scale)`. Lossy.
 *
 * @module
 */
import { sizeOf } from "../../schema/datatype.ts"
import { eachPart } from "./part_sizes.ts"
import { checkSize, damaged, type FilterOf, type Transform } from "./transform.ts"
import { asUint16, asUint32 } from "./words.ts"

/** The float scale filter. */
export const scaleFloat: Transform<FilterOf<"scale_float">> = {
  reverse: (filter, chunk, context, limit) => {
    const { byteWidth, offset, scale } = filter
    const size = sizeOf(context.type)
    if (size !== 4 && size !== 8) throw damaged(`does not act on ${context.type}`)
    if (byteWidth !== 1 && byteWidth !== 2 && byteWidth !== 4 && byteWidth !== 8) {
      throw damaged(`integers of ${byteWidth} bytes`)
    }
    const count = chunk.data.byteLength / byteWidth
    checkSize(count * size, limit)
    const metadata = eachPart(chunk, (start, end) => {
      if ((end - start) % byteWidth !== 0) {
        throw damaged(`${end - start} bytes are no whole number of ${byteWidth}-byte integers`)
      }
    })
    const integers = widths[byteWidth](chunk.data)
    // the engine turns the integer into the field's type first, then computes in float64
    if (size === 4) {
      const out = new Float32Array(count)
      for (let i = 0; i < count; i++) out[i] = scale * Math.fround(integers[i]) + offset
      return { metadata, data: new Uint8Array(out.buffer) }
    }
    const out = new Float64Array(count)
    for (let i = 0; i < count; i++) out[i] = scale * integers[i] + offset
    return { metadata, data: new Uint8Array(out.buffer) }
  },
}

type Integers = Int8Array | Int16Array | Int32Array | Float64Array

const widths: Record<1 | 2 | 4 | 8, (bytes: Uint8Array) => Integers> = {
  1: (bytes) => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  2: (bytes) => {
    const words = asUint16(bytes)
    return new Int16Array(words.buffer, words.byteOffset, words.length)
  },
  4: (bytes) => {
    const words = asUint32(bytes)
    return new Int32Array(words.buffer, words.byteOffset, words.length)
  },
  8: (bytes) => {
    const words = asUint32(bytes)
    const out = new Float64Array(words.length >>> 1)
    for (let i = 0; i < out.length; i++) out[i] = (words[2 * i + 1] | 0) * 0x100000000 + words[2 * i]
    return out
  },
}

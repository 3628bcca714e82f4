/**
 * Float scale: floats as integers, `round((x − offset) / scale)`. Lossy.
 *
 * @module
 */
import { sizeOf, viewAs } from "../../../schema/array/datatype.ts"
import { eachPart, partSizes } from "../part/part_sizes.ts"
import { checkSize, damaged, type FilterOf, Refusal, type Transform } from "../part/transform.ts"
import { asUint16, asUint32 } from "../part/words.ts"

/** The float scale filter. */
export const scaleFloat: Transform<FilterOf<"scale_float">> = {
  reverse: (filter, chunk, context, limit, allocate) => {
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
        throw damaged(`${end - start} bytes are not a multiple of the integer size ${byteWidth}`)
      }
    })
    const integers = widths[byteWidth](chunk.data)
    // the engine converts the integer to the field's type, then computes in float64
    const data = allocate(count * size)
    if (size === 4) {
      const out = new Float32Array(data.buffer, data.byteOffset, count)
      for (let i = 0; i < count; i++) out[i] = scale * Math.fround(integers[i]) + offset
    } else {
      const out = new Float64Array(data.buffer, data.byteOffset, count)
      for (let i = 0; i < count; i++) out[i] = scale * integers[i] + offset
    }
    return { metadata, data }
  },
  forward: (filter, parts, context) => {
    const { byteWidth, offset, scale } = filter
    const size = sizeOf(context.type)
    if (size !== 4 && size !== 8) throw new Refusal(`values of 4 or 8 bytes are required, not ${context.type}`)
    if (byteWidth !== 1 && byteWidth !== 2 && byteWidth !== 4 && byteWidth !== 8) {
      throw new Refusal(`the byte width must be 1, 2, 4 or 8, not ${byteWidth}`)
    }
    if (parts.data.byteLength % size !== 0) {
      throw new Refusal(`${parts.data.byteLength} bytes are not a multiple of the value size ${size}`)
    }
    const scaled = size === 4
      ? scaled32(viewAs("float32", parts.data) as Float32Array, offset, scale)
      : scaled64(viewAs("float64", parts.data) as Float64Array, offset, scale)
    const data = toIntegers(scaled, byteWidth, size)
    return { metadata: [partSizes(parts, data.byteLength), ...parts.metadata], data }
  },
}

/** Rounds half away from zero. */
const round = (x: number): number => x < 0 ? -Math.round(-x) : Math.round(x)

/** Scales in float32, as the engine does. */
const scaled32 = (values: Float32Array, offset: number, scale: number): Float64Array => {
  const out = new Float64Array(values.length)
  const [less, by] = [Math.fround(offset), Math.fround(scale)]
  for (let i = 0; i < out.length; i++) out[i] = round(Math.fround(Math.fround(values[i] - less) / by))
  return out
}

const scaled64 = (values: Float64Array, offset: number, scale: number): Float64Array => {
  const out = new Float64Array(values.length)
  for (let i = 0; i < out.length; i++) out[i] = round((values[i] - offset) / scale)
  return out
}

/**
 * Converts rounded values to integers of `width` bytes. Rejects values out of range, except NaN, the fill value of
 * unwritten cells: it is converted like on the engine's processors.
 */
const toIntegers = (values: Float64Array, width: 1 | 2 | 4 | 8, size: number): Uint8Array => {
  const limit = 2 ** (8 * width - 1)
  for (let i = 0; i < values.length; i++) {
    if (values[i] < -limit || values[i] >= limit) {
      throw new Refusal(`the scaled value ${values[i]} does not fit into an integer of ${width} bytes`, i * size)
    }
  }
  if (width < 4) return bytesOf((width === 1 ? Int8Array : Int16Array).from(values))
  const out = new Int32Array(values.length * (width >>> 2))
  for (let i = 0; i < values.length; i++) {
    const value = Number.isNaN(values[i]) ? -limit : values[i]
    if (width === 4) {
      out[i] = value
    } else {
      const high = Math.floor(value / 0x100000000)
      out[2 * i] = value - high * 0x100000000
      out[2 * i + 1] = high
    }
  }
  return bytesOf(out)
}

const bytesOf = (values: { readonly buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(values.buffer)

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

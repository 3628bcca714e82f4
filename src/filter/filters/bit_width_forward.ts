/**
 * Bit-width reduction, writing: stores the minimum of each window and the differences to it in the fewest bytes.
 *
 * @module
 */
import { type Datatype, storageOf } from "../../../schema/array/datatype.ts"
import type { Parts } from "../part/transform.ts"
import { windowSize } from "../part/window.ts"
import { asUint16, asUint32 } from "../part/words.ts"

/** Reduces the data of a chunk (values of `size` bytes) in windows of at most `maxWindow` bytes. */
export const reduceWindows = (parts: Parts, type: Datatype, size: number, maxWindow: number): Parts => {
  const { data } = parts
  const window = windowSize(Math.min(data.byteLength, maxWindow), size)
  const windows = Math.ceil(data.byteLength / window)
  const signed = storageOf(type).startsWith("int")
  const header = new Uint8Array(8 + windows * (size + 5))
  const view = new DataView(header.buffer)
  view.setUint32(0, data.byteLength, true)
  view.setUint32(4, windows, true)
  const out = new Uint8Array(data.byteLength)
  const low = size === 2 ? asUint16(data) : asUint32(data)
  const result: Window = { bits: 0, min: 0, minHigh: 0 }
  let to = 0
  for (let i = 0, at = 8; i < windows; i++, at += size + 5) {
    const start = i * window
    const end = Math.min(start + window, data.byteLength)
    const complete = (end - start) % size === 0
    if (size === 8) measurePairs(low as Uint32Array, start >>> 2, (end - (end - start) % 8) >>> 2, signed, result)
    else measure(low, start / size, Math.floor(end / size), size, signed, result)
    if (size === 2) view.setUint16(at, result.min, true)
    else view.setUint32(at, result.min, true)
    if (size === 8) view.setUint32(at + 4, result.minHigh, true)
    header[at + size] = result.bits
    view.setUint32(at + size + 1, end - start, true)
    if (result.bits >= 8 * size || !complete) {
      out.set(data.subarray(start, end), to)
      to += end - start
    } else {
      // the differences have at most 32 bits: the lower halves are sufficient
      const step = size === 8 ? 2 : 1
      const stop = (end / size) * step
      const { bits, min } = result
      for (let j = (start / size) * step; j < stop; j += step) {
        const value = low[j] - min
        out[to++] = value
        if (bits > 8) out[to++] = value >>> 8
        if (bits > 16) {
          out[to++] = value >>> 16
          out[to++] = value >>> 24
        }
      }
    }
  }
  return { metadata: [header, ...parts.metadata], data: out.subarray(0, to) }
}

/** The number of bits that the values of a window need, and the lower and upper half of their minimum. */
interface Window {
  bits: number
  min: number
  minHigh: number
}

/** Returns the bits for differences up to `range`. Like the engine, it adds one, and a bit for the sign. */
const bitsFor = (range: number, signed: boolean): number => {
  const more = signed ? 2 * (range + 1) : range + 1
  return more < 0x100 ? 8 : more < 0x10000 ? 16 : more < 0x100000000 ? 32 : 64
}

const measure = (
  values: Uint16Array | Uint32Array,
  from: number,
  to: number,
  size: number,
  signed: boolean,
  result: Window,
): void => {
  // the sign bit is flipped, so that all values compare as unsigned
  const flip = signed ? (size === 2 ? 0x8000 : 0x80000000) : 0
  let min = 0xffffffff
  let max = 0
  for (let i = from; i < to; i++) {
    const value = (values[i] ^ flip) >>> 0
    if (value < min) min = value
    if (value > max) max = value
  }
  const range = max - min
  const bits = from === to ? 64 : bitsFor(range, signed)
  // if the range overflows, the minimum that the engine writes is undefined
  result.bits = Math.min(bits, 8 * size)
  result.min = bits > 8 * size ? 0 : (min ^ flip) >>> 0
}

const measurePairs = (values: Uint32Array, from: number, to: number, signed: boolean, result: Window): void => {
  const flip = signed ? 0 : 0x80000000
  let minLo = 0xffffffff
  let minHi = 0x7fffffff
  let maxLo = 0
  let maxHi = -0x80000000
  for (let i = from; i < to; i += 2) {
    const lo = values[i]
    const hi = values[i + 1] ^ flip
    if (hi < minHi || hi === minHi && lo < minLo) {
      minHi = hi
      minLo = lo
    }
    if (hi > maxHi || hi === maxHi && lo > maxLo) {
      maxHi = hi
      maxLo = lo
    }
  }
  const rangeHi = maxHi - minHi - (maxLo < minLo ? 1 : 0)
  const rangeLo = (maxLo - minLo) >>> 0
  result.bits = from < to && rangeHi === 0 ? bitsFor(rangeLo, signed) : 64
  const limit = signed ? 0x7fffffff : 0xffffffff
  const overflows = from === to || rangeHi > limit || rangeHi === limit && rangeLo === 0xffffffff
  result.min = overflows ? 0 : minLo
  result.minHigh = overflows ? 0 : minHi ^ flip
}

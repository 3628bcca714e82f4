/**
 * Bit-width reduction forward: the smallest value of each window, and the differences to it in as few bytes as hold them.
 *
 * @module
 */
import { type Datatype, storageOf } from "../../../schema/array/datatype.ts"
import type { Parts } from "../part/transform.ts"
import { windowSize } from "../part/window.ts"
import { asUint16, asUint32 } from "../part/words.ts"

/** Reduces the data of a chunk, values of `size` bytes, in windows of at most `maxWindow` bytes. */
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
  const found: Window = { bits: 0, min: 0, minHigh: 0 }
  let to = 0
  for (let i = 0, at = 8; i < windows; i++, at += size + 5) {
    const start = i * window
    const end = Math.min(start + window, data.byteLength)
    const whole = (end - start) % size === 0
    if (size === 8) measurePairs(low as Uint32Array, start >>> 2, (end - (end - start) % 8) >>> 2, signed, found)
    else measure(low, start / size, Math.floor(end / size), size, signed, found)
    if (size === 2) view.setUint16(at, found.min, true)
    else view.setUint32(at, found.min, true)
    if (size === 8) view.setUint32(at + 4, found.minHigh, true)
    header[at + size] = found.bits
    view.setUint32(at + size + 1, end - start, true)
    if (found.bits >= 8 * size || !whole) {
      out.set(data.subarray(start, end), to)
      to += end - start
    } else {
      // the differences have at most 32 bits: the lower halves tell them
      const step = size === 8 ? 2 : 1
      const stop = (end / size) * step
      const { bits, min } = found
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

/** How many bits the values of a window need, and the lower and upper half of their smallest. */
interface Window {
  bits: number
  min: number
  minHigh: number
}

/** The bytes that hold a difference of `range`; the engine counts one more, and a bit for the sign. */
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
  found: Window,
): void => {
  // the sign is flipped away, so that all compare as unsigned
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
  // where the range overflows the engine leaves the smallest value to chance
  found.bits = Math.min(bits, 8 * size)
  found.min = bits > 8 * size ? 0 : (min ^ flip) >>> 0
}

const measurePairs = (values: Uint32Array, from: number, to: number, signed: boolean, found: Window): void => {
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
  found.bits = from < to && rangeHi === 0 ? bitsFor(rangeLo, signed) : 64
  const limit = signed ? 0x7fffffff : 0xffffffff
  const overflows = from === to || rangeHi > limit || rangeHi === limit && rangeLo === 0xffffffff
  found.min = overflows ? 0 : minLo
  found.minHigh = overflows ? 0 : minHi ^ flip
}

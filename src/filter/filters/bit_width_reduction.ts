/**
 * Bit-width reduction: stores the values of each window minus their minimum as integers of fewer bytes.
 *
 * @module
 */
import { Cursor, u32, u8 } from "../../../schema/binary/mod.ts"
import { isTemporal } from "../../../schema/array/datatype.ts"
import { reduceWindows } from "./bit_width_forward.ts"
import { checkSize, damaged, type FilterOf, passedOn, type Transform } from "../part/transform.ts"
import { reducibleSize } from "../part/window.ts"
import { asUint16, asUint32 } from "../part/words.ts"

/** The bit-width reduction filter. */
export const bitWidthReduction: Transform<FilterOf<"bit_width_reduction">> = {
  reverse: (_, chunk, context, limit, allocate) => {
    const size = reducibleSize(context.type, context.version)
    if (size === 0) return chunk
    const signed = isTemporal(context.type) || context.type.startsWith("int")
    const cursor = new Cursor(chunk.metadata, context.version)
    const bytes = u32.get(cursor, undefined)
    const windows = u32.get(cursor, undefined)
    cursor.checkCount(windows, size + 5)
    checkSize(bytes, limit)
    const out = allocate(bytes)
    let to = 0
    let from = 0
    for (let i = 0; i < windows; i++) {
      const min = cursor.take(size)
      const width = u8.get(cursor, undefined)
      const length = u32.get(cursor, undefined)
      const raw = width >= 8 * size || length % size !== 0
      if (!raw && width !== 8 && width !== 16 && width !== 32) throw damaged(`window ${i} has values of ${width} bits`)
      const stored = raw ? length : (length / size) * (width / 8)
      if (stored > chunk.data.byteLength - from) {
        throw damaged(`window ${i} claims ${stored} bytes; ${chunk.data.byteLength - from} bytes remain`)
      }
      if (length > bytes - to) throw damaged(`windows of more than the expected ${bytes} bytes`)
      const input = chunk.data.subarray(from, from + stored)
      if (raw) out.set(input, to)
      else widen(input, width, signed, out.subarray(to, to + length), size, cursor.view, min)
      from += stored
      to += length
    }
    if (to < bytes) throw damaged(`windows of ${to} bytes instead of ${bytes}`)
    if (from < chunk.data.byteLength) {
      throw damaged(`${chunk.data.byteLength - from} unexpected bytes of data at the end`)
    }
    return { metadata: chunk.metadata.subarray(cursor.offset), data: out }
  },
  forward: (filter, parts, context) => {
    const size = reducibleSize(context.type, context.version)
    return size === 0 ? passedOn(parts) : reduceWindows(parts, context.type, size, filter.maxWindow)
  },
}

/** Computes `min + input[i]` for a window; `min` is stored at `at` in `view`. */
const widen = (
  input: Uint8Array,
  width: number,
  signed: boolean,
  output: Uint8Array,
  size: number,
  view: DataView,
  at: number,
): void => {
  if (output.byteOffset % Math.min(size, 4) !== 0) {
    // only after a raw window of odd length
    const aligned = new Uint8Array(output.byteLength)
    widen(input, width, signed, aligned, size, view, at)
    output.set(aligned)
    return
  }
  if (size === 2) {
    const out = asUint16(output)
    const min = view.getUint16(at, true)
    for (let i = 0; i < out.length; i++) out[i] = min + (signed ? (input[i] << 24) >> 24 : input[i])
    return
  }
  const out = asUint32(output)
  const step = width >>> 3
  const unused = 32 - width
  const low = view.getUint32(at, true)
  const high = size === 8 ? view.getInt32(at + 4, true) : 0
  for (let i = 0, from = 0; from < input.length; from += step) {
    let value = input[from]
    if (step > 1) value |= input[from + 1] << 8
    if (step > 2) value |= (input[from + 2] << 16) | (input[from + 3] << 24)
    if (signed) value = (value << unused) >> unused
    if (size === 4) {
      out[i++] = low + value
    } else {
      const lo = (low + value) >>> 0
      out[i++] = lo
      out[i++] = high + (signed && value < 0 ? -1 : 0) + (lo < low ? 1 : 0)
    }
  }
}

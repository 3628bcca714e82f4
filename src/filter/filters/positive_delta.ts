/**
 * Positive delta: stores the differences in each window; the first value of the window is stored in the metadata.
 *
 * @module
 */
import { Cursor, u32 } from "../../../schema/binary/mod.ts"
import { type Datatype, sizeOf, storageOf, viewAs } from "../../../schema/array/datatype.ts"
import { differences, runningSum } from "../part/running_sum.ts"
import { damaged, type FilterOf, passedOn, Refusal, type Transform } from "../part/transform.ts"
import { deltableSize, windowSize } from "../part/window.ts"
import { asUint32 } from "../part/words.ts"

/** The positive delta filter. */
export const positiveDelta: Transform<FilterOf<"positive_delta">> = {
  reverse: (_, chunk, context, _limit, allocate) => {
    const size = deltableSize(context.type, context.version)
    if (size === 0) return chunk
    const cursor = new Cursor(chunk.metadata, context.version)
    const windows = u32.get(cursor, undefined)
    cursor.checkCount(windows, size + 4)
    const out = allocate(chunk.data.byteLength)
    let at = 0
    for (let i = 0; i < windows; i++) {
      const first = cursor.take(size)
      const length = u32.get(cursor, undefined)
      if (length > out.byteLength - at) {
        throw damaged(`window ${i} claims ${length} bytes; ${out.byteLength - at} bytes remain`)
      }
      const input = chunk.data.subarray(at, at + length)
      if (length % size !== 0) {
        out.set(input, at)
      } else {
        const low = size === 1
          ? cursor.bytes[first]
          : size === 2
          ? cursor.view.getUint16(first, true)
          : cursor.view.getUint32(first, true)
        const high = size === 8 ? cursor.view.getInt32(first + 4, true) : 0
        runningSum(size, input, out.subarray(at, at + length), low, high)
      }
      at += length
    }
    if (at < out.byteLength) throw damaged(`${out.byteLength - at} unexpected bytes of data at the end`)
    return { metadata: chunk.metadata.subarray(cursor.offset), data: out }
  },
  forward: (filter, parts, context) => {
    const size = deltableSize(context.type, context.version)
    if (size === 0) return passedOn(parts)
    const { data } = parts
    const window = windowSize(Math.min(data.byteLength, filter.maxWindow), size)
    const windows = Math.ceil(data.byteLength / window)
    const header = new Uint8Array(4 + windows * (size + 4))
    const view = new DataView(header.buffer)
    view.setUint32(0, windows, true)
    const out = new Uint8Array(data.byteLength)
    differences(size, data.subarray(0, data.byteLength - data.byteLength % size), out)
    checkRising(data, context.type, window)
    for (let i = 0, at = 4; i < windows; i++, at += size + 4) {
      const start = i * window
      const length = Math.min(window, data.byteLength - start)
      header.set(data.subarray(start, Math.min(start + size, data.byteLength)), at)
      view.setUint32(at + size, length, true)
      // a window that is not a multiple of the value size is stored unchanged
      if (length % size !== 0) out.set(data.subarray(start), start)
      else out.fill(0, start, start + size)
    }
    return { metadata: [header, ...parts.metadata], data: out }
  },
}

/** Rejects the first value that is less than the previous value in its window. */
const checkRising = (data: Uint8Array, type: Datatype, window: number): void => {
  const size = sizeOf(type)
  const completeBytes = data.byteLength % window % size === 0
    ? data.byteLength
    : data.byteLength - data.byteLength % window
  const fall = size === 8
    ? fallOfPairs(
      asUint32(data.subarray(0, completeBytes)),
      window >>> 2,
      storageOf(type) === "uint64" ? 0x80000000 : 0,
    )
    : fallOf(viewAs(type, data.subarray(0, completeBytes)) as Uint8Array, window / size)
  if (fall >= 0) throw new Refusal("the value is less than the previous value", fall * size)
}

const fallOf = (values: Uint8Array, window: number): number => {
  for (let start = 0; start < values.length; start += window) {
    const end = Math.min(start + window, values.length)
    for (let i = start + 1; i < end; i++) if (values[i] < values[i - 1]) return i
  }
  return -1
}

const fallOfPairs = (values: Uint32Array, window: number, flip: number): number => {
  for (let start = 0; start < values.length; start += window) {
    const end = Math.min(start + window, values.length)
    for (let i = start + 2; i < end; i += 2) {
      const hi = values[i + 1] ^ flip
      const before = values[i - 1] ^ flip
      if (hi < before || hi === before && values[i] < values[i - 2]) return i >>> 1
    }
  }
  return -1
}

/**
 * Positive delta: in each window the steps; the window's first value lies in the metadata.
 *
 * @module
 */
import { Cursor, u32 } from "../../schema/binary/mod.ts"
import { damaged, type FilterOf, type Transform } from "./transform.ts"
import { runningSum } from "./running_sum.ts"
import { deltableSize } from "./window.ts"

/** The positive delta filter. */
export const positiveDelta: Transform<FilterOf<"positive_delta">> = {
  reverse: (_, chunk, context) => {
    const size = deltableSize(context.type, context.version)
    if (size === 0) return chunk
    const cursor = new Cursor(chunk.metadata, context.version)
    const windows = u32.get(cursor, undefined)
    cursor.checkCount(windows, size + 4)
    const out = new Uint8Array(chunk.data.byteLength)
    let at = 0
    for (let i = 0; i < windows; i++) {
      const first = cursor.take(size)
      const length = u32.get(cursor, undefined)
      if (length > out.byteLength - at) {
        throw damaged(`window ${i} claims ${length} bytes, ${out.byteLength - at} are left`)
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
    if (at < out.byteLength) throw damaged(`${out.byteLength - at} bytes of data are left over`)
    return { metadata: chunk.metadata.subarray(cursor.offset), data: out }
  },
}

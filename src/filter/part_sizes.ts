/**
 * The metadata of filters that keep sizes: how many parts there are, and the bytes of each.
 *
 * @module
 */
import { Cursor, u32 } from "../../schema/binary/mod.ts"
import { type Chunk, damaged } from "./transform.ts"

/** Calls `part` with where each part starts and ends in the chunk's data; answers the metadata behind the sizes. */
export const eachPart = (chunk: Chunk, part: (start: number, end: number) => void): Uint8Array => {
  const cursor = new Cursor(chunk.metadata, 0)
  const count = u32.get(cursor, undefined)
  cursor.checkCount(count, 4)
  let at = 0
  for (let i = 0; i < count; i++) {
    const size = u32.get(cursor, undefined)
    if (size > chunk.data.byteLength - at) {
      throw damaged(`part ${i} claims ${size} bytes, ${chunk.data.byteLength - at} are left`)
    }
    part(at, at + size)
    at += size
  }
  if (at < chunk.data.byteLength) throw damaged(`${chunk.data.byteLength - at} bytes of data are left over`)
  return chunk.metadata.subarray(cursor.offset)
}

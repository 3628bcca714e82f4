/**
 * The metadata of filters that keep sizes: how many parts there are, and the bytes of each.
 *
 * @module
 */
import { Cursor, u32 } from "../../../schema/binary/mod.ts"
import { type Chunk, damaged, type Parts } from "./transform.ts"
import { u32Bytes } from "./words.ts"

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

/** The sizes of the part of data, `size` bytes of which come out of the filter, if there is one. */
export const partSizes = ({ dropped }: Parts, size: number): Uint8Array =>
  dropped === true ? u32Bytes(0) : u32Bytes(1, size)

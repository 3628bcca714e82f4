/**
 * The metadata of filters that store sizes: the number of parts, and the size of each part in bytes.
 *
 * @module
 */
import { Cursor, u32 } from "../../../schema/binary/mod.ts"
import { type Chunk, damaged, type Parts } from "./transform.ts"
import { u32Bytes } from "./words.ts"

/** Calls `part` with the start and end of each part in the chunk's data. Returns the metadata after the sizes. */
export const eachPart = (chunk: Chunk, part: (start: number, end: number) => void): Uint8Array => {
  const cursor = new Cursor(chunk.metadata, 0)
  const count = u32.get(cursor, undefined)
  cursor.checkCount(count, 4)
  let at = 0
  for (let i = 0; i < count; i++) {
    const size = u32.get(cursor, undefined)
    if (size > chunk.data.byteLength - at) {
      throw damaged(`part ${i} claims ${size} bytes; ${chunk.data.byteLength - at} bytes remain`)
    }
    part(at, at + size)
    at += size
  }
  if (at < chunk.data.byteLength) throw damaged(`${chunk.data.byteLength - at} unexpected bytes of data at the end`)
  return chunk.metadata.subarray(cursor.offset)
}

/** Returns the metadata for the part of data, if any; `size` is the size of the filter's output. */
export const partSizes = ({ dropped }: Parts, size: number): Uint8Array =>
  dropped === true ? u32Bytes(0) : u32Bytes(1, size)

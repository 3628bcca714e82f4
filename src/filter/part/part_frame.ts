/**
 * The frame that compressors and ciphers put around their parts: counts of metadata and data parts, then for each its
 * sizes before and after. They swallow the incoming metadata, so these become the first parts inside the data.
 *
 * @module
 */
import { Cursor, u32 } from "../../../schema/binary/mod.ts"
import { checkSize, type Chunk, damaged, dataParts, type Parts, type Room } from "./transform.ts"
import { concat } from "../../kernel/copy/concat.ts"
import { u32Bytes } from "./words.ts"

/**
 * Undoes one part: `size` bytes must come out, if it wants in `room`. `cursor` stands behind the part's sizes, for what else is
 * in its header.
 */
export type DecodePart = (part: Uint8Array, size: number, room: Room, cursor: Cursor) => Uint8Array

const fresh: Room = (size) => new Uint8Array(size)

/** Takes the frame apart; `header` is the bytes of one part's header. */
export const reverseParts = (chunk: Chunk, header: number, limit: number, room: Room, decode: DecodePart): Chunk => {
  const cursor = new Cursor(chunk.metadata, 0)
  const metadataParts = u32.get(cursor, undefined)
  const dataParts = u32.get(cursor, undefined)
  cursor.checkCount(metadataParts + dataParts, header)
  const metadata: Array<Uint8Array> = []
  const data: Array<Uint8Array> = []
  let at = 0
  let total = 0
  for (let i = 0; i < metadataParts + dataParts; i++) {
    const size = u32.get(cursor, undefined)
    const stored = u32.get(cursor, undefined)
    if (stored > chunk.data.byteLength - at) {
      throw damaged(`part ${i} claims ${stored} stored bytes, ${chunk.data.byteLength - at} are left`)
    }
    checkSize(total += size, limit)
    const alone = i >= metadataParts && dataParts === 1
    const part = decode(chunk.data.subarray(at, at + stored), size, alone ? room : fresh, cursor)
    if (part.byteLength !== size) throw damaged(`part ${i} gave ${part.byteLength} bytes instead of ${size}`)
    if (i >= metadataParts) data.push(part)
    // metadata outlives the data that it lay in
    else metadata.push(part.buffer === chunk.data.buffer ? part.slice() : part)
    at += stored
  }
  if (cursor.remaining > 0) throw damaged(`${cursor.remaining} bytes of metadata are left over`)
  if (at < chunk.data.byteLength) throw damaged(`${chunk.data.byteLength - at} bytes of data are left over`)
  return { metadata: concat(metadata), data: concat(data) }
}

/** Puts the frame around parts; `encode` answers the stored bytes and what else belongs into the part's header. */
export const forwardParts = (
  parts: Parts,
  encode: (part: Uint8Array) => { readonly stored: Uint8Array; readonly header?: Uint8Array },
): Parts => {
  const own = dataParts(parts)
  const header: Array<Uint8Array> = [u32Bytes(parts.metadata.length, own.length)]
  const data: Array<Uint8Array> = []
  for (const part of [...parts.metadata, ...own]) {
    const encoded = encode(part)
    header.push(u32Bytes(part.byteLength, encoded.stored.byteLength))
    if (encoded.header !== undefined) header.push(encoded.header)
    data.push(encoded.stored)
  }
  return { metadata: [concat(header)], data: concat(data) }
}

/**
 * The frame of compressors and ciphers: the numbers of metadata and data parts, then the sizes of each part before and
 * after filtering. The incoming metadata become the first parts of the data.
 *
 * @module
 */
import { Cursor, u32 } from "../../../schema/binary/mod.ts"
import { type Allocate, checkSize, type Chunk, damaged, dataParts, type Parts } from "./transform.ts"
import { concat } from "../../kernel/copy/concat.ts"
import { u32Bytes } from "./words.ts"

/**
 * Reverses one part to `size` bytes, optionally in memory from `allocate`. `cursor` is after the part's sizes, at the
 * rest of the part's header.
 */
export type DecodePart = (part: Uint8Array, size: number, allocate: Allocate, cursor: Cursor) => Uint8Array

const fresh: Allocate = (size) => new Uint8Array(size)

/** Parses the frame and decodes the parts; `header` is the size of the header of a part in bytes. */
export const reverseParts = (
  chunk: Chunk,
  header: number,
  limit: number,
  allocate: Allocate,
  decode: DecodePart,
): Chunk => {
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
      throw damaged(`part ${i} claims ${stored} stored bytes; ${chunk.data.byteLength - at} bytes remain`)
    }
    checkSize(total += size, limit)
    const alone = i >= metadataParts && dataParts === 1
    const part = decode(chunk.data.subarray(at, at + stored), size, alone ? allocate : fresh, cursor)
    if (part.byteLength !== size) throw damaged(`part ${i} gave ${part.byteLength} bytes instead of ${size}`)
    if (i >= metadataParts) data.push(part)
    // a copy, because the memory of the data may be reused before the metadata are read
    else metadata.push(part.buffer === chunk.data.buffer ? part.slice() : part)
    at += stored
  }
  if (cursor.remaining > 0) throw damaged(`${cursor.remaining} unexpected bytes of metadata at the end`)
  if (at < chunk.data.byteLength) throw damaged(`${chunk.data.byteLength - at} unexpected bytes of data at the end`)
  return { metadata: concat(metadata), data: concat(data) }
}

/** Writes the frame around parts; `encode` returns the stored bytes and additional bytes for the part's header. */
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

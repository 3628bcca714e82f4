/**
 * MD5 and SHA-256: the data are unchanged; digests of the data and of the metadata are written before the metadata.
 *
 * @module
 */
import { Cursor, u32, u64 } from "../../../schema/binary/mod.ts"
import { ChecksumMismatch } from "../part/errors.ts"
import { damaged, dataParts, type FilterOf, passedOn, type Transform } from "../part/transform.ts"
import { concat } from "../../kernel/copy/concat.ts"
import { u32Bytes } from "../part/words.ts"

type Checksum = FilterOf<"checksum_md5" | "checksum_sha256">

const algorithms = { checksum_md5: "md5", checksum_sha256: "sha256" } as const
const digestSizes = { md5: 16, sha256: 32 } as const

/** The two checksum filters. */
export const checksum: Transform<Checksum> = {
  reverse: (filter, chunk, context) => {
    const algorithm = algorithms[filter.type]
    const digestSize = digestSizes[algorithm]
    const cursor = new Cursor(chunk.metadata, context.version)
    const metadataParts = u32.get(cursor, undefined)
    const dataParts = u32.get(cursor, undefined)
    cursor.checkCount(metadataParts + dataParts, 8 + digestSize)
    const metadata = chunk.metadata.subarray(cursor.offset + (metadataParts + dataParts) * (8 + digestSize))
    const verify = (covered: Uint8Array, parts: number): void => {
      let at = 0
      for (let i = 0; i < parts; i++) {
        const size = u64.get(cursor, undefined)
        const digest = cursor.bytesOf(digestSize)
        if (size > covered.byteLength - at) {
          throw damaged(`a digest of ${size} bytes; ${covered.byteLength - at} bytes remain`)
        }
        if (context.verifyChecksums && !equal(context.codecs[algorithm](covered.subarray(at, at + size)), digest)) {
          throw new ChecksumMismatch({ uri: context.uri, offset: context.offset, algorithm })
        }
        at += size
      }
      if (at < covered.byteLength) throw damaged(`${covered.byteLength - at} bytes have no digest`)
    }
    verify(metadata, metadataParts)
    verify(chunk.data, dataParts)
    return { metadata, data: chunk.data }
  },
  forward: (filter, parts, context) => {
    const own = dataParts(parts)
    const header: Array<Uint8Array> = [u32Bytes(parts.metadata.length, own.length)]
    for (const part of [...parts.metadata, ...own]) {
      header.push(u32Bytes(part.byteLength, 0), context.codecs[algorithms[filter.type]](part))
    }
    return passedOn({ metadata: [concat(header), ...parts.metadata], data: parts.data })
  },
}

const equal = (a: Uint8Array, b: Uint8Array): boolean => {
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return false
  return a.length === b.length
}

/**
 * GZIP, ZSTD, LZ4 and BZIP2: codecs that know nothing of the values.
 *
 * @module
 */
import type { Compression } from "../../../schema/array/filter.ts"
import { CodecError } from "../../../platform/errors.ts"
import { forwardParts, reverseParts } from "../part/part_frame.ts"
import { damaged, type FilterOf, type Transform } from "../part/transform.ts"

const empty = new Uint8Array(0)

/** The transform of the four compressors. */
export const compression: Transform<FilterOf<Compression>> = {
  reverse: (filter, chunk, context, limit, room) => {
    const codec = context.codecs[filter.type]
    return reverseParts(chunk, 8, limit, room, (part, size, its) => {
      // an empty part may be an empty stream or none at all: both were written
      if (size === 0) return empty
      try {
        return codec.decompress(part, size, its)
      } catch (error) {
        throw error instanceof CodecError ? damaged(error.detail) : error
      }
    })
  },
  forward: (filter, parts, context) => {
    const codec = context.codecs[filter.type]
    return forwardParts(parts, (part) => ({ stored: codec.compress(part, filter.level) }))
  },
}

/**
 * How large a chunk can get between its filters. The sizes in a chunk's metadata are claims; whatever claims more than
 * this was not written by any engine, and nothing is allocated for it.
 *
 * @module
 */
import { type Datatype, sizeOf } from "../../../schema/array/datatype.ts"
import type { Filter } from "../../../schema/array/filter.ts"
import { deltableSize, reducibleSize, windowSize } from "../part/window.ts"

/** Headers of one part are at most 44 bytes (SHA-256, AES), streams of the codecs add less than a kilobyte. */
const PART = 1024

/**
 * The most bytes (data and metadata together) that can come out of `filter` for `bytes` bytes that went into it in up to
 * `parts` parts.
 */
export const sizeBound = (
  filter: Filter,
  type: Datatype,
  cellSize: number,
  version: number,
  bytes: number,
  parts: number,
): number => {
  const overhead = PART * (parts + 1)
  switch (filter.type) {
    case "gzip":
    case "zstd":
    case "lz4":
    case "bzip2":
      return bytes + bytes / 64 + overhead
    case "rle":
      return bytes + 2 * (bytes / cellSize) + overhead
    case "bit_width_reduction": {
      const size = reducibleSize(type, version)
      return size === 0 ? bytes : bytes + (bytes / windowSize(filter.maxWindow, size) + parts) * (size + 5) + overhead
    }
    case "positive_delta": {
      const size = deltableSize(type, version)
      return size === 0 ? bytes : bytes + (bytes / windowSize(filter.maxWindow, size) + parts) * (size + 4) + overhead
    }
    case "scale_float":
      return bytes * Math.max(1, filter.byteWidth / sizeOf(type)) + overhead
    case "webp":
      return 2 * bytes + overhead
    default:
      return bytes + overhead
  }
}

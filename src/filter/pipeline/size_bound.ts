/**
 * The maximum size of a chunk between two filters. The sizes in a chunk's metadata are not trusted: larger sizes were
 * not written by an engine, and are rejected before memory is allocated.
 *
 * @module
 */
import { type Datatype, sizeOf } from "../../../schema/array/datatype.ts"
import type { Filter } from "../../../schema/array/filter.ts"
import { deltableSize, reducibleSize, windowSize } from "../part/window.ts"

/** Maximum overhead of a part in bytes: its headers have at most 44 bytes (SHA-256, AES), and codec streams add less than a kilobyte. */
const MAX_PART_OVERHEAD = 1024

/**
 * Returns the maximum size of the output of `filter` (data and metadata together) for an input of `bytes` bytes in up
 * to `parts` parts.
 */
export const sizeBound = (
  filter: Filter,
  type: Datatype,
  cellSize: number,
  version: number,
  bytes: number,
  parts: number,
): number => {
  const overhead = MAX_PART_OVERHEAD * (parts + 1)
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

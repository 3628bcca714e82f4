import type { ByteRange } from "../../platform/storage/service.ts"

/** Requests for tiles of one file: adjacent tiles are read in one request. */
export interface Spans {
  readonly ranges: ReadonlyArray<ByteRange>
  /** For each tile: the index of its range, and its start in the range. */
  readonly rangeOf: Uint32Array
  readonly startIn: Float64Array
}

/** Maximum size of a request that joins adjacent tiles. */
const MAX_REQUEST_SIZE = 1 << 26

/** Plans the reads of tiles; `starts` are ascending. */
export const spansOf = (starts: Float64Array, lengths: Float64Array): Spans => {
  const ranges: Array<{ offset: number; length: number }> = []
  const rangeOf = new Uint32Array(starts.length)
  const startIn = new Float64Array(starts.length)
  for (let i = 0; i < starts.length; i++) {
    const last = ranges[ranges.length - 1]
    if (last !== undefined && starts[i] === last.offset + last.length && last.length + lengths[i] <= MAX_REQUEST_SIZE) {
      startIn[i] = last.length
      last.length += lengths[i]
    } else {
      startIn[i] = 0
      ranges.push({ offset: starts[i], length: lengths[i] })
    }
    rangeOf[i] = ranges.length - 1
  }
  return { ranges, rangeOf, startIn }
}

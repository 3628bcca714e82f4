/**
 * Jobs of worker threads that unfilter parts of tiles: their input and result.
 */
import type { Codecs } from "../../platform/codecs/service.ts"
import type { JobKind } from "../../platform/workers/jobs.ts"
import { type TileContext, tileTable, unfilterChunks } from "../filter/pipeline/pipeline.ts"

/** Chunks of a tile. */
export interface TilePart {
  /** Start and length of the tile in the job's bytes. */
  readonly start: number
  readonly length: number
  /** Offset of the tile in its file. */
  readonly offset: number
  /** Unfiltered size of the tile, in bytes. */
  readonly size: number
  /** The chunks `from … to − 1`, whose cells take `requested` bytes. */
  readonly from: number
  readonly to: number
  readonly requested: number
}

/** Parts of tiles of one file. The buffers are transferred to the worker, and back with the result. */
export interface UnfilterJob {
  /** Properties of the tiles; the worker has its own codecs. */
  readonly context: Omit<TileContext, "codecs" | "webp" | "offset">
  readonly parts: ReadonlyArray<TilePart>
  readonly bytes: ArrayBuffer
  /** Receives the cells of the parts, in sequence. */
  readonly cells: ArrayBuffer
}

/** The result of a job. */
export interface UnfilterResult {
  /** False if a part cannot be unfiltered. The caller repeats the work to get the error. */
  readonly done: boolean
  readonly bytes: ArrayBuffer
  readonly cells: ArrayBuffer
}

/** Runs a job. */
const runUnfilterJob = ({ context, parts, bytes, cells }: UnfilterJob, codecs: Codecs): UnfilterResult => {
  const source = new Uint8Array(bytes)
  const target = new Uint8Array(cells)
  try {
    let at = 0
    for (const { start, length, offset, size, from, to, requested: requested } of parts) {
      const tile = source.subarray(start, start + length)
      const item = { ...context, codecs, offset }
      const place = target.subarray(at, at + requested)
      const match = unfilterChunks(tile, tileTable(tile, item, size), from, to, item, place)
      if (match.buffer !== cells) place.set(match)
      at += requested
    }
    return { done: true, bytes, cells }
  } catch {
    return { done: false, bytes, cells }
  }
}

/** Jobs that unfilter parts of tiles. */
export const unfilterJobs: JobKind<UnfilterJob, UnfilterResult, Codecs> = {
  name: "unfilter",
  run: runUnfilterJob,
  sent: ({ bytes, cells }) => [bytes, cells],
  returned: ({ bytes, cells }) => [bytes, cells],
}

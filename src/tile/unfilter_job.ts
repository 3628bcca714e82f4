/**
 * Parts of tiles that a worker thread unfilters: what is sent there, and what comes back.
 */
import type { Codecs } from "../../platform/codecs/service.ts"
import type { JobKind } from "../../platform/workers/jobs.ts"
import type { WorkerPool } from "../../platform/workers/worker_pool.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { type TileContext, tileTable, unfilterChunks } from "../filter/pipeline/pipeline.ts"
import type { TileAccess } from "./generic_tile.ts"
import { tileWorkers } from "./tile_workers.ts"

/** Chunks of a tile. */
export interface TilePart {
  /** Where the tile starts in the job's bytes, and how long it is there. */
  readonly start: number
  readonly length: number
  /** Where the tile starts in its file. */
  readonly offset: number
  /** Bytes of its cells. */
  readonly size: number
  /** The chunks from number `from` to before `to`, whose cells take `requested` bytes. */
  readonly from: number
  readonly to: number
  readonly requested: number
}

/** Parts of tiles of one file. The buffers move to the worker, and back with the answer. */
export interface UnfilterJob {
  /** What its tiles are unfiltered with; the worker has codecs of its own. */
  readonly context: Omit<TileContext, "codecs" | "webp" | "offset">
  readonly parts: ReadonlyArray<TilePart>
  readonly bytes: ArrayBuffer
  /** Receives the cells of the parts, in sequence. */
  readonly cells: ArrayBuffer
}

/** What a worker answers. */
export interface UnfilterAnswer {
  /** False if a part cannot be unfiltered: doing it again says why. */
  readonly done: boolean
  readonly bytes: ArrayBuffer
  readonly cells: ArrayBuffer
}

/** Does a job. */
const runUnfilterJob = ({ context, parts, bytes, cells }: UnfilterJob, codecs: Codecs): UnfilterAnswer => {
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
export const unfilterJobs: JobKind<UnfilterJob, UnfilterAnswer, Codecs> = {
  name: "unfilter",
  run: runUnfilterJob,
  sent: ({ bytes, cells }) => [bytes, cells],
  returned: ({ bytes, cells }) => [bytes, cells],
}

/** Minimum size of cells to unfilter, in bytes, for which threads are worth their start. */
const WORTH = 1 << 24

/** The workers that help to unfilter `size` bytes of cells, if there are some and they can and need to. */
export const poolFor = (access: TileAccess, { filters }: FilterPipeline, size: number): WorkerPool | undefined =>
  size < WORTH ? undefined : tileWorkers(access, filters)

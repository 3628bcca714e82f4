/**
 * Decodes spans of cells of tiles, in this thread or in a worker: only the chunks that contain the cells.
 */
import * as Effect from "effect/Effect"
import { offerJob } from "../../../platform/workers/jobs.ts"
import type { WorkerLost, WorkerPool } from "../../../platform/workers/worker_pool.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import type { ChunkTable } from "../../../schema/tile/tile_chunks.ts"
import { type TileContext, tileTable, unfilterChunk, unfilterChunksSteps } from "../../filter/pipeline/pipeline.ts"
import type { Steps } from "../../kernel/steps.ts"
import { attemptTileSteps, type TileError } from "../../tile/attempt.ts"
import { type TilePart, type UnfilterJob, unfilterJobs } from "../../tile/unfilter_job.ts"

/** The requested cells: for each of the tiles, which are ascending, the cells from `first` to `last`. */
export interface CellSpans {
  readonly tiles: ArrayLike<number>
  readonly first: ArrayLike<number>
  readonly last: ArrayLike<number>
  /** Returns whether any of the cells `first … end − 1` of span `i` are requested. Default: all are. */
  readonly needs?: (i: number, first: number, end: number) => boolean
  /** The spans from number `from` on are read after `ready` completes. */
  readonly later?: { readonly from: number; readonly ready: Effect.Effect<void> }
  /** The cells are passed on after this completes; they are read before. Default: at once. */
  readonly turn?: Effect.Effect<void>
}

/**
 * Receives the cells of span `i`, and adjacent cells of the same tile: `bytes` start with cell `first`, and are reused
 * when the returned steps are complete. Cells that are not requested may be missing or contain other data.
 */
export type TakeCells = (i: number, bytes: Uint8Array, first: number) => Steps<void> | void

/** Memory for one batch at a time: for the bytes read, and for cells. */
export interface Scratch {
  read: Uint8Array
  cells: Uint8Array
}

/** An empty buffer. */
export const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Maximum size of cells in reusable scratch memory, and maximum size that is sent to a worker and back, in bytes. */
const MAX_SCRATCH_CELLS_SIZE = 1 << 23
const MAX_WORKER_SIZE = 1 << 25

/**
 * Chunks of a tile: from number `from`, which starts at byte `before` of the tile, to `to` (exclusive).
 */
interface Located {
  readonly context: TileContext
  readonly table: ChunkTable
  readonly size: number
  readonly from: number
  readonly to: number
  readonly before: number
  readonly requested: number
}

/** Decodes spans of a field of a fragment; `bytes` is the tile of a span as stored in its file. */
export interface SpanDecoder {
  /** Decodes span `i` in this thread. */
  readonly decode: (i: number, bytes: Uint8Array, scratch: Scratch) => Steps<void>
  /**
   * Decodes the spans from number `from` on in a worker; `undefined` if all workers are busy. `tiles` are views of
   * `scratch.read`. The scratch memory is transferred to the worker, and returned when the spans have been processed.
   */
  readonly decodeInWorker: (
    pool: WorkerPool,
    from: number,
    tiles: ReadonlyArray<Uint8Array>,
    scratch: Scratch,
  ) => Effect.Effect<void, TileError | WorkerLost> | undefined
}

/** Runs the remaining steps. */
export function* taken(rest: Steps<void> | void): Steps<void> {
  if (rest !== undefined) yield* rest
}

/**
 * Returns the decoder of spans of cells of `cell` bytes; `sizeOf` and `contextOf` return the size and context of a tile
 * by number.
 */
export const spanDecoder = (
  cell: number,
  sizeOf: (tile: number) => number,
  contextOf: (tile: number) => TileContext,
  spans: CellSpans,
  take: TakeCells,
): SpanDecoder => {
  const locate = (i: number, bytes: Uint8Array): Located => {
    const context = contextOf(spans.tiles[i])
    const size = sizeOf(spans.tiles[i])
    const table = tileTable(bytes, context, size)
    if (table.totalOriginal !== size) {
      const reason = `the tile has ${table.totalOriginal} bytes instead of ${size}`
      const { offset, uri, version } = context
      throw new FormatError({ uri, path: "tile", offset, version, detail: reason })
    }
    // the chunks from the one with the first cell to the one with the last
    let from = 0
    let before = 0
    while (before + table.original[from] <= spans.first[i] * cell) before += table.original[from++]
    let to = from
    let end = before
    while (end < (spans.last[i] + 1) * cell) end += table.original[to++]
    // chunks of engines contain whole cells
    if (before % cell !== 0) {
      from = 0
      before = 0
    }
    return { context, table, size, from, to, before, requested: end - before }
  }

  const here = function* (i: number, bytes: Uint8Array, scratch: Scratch): Steps<void> {
    const { context, table, from, to, before, requested: requested } = locate(i, bytes)
    if (requested > scratch.cells.length && requested <= MAX_SCRATCH_CELLS_SIZE) {
      scratch.cells = new Uint8Array(requested)
    }
    // the first and the last chunk are always requested
    const between = to - from > 2 && requested <= scratch.cells.length ? spans.needs : undefined
    if (between === undefined) {
      const cells = yield* unfilterChunksSteps(bytes, table, from, to, context, scratch.cells)
      return yield* taken(take(i, cells, before / cell))
    }
    for (let k = from, at = 0; k < to; k++) {
      yield
      const end = at + table.original[k]
      if (between(i, Math.floor((before + at) / cell), Math.ceil((before + end) / cell))) {
        const place = scratch.cells.subarray(at, end)
        const data = unfilterChunk(bytes, table, k, context, place)
        if (data !== place) place.set(data)
      }
      at = end
    }
    yield* taken(take(i, scratch.cells.subarray(0, requested), before / cell))
  }

  const away: SpanDecoder["decodeInWorker"] = (pool, first, tiles, scratch) => {
    const located = tiles.map((bytes, k) => locate(first + k, bytes))
    let requested = 0
    for (const part of located) requested += part.requested
    if (requested > MAX_WORKER_SIZE) return undefined
    const parts = located.map(({ context: { offset }, size, from, to, requested: requested }, k): TilePart => (
      { start: tiles[k].byteOffset, length: tiles[k].length, offset, size, from, to, requested: requested }
    ))
    const answer = offerJob(pool, unfilterJobs, (): UnfilterJob => {
      if (requested > scratch.cells.length) scratch.cells = new Uint8Array(requested)
      const { codecs: _codecs, webp: _webp, ...context } = located[0].context
      return {
        context,
        parts,
        bytes: scratch.read.buffer as ArrayBuffer,
        cells: scratch.cells.buffer as ArrayBuffer,
      }
    })
    if (answer === undefined) return undefined
    scratch.read = NO_BYTES
    scratch.cells = NO_BYTES
    return Effect.flatMap(answer, ({ done, bytes, cells }) =>
      attemptTileSteps(function* () {
        scratch.read = new Uint8Array(bytes)
        scratch.cells = new Uint8Array(cells)
        const { read } = scratch
        let at = 0
        for (let k = 0; k < parts.length; k++) {
          const { start, length, requested: requested } = parts[k]
          if (done) yield* taken(take(first + k, scratch.cells.subarray(at, at + requested), located[k].before / cell))
          // decodes again in this thread, which throws the error
          else yield* here(first + k, read.subarray(start, start + length), scratch)
          at += requested
        }
      }))
  }
  return { decode: here, decodeInWorker: away }
}

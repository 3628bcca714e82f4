/**
 * Filters the tiles of a fragment, in this thread or in workers, and returns them in order.
 */
import * as Effect from "effect/Effect"
import { offerJob } from "../../../platform/workers/jobs.ts"
import type { CodecError } from "../../../platform/errors.ts"
import { runSteps, turn, turnIfDue } from "../../../platform/host/event_loop_turns.ts"
import { tracedBatch } from "../../../platform/observability/spans.ts"
import type { WorkerPool } from "../../../platform/workers/worker_pool.ts"
import type { WriteError } from "../../array/open/errors.ts"
import type { FieldTile } from "../../fragment/field_tiles.ts"
import { type PersistJob, persistJob, persistJobs } from "../../fragment/store/filter_job.ts"
import type { FieldFilters, PersistedTile } from "../../fragment/store/filter_tile.ts"
import type { TileStatistics } from "../../fragment/tile_statistics.ts"
import { finish, type Steps } from "../../kernel/steps.ts"

/** Memory for the values of one tile at a time: the next tile reuses it. */
export interface TileMemory {
  bytes: Uint8Array
}

/** A tile to write, with its statistics. */
export interface WriteTile {
  readonly tile: FieldTile
  readonly statistics: TileStatistics
  /** Maps a cell of the tile to its number in the input, for error messages; `undefined` for padding. */
  readonly cellOf?: (cell: number) => number | undefined
}

/** Tiles that are built on demand. */
export interface WriteTiles {
  readonly count: number
  /** Approximate size of one tile in bytes. */
  readonly bytes: number
  /** Builds tile `i`; its values may be in `memory`. */
  readonly tile: (i: number, memory?: TileMemory) => Steps<WriteTile>
}

/** Options of filtering. */
export interface PersistOptions {
  readonly filters: FieldFilters
  /** Filters a tile in this thread. The error for a rejected value names the cell. */
  readonly filterTile: (tile: WriteTile) => Effect.Effect<PersistedTile, CodecError | WriteError>
  /** The worker pool, if available. */
  readonly pool: WorkerPool | undefined
}

/** Approximate size of the tiles that are sent to a worker together. */
const JOB_SIZE = 1 << 20

/** Maximum size of tiles that are copied in one step before they are sent to a worker. */
const MAX_COPY_SIZE = 1 << 24

const numbers = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from }, (_, i) => from + i)

/** Builds tiles, filters them and passes them to `take` in sequence. Only a few tiles are in memory at a time. */
export const persistTiles = <E>(
  { count, bytes, tile: tileAt }: WriteTiles,
  { filters, filterTile: here, pool }: PersistOptions,
  take: (tile: WriteTile, persisted: PersistedTile) => Effect.Effect<void, E>,
): Effect.Effect<void, CodecError | WriteError | E> => {
  const step = pool === undefined ? 1 : Math.max(1, Math.min(count, Math.floor(JOB_SIZE / Math.max(1, bytes))))
  // without workers, each tile is written before the next one is built, so all tiles share the memory
  const memory = pool === undefined ? { bytes: new Uint8Array(0) } : undefined
  const done: Array<ReadonlyArray<readonly [WriteTile, PersistedTile]> | undefined> = []
  let next = 0
  let isTaking = false
  /** passes the filtered tiles to `take`, unless another fiber is doing so */
  const takeFinished = Effect.gen(function* () {
    if (isTaking) return
    isTaking = true
    for (let ready = done[next]; ready !== undefined; ready = done[next]) {
      done[next++] = undefined
      for (const [tile, persisted] of ready) yield* take(tile, persisted)
    }
    isTaking = false
  })
  const filterInThread = (tiles: ReadonlyArray<WriteTile>) => Effect.forEach(tiles, here)
  const memories: Array<ArrayBuffer> = []
  const filtered = (
    tiles: ReadonlyArray<WriteTile>,
  ): Effect.Effect<ReadonlyArray<PersistedTile>, CodecError | WriteError> => {
    if (pool === undefined) return filterInThread(tiles)
    const make = (): Steps<PersistJob> => persistJob(filters, tiles.map(({ tile }) => tile), memories.pop())
    const offer = (job: () => PersistJob) => offerJob(pool, persistJobs, job)
    const settle = (answer: ReturnType<typeof offer>) =>
      answer === undefined ? Effect.zipLeft(filterInThread(tiles), turn) : Effect.matchEffect(answer, {
        // the copies of a failed worker are lost, but the tiles still exist in this thread
        onFailure: () => filterInThread(tiles),
        onSuccess: ({ bytes, persisted }) => {
          memories.push(bytes)
          // filter again in this thread to get the precise error
          return persisted === undefined ? filterInThread(tiles) : Effect.succeed(persisted)
        },
      })
    if (bytes * tiles.length <= MAX_COPY_SIZE) return settle(offer(() => finish(make())))
    // copy large tiles in steps, even though all workers may be busy
    return Effect.flatMap(runSteps(make), (job) => {
      const answer = offer(() => job)
      if (answer === undefined) memories.push(job.bytes)
      return settle(answer)
    })
  }
  const tilesOf = function* (from: number, to: number): Steps<ReadonlyArray<WriteTile>> {
    const tiles: Array<WriteTile> = []
    for (let i = from; i < to; i++) {
      tiles.push(yield* tileAt(i, memory))
      yield
    }
    return tiles
  }
  const group = (number: number): Effect.Effect<void, CodecError | WriteError | E> =>
    Effect.flatMap(
      runSteps(() => tilesOf(number * step, Math.min(count, (number + 1) * step))),
      (tiles) =>
        Effect.flatMap(filtered(tiles), (persisted) => {
          done[number] = tiles.map((tile, i) => [tile, persisted[i]])
          return Effect.zipRight(takeFinished, turnIfDue)
        }),
    )
  return Effect.forEach(numbers(0, Math.ceil(count / step)), group, {
    concurrency: pool?.concurrency ?? 1,
    discard: true,
  }).pipe(tracedBatch("writeTiles", () => ({ tiles: count })))
}

/**
 * Filters the tiles of a fragment, in this thread or in workers, and passes them on in order.
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
  /** Filters a tile in this thread; rejected values become an error that names the cell. */
  readonly here: (tile: WriteTile) => Effect.Effect<PersistedTile, CodecError | WriteError>
  /** The worker pool, if there is one. */
  readonly pool: WorkerPool | undefined
}

/** Approximate size of the tiles sent to a worker together. */
const JOB = 1 << 20

/** Larger tiles are copied in steps before they are sent to a worker. */
const COPIED_AT_ONCE = 1 << 24

const numbers = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from }, (_, i) => from + i)

/** Builds tiles, filters them and passes them to `take` in sequence. Only a few are in memory at a time. */
export const persistTiles = <E>(
  { count, bytes, tile: tileAt }: WriteTiles,
  { filters, here, pool }: PersistOptions,
  take: (tile: WriteTile, persisted: PersistedTile) => Effect.Effect<void, E>,
): Effect.Effect<void, CodecError | WriteError | E> => {
  const step = pool === undefined ? 1 : Math.max(1, Math.min(count, Math.floor(JOB / Math.max(1, bytes))))
  // without workers, each tile is consumed before the next one is built
  const memory = pool === undefined ? { bytes: new Uint8Array(0) } : undefined
  const done: Array<ReadonlyArray<readonly [WriteTile, PersistedTile]> | undefined> = []
  let next = 0
  let taking = false
  /** passes on finished tiles, unless another fiber already does */
  const handOn = Effect.gen(function* () {
    if (taking) return
    taking = true
    for (let ready = done[next]; ready !== undefined; ready = done[next]) {
      done[next++] = undefined
      for (const [tile, persisted] of ready) yield* take(tile, persisted)
    }
    taking = false
  })
  const allHere = (tiles: ReadonlyArray<WriteTile>) => Effect.forEach(tiles, here)
  const memories: Array<ArrayBuffer> = []
  const filtered = (
    tiles: ReadonlyArray<WriteTile>,
  ): Effect.Effect<ReadonlyArray<PersistedTile>, CodecError | WriteError> => {
    if (pool === undefined) return allHere(tiles)
    const make = (): Steps<PersistJob> => persistJob(filters, tiles.map(({ tile }) => tile), memories.pop())
    const offer = (job: () => PersistJob) => offerJob(pool, persistJobs, job)
    const answered = (answer: ReturnType<typeof offer>) =>
      answer === undefined ? Effect.zipLeft(allHere(tiles), turn) : Effect.matchEffect(answer, {
        // a failed worker loses its copies, but the tiles still exist in this thread
        onFailure: () => allHere(tiles),
        onSuccess: ({ bytes, persisted }) => {
          memories.push(bytes)
          // filter again in this thread, which fails with the precise error
          return persisted === undefined ? allHere(tiles) : Effect.succeed(persisted)
        },
      })
    if (bytes * tiles.length <= COPIED_AT_ONCE) return answered(offer(() => finish(make())))
    // large tiles are copied in steps, even if no worker turns out to be free
    return Effect.flatMap(runSteps(make), (job) => {
      const answer = offer(() => job)
      if (answer === undefined) memories.push(job.bytes)
      return answered(answer)
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
          return Effect.zipRight(handOn, turnIfDue)
        }),
    )
  return Effect.forEach(numbers(0, Math.ceil(count / step)), group, {
    concurrency: pool?.concurrency ?? 1,
    discard: true,
  }).pipe(tracedBatch("writeTiles", () => ({ tiles: count })))
}

/**
 * Tiles on their way into a fragment: they are filtered, here or in a worker thread, and handed on in their order.
 */
import * as Effect from "effect/Effect"
import type { CodecError } from "../../../platform/errors.ts"
import { runSteps, turn, turnIfDue } from "../../../platform/host/event_loop_turns.ts"
import { tracedBatch } from "../../../platform/observability/spans.ts"
import type { WorkerPool } from "../../../platform/workers/worker_pool.ts"
import type { WriteError } from "../../array/open/errors.ts"
import type { FieldTile } from "../../fragment/field_tiles.ts"
import { type PersistAnswer, type PersistJob, persistJob } from "../../fragment/store/filter_job.ts"
import type { FieldFilters, PersistedTile } from "../../fragment/store/filter_tile.ts"
import type { TileStatistics } from "../../fragment/tile_statistics.ts"
import { finish, type Steps } from "../../kernel/steps.ts"

/** Memory of the values of one tile after the other: each is gone when the next one is made. */
export interface TileMemory {
  bytes: Uint8Array
}

/** A tile that is to be written, and what is known of it. */
export interface WriteTile {
  readonly tile: FieldTile
  readonly statistics: TileStatistics
  /** Which cell of those that were given a cell of the tile is, for errors; none for padding. */
  readonly cellOf?: (cell: number) => number | undefined
}

/** Tiles that are made when it is their turn. */
export interface WriteTiles {
  readonly count: number
  /** Bytes of one, about. */
  readonly bytes: number
  /** Its values may lie in the memory that is given. */
  readonly tile: (i: number, memory?: TileMemory) => Steps<WriteTile>
}

/** How tiles are filtered. */
export interface PersistOptions {
  readonly filters: FieldFilters
  /** Filters a tile in this thread; what a filter refuses becomes an error that names the cell. */
  readonly here: (tile: WriteTile) => Effect.Effect<PersistedTile, CodecError | WriteError>
  /** The workers that help, if there are any. */
  readonly pool: WorkerPool | undefined
}

/** Tiles that go to a worker together have about so many bytes. */
const JOB = 1 << 20

/** Tiles of more bytes are copied in steps before a worker gets them. */
const COPIED_AT_ONCE = 1 << 24

const numbers = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from }, (_, i) => from + i)

/** Makes tiles, filters them, and hands them to `take`, one after the other. Few of them are there at a time. */
export const persistTiles = <E>(
  { count, bytes, tile: tileAt }: WriteTiles,
  { filters, here, pool }: PersistOptions,
  take: (tile: WriteTile, persisted: PersistedTile) => Effect.Effect<void, E>,
): Effect.Effect<void, CodecError | WriteError | E> => {
  const step = pool === undefined ? 1 : Math.max(1, Math.min(count, Math.floor(JOB / Math.max(1, bytes))))
  // alone, each tile is taken before the next one is made
  const memory = pool === undefined ? { bytes: new Uint8Array(0) } : undefined
  const done: Array<ReadonlyArray<readonly [WriteTile, PersistedTile]> | undefined> = []
  let next = 0
  let taking = false
  /** Hands on what is there, unless somebody does so already. */
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
    const offer = (job: () => PersistJob) =>
      pool.offer(() => {
        const its = job()
        return [its, [its.bytes]]
      })
    const answered = (answer: ReturnType<typeof offer>) =>
      answer === undefined ? Effect.zipLeft(allHere(tiles), turn) : Effect.matchEffect(answer, {
        // what a worker had is lost with it, but the tiles are still here
        onFailure: () => allHere(tiles),
        onSuccess: (given) => {
          const { bytes, persisted } = given as PersistAnswer
          memories.push(bytes)
          // once more here, which fails with what is wrong
          return persisted === undefined ? allHere(tiles) : Effect.succeed(persisted)
        },
      })
    if (bytes * tiles.length <= COPIED_AT_ONCE) return answered(offer(() => finish(make())))
    // large tiles are copied in steps, also if no worker turns out to be free
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

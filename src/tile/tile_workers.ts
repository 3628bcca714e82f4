/**
 * The pool of worker threads that filter and unfilter tiles.
 */
import type { WorkerModule, WorkerPool } from "../../platform/workers/worker_pool.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import type { TileAccess } from "./generic_tile.ts"

/**
 * The module of the threads. This file has its own URL in the sources and in the package; in the file that a bundler makes
 * of a program it has another, and the threads run the code that is stored in the package.
 */
const makeTileWorker = (here: string): WorkerModule => {
  const extension = /\/tile_workers(\.[jt]s)$/.exec(here)?.[1]
  return {
    url: extension === undefined ? undefined : new URL(`../fragment/worker/tile_worker${extension}`, here),
    code: async () => (await import("./tile_worker_code.ts")).tileWorkerCode(),
  }
}

/** The module of threads that filter and unfilter tiles. */
export const tileWorker: WorkerModule = makeTileWorker(import.meta.url)

/** Returns the pool for tiles with these filters; `undefined` if there are no workers, or a filter is not theirs. */
export const tileWorkers = (
  { codecs: { workers } }: TileAccess,
  filters: ReadonlyArray<Filter>,
): WorkerPool | undefined =>
  workers === undefined || filters.some(({ type }) => type === "webp") ? undefined : workers.pool(tileWorker)

/** Minimum size of cells to unfilter, in bytes, for which threads are worth their start. */
const WORTH = 1 << 24

/** Returns the workers that help to unfilter `size` bytes of cells; `undefined` without workers, or if the cells are few. */
export const poolFor = (access: TileAccess, { filters }: FilterPipeline, size: number): WorkerPool | undefined =>
  size < WORTH ? undefined : tileWorkers(access, filters)

/**
 * The pool of worker threads that filter and unfilter tiles.
 */
import type { WorkerModule, WorkerPool } from "../../platform/workers/worker_pool.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import type { TileAccess } from "./generic_tile.ts"

/**
 * Returns the module of the threads. In the sources and in the package, this file has a URL of its own. In bundled
 * programs it does not, and the threads run the code that is stored in the package.
 */
const makeTileWorker = (here: string): WorkerModule => {
  const extension = /\/tile_workers(\.[jt]s)$/.exec(here)?.[1]
  return {
    url: extension === undefined ? undefined : new URL(`../fragment/worker/tile_worker${extension}`, here),
    code: async () => (await import("./tile_worker_code.ts")).tileWorkerCode(),
  }
}

/** The module of the threads that filter and unfilter tiles. */
export const tileWorker: WorkerModule = makeTileWorker(import.meta.url)

/**
 * Returns the pool for tiles with these filters; `undefined` if there are no workers, or if they do not support a
 * filter.
 */
export const tileWorkers = (
  { codecs: { workers } }: TileAccess,
  filters: ReadonlyArray<Filter>,
): WorkerPool | undefined =>
  workers === undefined || filters.some(({ type }) => type === "webp") ? undefined : workers.pool(tileWorker)

/** Minimum size of cells to unfilter, in bytes, for which threads are started. */
const MIN_SIZE_FOR_THREADS = 1 << 24

/** Returns the workers for unfiltering `size` bytes of cells; `undefined` without workers, or for too few cells. */
export const poolFor = (access: TileAccess, { filters }: FilterPipeline, size: number): WorkerPool | undefined =>
  size < MIN_SIZE_FOR_THREADS ? undefined : tileWorkers(access, filters)

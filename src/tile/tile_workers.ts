/**
 * The pool of worker threads that filter and unfilter tiles.
 */
import type { WorkerPool } from "../../platform/workers/worker_pool.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { TileAccess } from "./generic_tile.ts"

/** Returns the pool for tiles with these filters; `undefined` if there are no workers, or a filter is not theirs. */
export const tileWorkers = (
  { codecs: { workers } }: TileAccess,
  filters: ReadonlyArray<Filter>,
): WorkerPool | undefined =>
  workers === undefined || filters.some(({ type }) => type === "webp")
    ? undefined
    : workers.pool(new URL("../fragment/worker/tile_worker.ts", import.meta.url))

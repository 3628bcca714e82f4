/**
 * The worker threads that filter the tiles of a field.
 */
import type { WorkerPool } from "../../../platform/workers/worker_pool.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { tileWorkers } from "../../tile/tile_workers.ts"
import type { FieldFilters } from "./filter_tile.ts"

/**
 * Returns the workers for filtering tiles of a field; `undefined` without workers, or if they do not support a filter.
 */
export const persistPool = (
  access: TileAccess,
  { fixed, var: values, validity }: FieldFilters,
): WorkerPool | undefined => {
  const filters = [fixed, values, validity].flatMap((context) => context?.filters.filters ?? [])
  return filters.length === 0 ? undefined : tileWorkers(access, filters)
}

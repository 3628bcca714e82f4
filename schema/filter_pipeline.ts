/**
 * Filter pipelines. Format: `filter_pipeline.md`.
 *
 * @module
 */
import { type Codec, list, struct, u32 } from "./binary/mod.ts"
import { Filter } from "./filter.ts"

/** The filters that a field's tiles went through, first to last. */
export interface FilterPipeline {
  /** Stored by every engine; since 2.0 only 0 ("one chunk") has an effect. */
  readonly maxChunkSize: number
  /** First to last, as they are applied when tiles are written. */
  readonly filters: ReadonlyArray<Filter>
}

/** A pipeline as it lies in schemas and generic tile headers. */
export const FilterPipeline: Codec<FilterPipeline> = struct({
  maxChunkSize: u32,
  filters: list(u32, Filter),
})

/** The pipeline where the format has none: the engine's chunk size, no filters. */
export const noFilters: FilterPipeline = { maxChunkSize: 65536, filters: [] }

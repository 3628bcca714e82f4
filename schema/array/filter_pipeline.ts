/**
 * Filter pipelines. Format: `filter_pipeline.md`.
 *
 * @module
 */
import { type Codec, list, struct, u32 } from "../binary/mod.ts"
import { Filter } from "./filter.ts"

/** The filters of a field's tiles. */
export interface FilterPipeline {
  /**
   * The maximum chunk size in bytes. All engines store it, but since 2.0 only the value 0 ("one chunk") has an effect.
   */
  readonly maxChunkSize: number
  /** The filters, in the order in which they are applied when a tile is written. */
  readonly filters: ReadonlyArray<Filter>
}

/**
 * The codec of a pipeline in schemas and generic tile headers. Format: `filter_pipeline.md`.
 *
 * ```ts
 * import { decode, encode, FilterPipeline } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const pipeline: FilterPipeline = { maxChunkSize: 65536, filters: [{ type: "byteshuffle" }, { type: "lz4", level: -1 }] }
 * assertEquals(decode(FilterPipeline, encode(FilterPipeline, pipeline, 22), 22, "mem://a"), pipeline)
 * ```
 */
export const FilterPipeline: Codec<FilterPipeline> = struct({
  maxChunkSize: u32,
  filters: list(u32, Filter),
})

/**
 * The pipeline used where the format stores no pipeline: the engine's default chunk size, no filters.
 *
 * ```ts
 * import { encode, FilterPipeline, noFilters } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(encode(FilterPipeline, noFilters, 22), Uint8Array.of(0, 0, 1, 0, 0, 0, 0, 0))
 * ```
 */
export const noFilters: FilterPipeline = { maxChunkSize: 65536, filters: [] }

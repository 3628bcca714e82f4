/**
 * Filter pipelines. Format: `filter_pipeline.md`.
 *
 * @module
 */
import { type Codec, list, struct, u32 } from "../binary/mod.ts"
import { Filter } from "./filter.ts"

/** The filters that a field's tiles went through, first to last. */
export interface FilterPipeline {
  /** Stored by every engine; since 2.0 only 0 ("one chunk") has an effect. */
  readonly maxChunkSize: number
  /** First to last, as they are applied when tiles are written. */
  readonly filters: ReadonlyArray<Filter>
}

/**
 * A pipeline as it lies in schemas and generic tile headers. Format: `filter_pipeline.md`.
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
 * The pipeline where the format has none: the engine's chunk size, no filters.
 *
 * ```ts
 * import { encode, FilterPipeline, noFilters } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(encode(FilterPipeline, noFilters, 22), Uint8Array.of(0, 0, 1, 0, 0, 0, 0, 0))
 * ```
 */
export const noFilters: FilterPipeline = { maxChunkSize: 65536, filters: [] }

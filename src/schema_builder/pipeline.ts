/** Filter pipelines of the schema builders. */
import type { Filter } from "../../schema/array/filter.ts"
import { type FilterPipeline, noFilters } from "../../schema/array/filter_pipeline.ts"

/** Returns the pipeline of a list of filters. */
export const pipelineOf = (filters: ReadonlyArray<Filter>): FilterPipeline => ({
  maxChunkSize: noFilters.maxChunkSize,
  filters: [...filters],
})

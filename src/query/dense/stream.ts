/**
 * Dense reads in batches within a memory budget.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import { proveTileCount } from "../../fragment/field_tiles.ts"
import { lengthOf, type WholeRanges } from "./axis_plan.ts"
import { type Batch, FIRST_BATCH_SIZE, type PartitionStep, streamPartitions } from "../batch/partition_stream.ts"
import { batchBytes, budgetTooSmall, checkBudget, limitCache } from "../options/memory_budget.ts"
import { enoughBytes, largestTile } from "./memory_needed.ts"
import { cutDense, cutRanges } from "./partition.ts"
import { limitBytes } from "../batch/row_limit.ts"
import { planDense, planSize } from "./plan.ts"
import type { ReadError } from "../options/read_error.ts"
import { type DenseColumns, type DenseReadRequest, fixedBytes, readDenseRequest, readFields, varBytes } from "./read.ts"
import type { StreamOptions } from "../options/read_options.ts"

/** A batch: a part of the selection and its ranges. */
export interface DenseColumnsBatch extends DenseColumns {
  /** The batch's ranges of each dimension. */
  readonly ranges: ReadonlyArray<WholeRanges>
}

/** Maximum numbers of tiles and segments of a batch's plan. */
const MAX_TILES = 1n << 16n
const MAX_SEGMENTS = 1n << 20n

/** Streams a resolved request in batches. */
export const streamDenseRequest = (
  array: OpenedArray,
  request: DenseReadRequest,
  options: Pick<StreamOptions, "memory" | "batch" | "limit">,
): Stream.Stream<Batch<DenseColumnsBatch>, ReadError, Storage | Codecs> =>
  Stream.unwrapScoped(Effect.gen(function* () {
    const memory = yield* checkBudget(array.uri, options.memory)
    yield* limitCache(array.bounded, memory)
    const access = yield* accessOf(array)
    for (const fragment of array.fragments) yield* proveTileCount(access, fragment)
    const { schema, uri } = array
    const limit = batchBytes(memory)
    const requested = Math.min(limit, options.batch ?? limitBytes(options.limit))
    const tooSmall = (bytes: number, subject: string) =>
      Effect.flatMap(enoughBytes(access, array, request), (enough) =>
        Effect.fail(budgetTooSmall(uri, memory, Math.max(bytes, enough), subject)))
    const largest = largestTile(array, request)
    if (largest !== undefined && largest.bytes > limit) {
      return yield* tooSmall(
        largest.bytes,
        `a tile of ${JSON.stringify(largest.field.name)}with the data that is read with it`,
      )
    }
    const step = (
      part: DenseReadRequest,
      first: boolean,
    ): Effect.Effect<PartitionStep<DenseReadRequest, DenseColumnsBatch>, ReadError, Storage | Codecs> =>
      Effect.gen(function* () {
        const { ranges, order } = part
        const fields = readFields(part)
        if (
          ranges.some((range) =>
            range.length === 0
          )
        ) return { kind: "none" }
        const size = planSize(schema, ranges)
        const planned = size.tiles <= MAX_TILES && size.segments <= MAX_SEGMENTS
        const fixed = fixedBytes(array, part)
        const cut = cutDense(schema, ranges, order)
        let values = 0
        if ((fixed <= limit || cut === undefined) && planned && fields.some((field) => field.var)) {
          values = yield* varBytes(
            access,
            array,
            planDense(schema, array.fragments, ranges, "row-major"),
            fields,
            "tiles",
          )
          if (values > limit && size.tiles === 1n) {
            // reserve memory for at least one cell
            const cell = fixed / Number(ranges.reduce((n, ranges) => n * lengthOf(ranges), 1n))
            return yield* tooSmall(values + cell, "one tile of each fragment")
          }
        }
        const bytes = fixed + values
        // batches that are split at tile borders read each tile once, whatever their size
        const max = first && cut?.between ? Math.min(requested, FIRST_BATCH_SIZE) : requested
        if (planned && (bytes <= max || (bytes <= limit && size.tiles === 1n))) {
          return { kind: "read", batch: { ...(yield* readDenseRequest(array, part, limit)), ranges } }
        }
        if (cut === undefined) return yield* tooSmall(bytes, "one cell")
        const cutPart = (side: 0 | 1): DenseReadRequest => ({
          ...part,
          ranges: ranges.map((range, d) => d === cut.d ? cutRanges(range, cut.last)[side] : range),
        })
        return { kind: "split", parts: [cutPart(0), cutPart(1)] }
      })
    return streamPartitions(request, step)
  }))

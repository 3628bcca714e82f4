/**
 * Reads whole results with a limit: joins the batches of a stream that ends early.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { invalidOption } from "../../../platform/errors.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import { lengthOf } from "../dense/axis_plan.ts"
import { checkBudget } from "../options/memory_budget.ts"
import { checkLimit, joinBatches } from "../batch/row_limit.ts"
import { denseRequest, readDense } from "./dense_request.ts"
import { type DenseColumns, readDenseRequest } from "../dense/read.ts"
import { attemptSelection, type ReadError } from "../options/read_error.ts"
import { DEFAULT_READ_MEMORY, type ReadOptions } from "../options/read_options.ts"
import { readSparse } from "./sparse_request.ts"
import { sparseRequest } from "./sparse_request.ts"
import { readPlanned, type SparseColumns } from "../sparse/read.ts"
import { streamDense } from "./dense_request.ts"
import { streamSparse } from "./sparse_request.ts"
import type { ColumnBuffer } from "../column/typed_columns.ts"

/** Reads the cells of a sparse array, up to the limit. */
export const readLimitedSparse = (
  array: OpenedArray,
  options: ReadOptions,
): Effect.Effect<SparseColumns, ReadError, Storage | Codecs> =>
  options.limit === undefined ? readSparse(array, options) : Effect.gen(function* () {
    const requested = { ...options, order: options.order ?? "row" } as const
    const request = yield* sparseRequest(array, requested, "row")
    const memory = yield* checkBudget(array.uri, options.memory, DEFAULT_READ_MEMORY)
    // count cells even if no field is selected
    let length = 0
    const batches = Stream.map(streamSparse(array, requested), (batch) => {
      length += batch.length
      return batch
    })
    const columns = yield* joinBatches(array.uri, batches, memory)
    if (columns === undefined) return yield* readPlanned(yield* accessOf(array), array, request, [], memory)
    return { columns, length }
  })

/** Reads boxes of a dense array, up to the limit. A result that was cut off has one dimension. */
export const readLimitedDense = (
  array: OpenedArray,
  options: ReadOptions,
  out: Readonly<Record<string, ColumnBuffer | undefined>> | undefined,
): Effect.Effect<DenseColumns, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { limit, ...unlimited } = options
    if (limit === undefined) return yield* readDense(array, options, out)
    const { uri } = array
    yield* attemptSelection(() => checkLimit(uri, limit))
    const whole = yield* denseRequest(array, unlimited)
    if (BigInt(limit) >= whole.ranges.reduce((n, ranges) => n * lengthOf(ranges), 1n)) {
      return yield* readDense(array, unlimited, out)
    }
    if (out !== undefined) {
      return yield* Effect.fail(invalidOption(uri, "limit", "`limit` cannot be combined with `out`", limit))
    }
    const memory = yield* checkBudget(uri, options.memory, DEFAULT_READ_MEMORY)
    const columns = yield* joinBatches(uri, streamDense(array, options), memory)
    if (columns !== undefined) return { columns, shape: [limit] }
    const none = yield* readDenseRequest(array, { ...whole, ranges: whole.ranges.map(() => []) }, memory)
    return { ...none, shape: [0] }
  })

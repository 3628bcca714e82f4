/**
 * Reads and streams dense arrays with the options of the public API. Options are validated into a {@link
 * DenseReadRequest} first.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { whereOf } from "../../condition/where.ts"
import { SelectionError } from "../../array/open/errors.ts"
import { nonEmptyDomain } from "../../array/describe/non_empty_domain.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { checkBudget } from "../options/memory_budget.ts"
import { firstBox } from "../dense/limit_box.ts"
import { checkLimit, firstCells, limitBatches, type Limited } from "../batch/row_limit.ts"
import { withoutLabels } from "./label_ranges.ts"
import { wholeRanges } from "../dense/plan.ts"
import { type DenseColumns, type DenseReadRequest, readDenseRequest } from "../dense/read.ts"
import { attemptSelection, type ReadError } from "../options/read_error.ts"
import {
  checkOrder,
  DEFAULT_READ_MEMORY,
  type ReadOptions,
  selectedFields,
  type StreamOptions,
} from "../options/read_options.ts"
import { parseSelection } from "../selection/selection.ts"
import { type DenseColumnsBatch, streamDenseRequest } from "../dense/stream.ts"
import type { ColumnBuffer } from "../column/typed_columns.ts"

/** Validates the options of a dense read. */
export const denseRequest = (
  array: OpenedArray,
  options: ReadOptions,
): Effect.Effect<DenseReadRequest, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { schema, uri } = array
    if (schema.arrayType !== "dense") {
      const detail = "the array is sparse; read it with Sparse.read"
      return yield* Effect.fail(new SelectionError({ uri, field: "", reason: "Unsupported", detail }))
    }
    const input = yield* withoutLabels(array, options.region ?? {})
    const request = yield* attemptSelection(() => {
      const order = checkOrder(uri, options.order, "row")
      const fields = selectedFields(array, options.select)
      const selection = parseSelection(uri, schema, input, options.outOfBounds ?? "error")
      const written = nonEmptyDomain(array)
      checkLimit(uri, options.limit)
      const all = wholeRanges(selection, (d) => {
        if (written === undefined) return []
        const { type } = schema.dimensions[d]
        return [{ low: BigInt(readScalar(type, written[d].low)), high: BigInt(readScalar(type, written[d].high)) }]
      })
      // in global order, the first cells are not a box, since tile borders divide them
      if (options.limit === undefined || order === "global") return { fields, selection, ranges: all, order }
      const slowest = all.map((_, d) => order === "col" ? all.length - 1 - d : d)
      const ranges = firstBox(all, slowest, BigInt(Math.max(1, options.limit)))
      return { fields, selection, ranges, order }
    })
    return { ...request, where: yield* whereOf(array, options.where) }
  })

/** Reads boxes of a dense array. The fields of `out` are read into the memory of the caller. */
export const readDense = (
  array: OpenedArray,
  options: ReadOptions = {},
  out: Readonly<Record<string, ColumnBuffer | undefined>> = {},
): Effect.Effect<DenseColumns, ReadError, Storage | Codecs> =>
  Effect.flatMap(
    Effect.zip(denseRequest(array, options), checkBudget(array.uri, options.memory, DEFAULT_READ_MEMORY)),
    ([request, memory]) => readDenseRequest(array, request, memory, out),
  )

/** Reads boxes of a dense array in batches. */
export const streamDense = (
  array: OpenedArray,
  options: StreamOptions = {},
): Stream.Stream<Limited<DenseColumnsBatch>, ReadError, Storage | Codecs> =>
  Stream.unwrap(Effect.map(denseRequest(array, options), (request) =>
    limitBatches(
      streamDenseRequest(array, request, options),
      options.limit,
      ({ shape }) => shape.reduce((n, length) => n * length, 1),
      (batch, length) => ({ ...batch, columns: firstCells(batch.columns, length), shape: [length] }),
    )))

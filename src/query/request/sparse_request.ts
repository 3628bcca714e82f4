/**
 * Reads and streams sparse arrays with the options of the public API. Options are validated into a {@link
 * SparseReadRequest} first.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { SelectionError } from "../../array/open/errors.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import { whereOf } from "../../condition/where.ts"
import { checkBudget } from "../options/memory_budget.ts"
import { checkLimit, firstCells, limitBatches, type Limited } from "../batch/row_limit.ts"
import { withoutLabels } from "./label_ranges.ts"
import { attemptSelection, type ReadError } from "../options/read_error.ts"
import {
  checkOrder,
  DEFAULT_READ_MEMORY,
  type Order,
  type ReadOptions,
  selectedFields,
  type StreamOptions,
} from "../options/read_options.ts"
import { planRequest, readPlanned, type SparseColumns, type SparseReadRequest } from "../sparse/read.ts"
import { parseSelection } from "../selection/selection.ts"
import { streamSparseRequest } from "../sparse/stream.ts"

/** Validates the options of a sparse read; `order` is the default order. */
export const sparseRequest = (
  array: OpenedArray,
  options: ReadOptions,
  order: Order,
): Effect.Effect<SparseReadRequest, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { schema, uri } = array
    if (schema.arrayType !== "sparse") {
      const detail = "the array is dense; read it with Dense.read"
      return yield* Effect.fail(new SelectionError({ uri, field: "", reason: "Unsupported", detail }))
    }
    const input = yield* withoutLabels(array, options.region ?? {})
    const request = yield* attemptSelection(() => {
      checkLimit(uri, options.limit)
      return {
        order: checkOrder(uri, options.order, order),
        fields: selectedFields(array, options.select),
        selection: parseSelection(uri, schema, input, options.outOfBounds ?? "error"),
      }
    })
    return { ...request, where: yield* whereOf(array, options.where) }
  })

/** Reads the selected cells of a sparse array. */
export const readSparse = (
  array: OpenedArray,
  options: ReadOptions = {},
): Effect.Effect<SparseColumns, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const request = yield* sparseRequest(array, options, "row")
    const access = yield* accessOf(array)
    const plan = yield* planRequest(access, array, request)
    return yield* readPlanned(
      access,
      array,
      request,
      plan,
      yield* checkBudget(array.uri, options.memory, DEFAULT_READ_MEMORY),
    )
  })

/** Reads the selected cells of a sparse array in batches. */
export const streamSparse = (
  array: OpenedArray,
  options: StreamOptions & Pick<SparseReadRequest, "repeats"> = {},
): Stream.Stream<Limited<SparseColumns>, ReadError, Storage | Codecs> =>
  Stream.unwrap(Effect.map(
    sparseRequest(array, options, "unordered"),
    (request) =>
      limitBatches(
        streamSparseRequest(array, { ...request, repeats: options.repeats }, options),
        options.limit,
        ({ length }) => length,
        ({ columns }, length) => ({ columns: firstCells(columns, length), length }),
      ),
  ))

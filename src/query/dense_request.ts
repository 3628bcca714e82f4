/**
 * Dense reads as they are asked.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { readScalar } from "../../schema/scalar.ts"
import { whereOf } from "../condition/where.ts"
import { SelectionError } from "../array/errors.ts"
import { nonEmptyDomain } from "../array/non_empty_domain.ts"
import type { OpenedArray } from "../array/open.ts"
import { checkBudget } from "./budget.ts"
import { firstBox } from "./first_box.ts"
import { checkLimit } from "./limit.ts"
import { withoutLabels } from "./labels.ts"
import { wholeRanges } from "./plan_dense.ts"
import { type DenseColumns, type DenseRequest, readDenseRequest } from "./read_dense.ts"
import { attemptSelection, type ReadError } from "./read_error.ts"
import { MAX_BYTES, orderOf, type ReadOptions, selectedFields } from "./read_options.ts"
import { parseSelection } from "./selection.ts"
import type { ColumnBuffer } from "./typed_columns.ts"

/** Checks what is asked of a dense array. */
export const denseRequest = (
  array: OpenedArray,
  options: ReadOptions,
): Effect.Effect<DenseRequest, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { schema, uri } = array
    if (schema.arrayType !== "dense") {
      const reason = "the array is sparse; read it with Sparse.read"
      return yield* Effect.fail(new SelectionError({ uri, field: "", reason }))
    }
    const given = yield* withoutLabels(array, options.region ?? {})
    const request = yield* attemptSelection(() => {
      const order = orderOf(uri, options.order, "row")
      const fields = selectedFields(array, options.select)
      const selection = parseSelection(uri, schema, given, options.outside ?? "error")
      const written = nonEmptyDomain(array)
      checkLimit(uri, options.limit)
      const all = wholeRanges(selection, (d) => {
        if (written === undefined) return []
        const { type } = schema.dimensions[d]
        return [{ low: BigInt(readScalar(type, written[d].low)), high: BigInt(readScalar(type, written[d].high)) }]
      })
      // tiles cut the global order into boxes
      if (options.limit === undefined || order === "global") return { fields, selection, ranges: all, order }
      const slowest = all.map((_, d) => order === "col" ? all.length - 1 - d : d)
      const ranges = firstBox(all, slowest, BigInt(Math.max(1, options.limit)))
      return { fields, selection, ranges, order }
    })
    return { ...request, where: yield* whereOf(array, options.where) }
  })

/** Reads a box, or boxes, of a dense array; fields that are named in `out` into the memory there. */
export const readDense = (
  array: OpenedArray,
  options: ReadOptions = {},
  out: Readonly<Record<string, ColumnBuffer | undefined>> = {},
): Effect.Effect<DenseColumns, ReadError, Storage | Codecs> =>
  Effect.flatMap(
    Effect.zip(denseRequest(array, options), checkBudget(array.uri, options.memory, MAX_BYTES)),
    ([request, memory]) => readDenseRequest(array, request, memory, out),
  )

/**
 * Combines the cells of several dense fragments: writes whole tiles in global order, in bounded memory.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import { nonEmptyDomain } from "../../array/describe/non_empty_domain.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { streamDense } from "../../query/request/dense_request.ts"
import type { ReadError } from "../../query/options/read_error.ts"
import { denseSteps, partsOfAll } from "../../write/dense/dense_writer.ts"
import type { FinishedFragment, FragmentTarget } from "../../write/fragment/fragment_writer.ts"
import { cellsOfBox } from "../../write/input/box.ts"
import { attemptWriteSteps, type WriteFailure } from "../../write/result/write_result.ts"

/** Inputs and options of combining dense fragments. */
export interface DenseConsolidation {
  /** The array with the fragments to combine. */
  readonly array: OpenedArray
  readonly target: FragmentTarget
  readonly time: NameTime
  readonly maxFragmentSize: number
  readonly memory: number | undefined
  readonly onProgress: (cells: number) => void
}

/** Writes the combined fragments, which are invisible until their commit. */
export const consolidateDense = (
  { array, target, time, maxFragmentSize, memory, onProgress }: DenseConsolidation,
): Effect.Effect<ReadonlyArray<FinishedFragment>, ReadError | WriteFailure, Storage | Codecs | Scope.Scope> =>
  Effect.gen(function* () {
    const { schema, uri } = array
    const domain = nonEmptyDomain(array)
    if (domain === undefined) return []
    const box = domain.map(({ low, high }, d) => {
      const { type } = schema.dimensions[d]
      return { low: BigInt(readScalar(type, low)), high: BigInt(readScalar(type, high)) }
    })
    const steps = yield* denseSteps(array, target, cellsOfBox(box), partsOfAll(schema, [box], "global"), {
      order: "global",
      time,
      maxFragmentSize,
      onProgress: undefined,
      // keep values that other engines accept
      checks: { anyValue: true },
    })
    const region = Object.fromEntries(
      schema.dimensions.map(({ name }, d) => [name, [box[d].low, box[d].high] as const]),
    )
    const select = schema.attributes.map(({ name }) => name)
    const batches = streamDense(array, { order: "global", region, select, ...(memory === undefined ? {} : { memory }) })
    yield* Stream.runForEach(batches, ({ columns }) =>
      Effect.gen(function* () {
        yield* steps.append(yield* attemptWriteSteps(uri, () => steps.check(columns)))
        onProgress(steps.progress().cells)
      }))
    yield* steps.finish
    return steps.finished
  })

/**
 * Writes dimension labels without cells.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import { openedOf, type TileArray } from "../array/open/handle.ts"
import { attemptOptions, checkNames, millis, refuseFor } from "../array/open/open_options.ts"
import type { BoxOf, LabelInputs } from "./options/typed_input.ts"
import { writeDenseLabels as write } from "./dense/write_labels.ts"
import type { WriteOptions } from "./options/write_options.ts"
import type { WriteFailure } from "./result/write_result.ts"

export type { LabelInputs } from "./options/typed_input.ts"

/**
 * Writes dimension labels and no cells: for each label a column with one entry per coordinate of its dimension in
 * `region`, which has the form of the box of `Dense.write`. Returns the names of the fragments, each in the array of
 * its label. `Dense.write` and `Sparse.write` accept labels among their columns, too.
 *
 * Labels must be increasing or decreasing as the schema declares; equal neighbours are allowed. Existing fragments of
 * the same label are not checked: engines refuse to read labels whose fragments are out of order or leave gaps.
 *
 * Fails with `WriteError`, which names the label, and as `Dense.write` does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Samples = ArraySchema.sparse({
 *   dims: { run: Dim.uint32([1, 100]) },
 *   attrs: { value: Attr.float64() },
 *   labels: { day: { dim: "run", type: "string_ascii", order: "increasing" } },
 * })
 * const program = Effect.gen(function* () {
 *   const samples = yield* TileArray.create("mem://samples", Samples)
 *   yield* TileArray.writeLabels(samples, { run: [1, 3] }, { day: ["2024-02-28", "2024-02-29", "2024-03-01"] })
 *   return (yield* TileArray.readLabel(yield* TileArray.reopen(samples), "day")).coordinates.values
 * })
 * const runs = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(runs, Uint32Array.of(1, 2, 3))
 * ```
 */
export const writeLabels = <S extends ArraySchema | undefined>(
  array: TileArray<S>,
  region: BoxOf<S>,
  labels: LabelInputs<S>,
  options: Pick<WriteOptions, "at"> = {},
): Effect.Effect<ReadonlyArray<string>, WriteFailure, Storage | Codecs> =>
  Effect.flatMap(
    attemptOptions(() => {
      const refuse = refuseFor(array.uri)
      checkNames(options, ["at"], refuse)
      return millis("at", options.at, refuse)
    }),
    (at) =>
      write(
        openedOf(array),
        region,
        labels as Readonly<Record<string, unknown>>,
        at === undefined ? undefined : [at, at],
      ),
  ).pipe(traced("TileArray.writeLabels", array))

/**
 * Dimension labels as columns.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { traced } from "../../../platform/observability/spans.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { SelectionError } from "../../array/open/errors.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import { openedOf, type TileArray } from "../../array/open/handle.ts"
import type { Column } from "../column/column.ts"
import { readDense } from "./dense_request.ts"
import { labelArray, withoutLabels } from "./label_ranges.ts"
import { checkForm } from "./resolve_query.ts"
import type { RegionInput } from "../selection/range_input.ts"
import type { ReadError } from "../options/read_error.ts"
import type { OutOfBounds } from "../selection/selection.ts"
import type { RegionOf } from "../column/typed_columns.ts"

/** Names of a schema's labels; any string without a schema. */
export type LabelName<S extends ArraySchema | undefined> = S extends ArraySchema ? keyof S["labels"] & string : string

/** Options of `readLabel`. */
export interface LabelOptions<S extends ArraySchema | undefined = undefined> {
  /**
   * Ranges by dimension or label, as for reads of cells; those of other dimensions are ignored. Default: all
   * coordinates from the first to the last one with a label.
   */
  readonly region?: RegionOf<S>
  /** Handling of ranges that exceed the domain. Default: fail. */
  readonly outOfBounds?: OutOfBounds
}

/** Labels and their coordinates. */
export interface LabelColumns {
  /** Number of labels. */
  readonly length: number
  /** Coordinates of the dimension, ascending. */
  readonly coordinates: Column
  /** Label of each coordinate; the fill value of its datatype where none was written. */
  readonly labels: Column
}

/**
 * Reads a dimension label: the labels of the dimension's coordinates. Labels are stored in an array of their own, which
 * is read at the time of the array.
 *
 * Fails with `SelectionError` for an unknown label, or if the ranges use the label itself and it was never written;
 * otherwise as `Dense.read` does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dense, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Depths = ArraySchema.dense({
 *   dims: { layer: Dim.uint32([0, 3], { tile: 4 }) },
 *   attrs: { salt: Attr.float64() },
 *   labels: { depth: { dim: "layer", type: "float64", order: "increasing" } },
 * })
 * const program = Effect.gen(function* () {
 *   const made = yield* TileArray.create("mem://depths", Depths)
 *   yield* Dense.write(made, {}, { salt: [34, 35, 35, 36], depth: [0.5, 2, 10, 100] })
 *   const depths = yield* TileArray.reopen(made)
 *   const region = { depth: [1, 50] } as const
 *   const { columns } = yield* Dense.read(depths, { region })
 *   return [columns.salt, (yield* TileArray.readLabel(depths, "depth", { region })).labels.values]
 * })
 * const found = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(found, [Float64Array.of(35, 35), Float64Array.of(2, 10)])
 * ```
 */
export const readLabel = <S extends ArraySchema | undefined>(
  array: TileArray<S>,
  label: LabelName<S>,
  options: LabelOptions<S> = {},
): Effect.Effect<LabelColumns, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const opened = openedOf(array)
    const wrong = checkForm(array.uri, options, ["region", "outOfBounds"])
    if (wrong !== undefined) return yield* Effect.fail(wrong)
    const { schema, uri } = opened
    const dimensionLabel = schema.dimensionLabels.find(({ name }) => name === label)
    if (dimensionLabel === undefined) {
      const names = schema.dimensionLabels.map(({ name }) => JSON.stringify(name)).join(", ")
      const detail = names === "" ? "the array has no labels" : `the array has no such label; it has ${names}`
      return yield* Effect.fail(new SelectionError({ uri, field: label, reason: "UnknownName", detail }))
    }
    const { name } = schema.dimensions[dimensionLabel.dimension]
    const existing = [
      name,
      ...schema.dimensionLabels.flatMap((l) => l.dimension === dimensionLabel.dimension ? [l.name] : []),
    ]
    const request = Object.entries((options.region ?? {}) as RegionInput).filter(([key]) => existing.includes(key))
    const ranges = yield* withoutLabels(opened, Object.fromEntries(request))
    const labels = yield* labelArray(opened, dimensionLabel)
    const [index] = labels.schema.dimensions
    const { columns } = yield* readDense(labels, {
      select: [index.name, dimensionLabel.attribute],
      region: ranges[name] === undefined ? {} : { [index.name]: ranges[name] },
      outOfBounds: options.outOfBounds,
    })
    return {
      length: columns[dimensionLabel.attribute].length,
      coordinates: { ...columns[index.name], name },
      labels: { ...columns[dimensionLabel.attribute], name: label },
    }
  }).pipe(traced("TileArray.readLabel", array))

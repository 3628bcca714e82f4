/**
 * Creates dense arrays from typed arrays.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { attempt, failOn } from "../../platform/attempt.ts"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { TypedArray } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { CreateOptions } from "../array/create/create.ts"
import { InvalidOption } from "../array/open/errors.ts"
import { handleOf, type TileArray } from "../array/open/handle.ts"
import { type OpenError, reopenArray } from "../array/open/open.ts"
import { checkKey, checkNameList, checkNames, millis, refuseFor } from "../array/open/open_options.ts"
import { dense } from "../schema_builder/array_schema.ts"
import { attributeOfColumn, dimensionsOfShape } from "../schema_builder/from_columns.ts"
import { SchemaError } from "../schema_builder/schema_error.ts"
import { type FillError, fillNewArray } from "./fill_array.ts"
import { writeDense } from "../write/dense/write_dense.ts"
import type { WriteFailure } from "../write/result/write_result.ts"

/** Options of an array from a typed array. */
export interface FromTypedArrayOptions extends CreateOptions {
  /** Name of the attribute. Default: `value`. */
  readonly attribute?: string
  /** Names of the dimensions. Default: `d0`, `d1`, … */
  readonly dims?: ReadonlyArray<string>
  /** Filters of the attribute. Default: no filters. */
  readonly filters?: ReadonlyArray<Filter>
}

/** Errors of {@link fromTypedArray}. */
export type FromTypedArrayError = FillError | WriteFailure | OpenError | SchemaError

const OPTIONS: ReadonlyArray<string> = [
  "attribute",
  "dims",
  "filters",
  "at",
  "key",
  "formatVersion",
] satisfies ReadonlyArray<keyof FromTypedArrayOptions>

/**
 * Creates a dense array from a typed array in row-major order and the lengths of its dimensions, which start at 0.
 * Returns the open array, which contains the cells. The typed array determines the datatype of the attribute.
 *
 * The schema is stored last: a failure or an interruption leaves no array and no files. Fails with `AlreadyExists` if
 * the folder is not empty, with `InvalidOption` or `SchemaError` for a shape that does not fit, and as
 * `TileArray.create` and {@link write} do.
 *
 * ```ts
 * import { Dense, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const data = Float64Array.of(1, 2, 3, 4, 5, 6)
 *   const array = yield* Dense.fromTypedArray("mem://grid", data, [2, 3], { dims: ["y", "x"], attribute: "height" })
 *   return yield* Dense.read(array, { region: { y: 1 } })
 * })
 * const { shape, columns } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals([shape, columns.height.values], [[1, 3], Float64Array.of(4, 5, 6)])
 * ```
 */
export const fromTypedArray = (
  uri: string,
  data: TypedArray,
  shape: ReadonlyArray<number>,
  options: FromTypedArrayOptions = {},
): Effect.Effect<TileArray, FromTypedArrayError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { schema, attribute, creating, at } = yield* attempt(() => {
      const refuse = refuseFor(uri)
      checkNames(options, OPTIONS, refuse)
      checkNameList("dims", options.dims, refuse)
      checkKey(options.key, refuse)
      const at = millis("at", options.at, refuse)
      const { attribute = "value", filters = [], key, formatVersion } = options
      if (!ArrayBuffer.isView(data)) refuse("data", "it is a typed array: Float64Array.of(1, 2, 3)", data)
      if (!Array.isArray(shape) || shape.length === 0) refuse("shape", "it is a list of lengths: [2, 3]", shape)
      const dims = options.dims ?? shape.map((_, d) => `d${d}`)
      if (dims.length !== shape.length || new Set(dims).size !== dims.length) {
        refuse("dims", `expected ${shape.length} different names, one per length of the shape`, dims)
      }
      const cells = shape.reduce((product, length) => product * length, 1)
      if (cells !== data.length) {
        refuse("shape", `it has ${cells} cells, and the typed array has ${data.length}`, shape)
      }
      const schema = dense({
        dims: dimensionsOfShape(Object.fromEntries(dims.map((name, d) => [name, shape[d]])), {}),
        attrs: { [attribute]: attributeOfColumn(attribute, data, filters) },
      })
      const creating: CreateOptions = {
        ...(at === undefined ? {} : { at }),
        ...(key === undefined ? {} : { key }),
        ...(formatVersion === undefined ? {} : { formatVersion }),
      }
      return { schema, attribute, creating, at }
    }, failOn(InvalidOption, SchemaError))
    const time = at === undefined ? undefined : [at, at] as const
    const { array } = yield* fillNewArray({
      uri,
      schema,
      creating,
      target: {},
      operation: "import",
      source: "a typed array",
      input: null,
      keepsFragments: false,
    }, {
      cells: (array) => writeDense(array, {}, { [attribute]: data }, { time, order: "row", onProgress: undefined }),
      rest: () => Effect.void,
    })
    return handleOf(yield* reopenArray(array))
  }).pipe(traced("Dense.fromTypedArray", uri))

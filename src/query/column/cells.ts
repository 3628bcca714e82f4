/**
 * Access to columns of a result: single cells as values, texts or dates; columns as JSON; enumeration codes as their
 * values. All functions take the {@link Column}s of arrays opened without a schema (and the `fields` of every result);
 * most also take the plain buffers of arrays opened with one.
 *
 * ```ts
 * import { Cells, Dense, TileArray } from "@tessera/array"
 * import { layerDefault } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.read(weather, { select: ["note"], region: { day: 60, station: [1, 3] } })
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(Cells.text(columns.note, 0), "corrected")
 * assertEquals(Cells.columnJson(columns.note), ["corrected", "corrected", ""])
 * ```
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import type { ResultTooLarge } from "../../array/open/errors.ts"
import type { Column } from "./column.ts"
import { resolveEnumeration } from "./resolve_enumeration.ts"

export type { CellJson, HexJson } from "../../../schema/array/scalar.ts"
export {
  type AnyColumn,
  type BufferColumn,
  bytes,
  type CellValue,
  date,
  dates,
  isNull,
  length,
  text,
  texts,
  value,
  type ValueOptions,
  valueReader,
  values,
} from "./cell_values.ts"
export { type CellEncoder, cellEncoder, cellJson, columnJson } from "./cell_json.ts"
export type { Column } from "./column.ts"
export { resolveColumns as resolveAll } from "./resolve_columns.ts"
export { enumerationColumn } from "./resolve_enumeration.ts"

/**
 * Replaces the codes of a column by the values of its enumeration. A code outside the enumeration becomes null. Fails
 * if the values need more than `maxBytes` (default: 4 GiB).
 *
 * ```ts
 * import { Cells, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const { columns } = yield* Sparse.read(quakes, { select: ["scale"] })
 *   const [scales] = yield* TileArray.enumerations(quakes, ["scales"])
 *   return Cells.texts(yield* Cells.resolve(columns.scale, scales))
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), ["ml", "mw", "mw"])
 * ```
 */
export const resolve: (
  column: Column,
  enumeration: Enumeration,
  maxBytes?: number,
) => Effect.Effect<Column, ResultTooLarge> = resolveEnumeration

/**
 * Dense arrays: write boxes of cells.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import type { ArraySchema } from "../array/builder/schema_value.ts"
import { openedOf, type TileArray } from "../array/handle.ts"
import type { DenseOrder } from "./dense_tiles.ts"
import type { AttributeColumns, BoxOf } from "./typed_input.ts"
import { writeDense } from "./write_dense.ts"
import { checkWrite, oneOf, type WriteOptions } from "./write_options.ts"
import type { WriteFailure, Written } from "./written.ts"

export type { CellInput, ColumnInput } from "./column_input.ts"
export type { DenseOrder } from "./dense_tiles.ts"
export type { AttributeColumns, BoxOf, ColumnInputOf, ValueInputOf } from "./typed_input.ts"
export type { WriteOptions } from "./write_options.ts"
export type { WriteFailure, WriteProgress, Written } from "./written.ts"

/** How dense cells are written. */
export interface DenseWriteOptions extends WriteOptions {
  /**
   * The order in which the cells of the box are given: `row` – the last dimension runs fastest; `col` – the first one does;
   * `global` – tile after tile in the array's order, as a read in that order answers them. Default: `row`.
   */
  readonly order?: DenseOrder
}

/**
 * Writes the cells of a box: the columns of all attributes, each with one entry per cell. They are one fragment, which is
 * there when this is done, and not before; the open array that is given does not see it, `TileArray.reopen` does.
 *
 * `box` names ranges with both ends inclusive, or single values; a dimension that is not named is taken whole (its current
 * domain, where there is one). Columns are typed arrays as reads have them, `{ values, offsets, validity }` where cells are
 * var-sized or may be null, or lists of cells. Buffers are not copied, and must not change while they are written.
 *
 * Costs no read, also where the box covers tiles in part: fragments lie over each other. Boxes of whole tiles are the
 * fastest to write and to read.
 *
 * Fails with `WriteError`, which names the field and the cell, before anything is written: for a box outside the domain,
 * columns of a wrong length or type, offsets that fall, nulls where none may be; and for values that a filter cannot hold.
 * Fails with `InvalidOption`, `StorageError` or `CodecError`. Whatever it fails with, or when it is interrupted, the array
 * is as it was.
 *
 * ```ts
 * import { ArraySchema, Attr, Dense, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Weather = ArraySchema.dense({
 *   dims: { lat: Dim.int32([1, 180], { tile: 30 }), lon: Dim.int32([1, 360], { tile: 30 }) },
 *   attrs: { temp: Attr.float32(), flag: Attr.nullable(Attr.uint8()) },
 * })
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.create("mem://weather", Weather)
 *   yield* Dense.write(weather, { lat: [1, 2], lon: [1, 3] }, {
 *     temp: Float32Array.of(1, 2, 3, 4, 5, 6),
 *     flag: { values: Uint8Array.of(0, 1, 0, 1, 0, 1), validity: Uint8Array.of(1, 1, 1, 1, 1, 0) },
 *   })
 *   return yield* Dense.read(yield* TileArray.reopen(weather), { ranges: { lon: [2, 3] } })
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(columns.temp, Float32Array.of(2, 3, 5, 6))
 * ```
 */
export const write = <S extends ArraySchema<"dense"> | undefined>(
  array: TileArray<S>,
  box: BoxOf<S>,
  columns: AttributeColumns<S>,
  options: DenseWriteOptions = {},
): Effect.Effect<Written, WriteFailure, Storage | Codecs> =>
  Effect.flatMap(
    checkWrite(array, "dense", options, ["order"], (refuse) => ({
      order: oneOf("order", options.order, ["row", "col", "global"], refuse),
    })),
    (request) => writeDense(openedOf(array), box, columns as Readonly<Record<string, unknown>>, request),
  )

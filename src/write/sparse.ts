/**
 * Sparse arrays: write cells.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import type { ArraySchema } from "../array/builder/schema_value.ts"
import { openedOf, type TileArray } from "../array/handle.ts"
import type { CellColumns } from "./typed_input.ts"
import { checkWrite, oneOf, type WriteOptions } from "./write_options.ts"
import { writeSparse } from "./write_sparse.ts"
import type { WriteFailure, Written } from "./written.ts"

export type { CellInput, ColumnInput } from "./column_input.ts"
export type { CellColumns, ColumnInputOf, ValueInputOf } from "./typed_input.ts"
export type { WriteOptions } from "./write_options.ts"
export type { WriteFailure, WriteProgress, Written } from "./written.ts"

/** How sparse cells are written. */
export interface SparseWriteOptions extends WriteOptions {
  /**
   * The order in which cells are given: any, and then they are sorted, or the global order of the array, which is checked.
   * Default: `unordered`.
   */
  readonly order?: "unordered" | "global"
  /**
   * What becomes of cells with the same coordinates in an array that allows no duplicates: `refuse` the write, or keep the
   * `first` of them. Default: `refuse`.
   */
  readonly duplicates?: "refuse" | "first"
}

/**
 * Writes cells: the columns of all dimensions and attributes, each with one entry per cell. They are one fragment, which is
 * there when this is done, and not before; the open array that is given does not see it, `TileArray.reopen` does.
 *
 * Columns are typed arrays as reads have them, `{ values, offsets, validity }` where cells are var-sized or may be null, or
 * lists of cells. Buffers are not copied, and must not change while they are written.
 *
 * Fails with `WriteError`, which names the field and the cell, before anything is written: for columns of a wrong length or
 * type, offsets that fall, nulls where none may be, coordinates outside the domain or the current domain, cells out of order
 * or with the same coordinates; and for values that a filter cannot hold. Fails with `InvalidOption`, `StorageError` or
 * `CodecError`. Whatever it fails with, or when it is interrupted, the array is as it was.
 */
export const write = <S extends ArraySchema<"sparse"> | undefined>(
  array: TileArray<S>,
  columns: CellColumns<S>,
  options: SparseWriteOptions = {},
): Effect.Effect<Written, WriteFailure, Storage | Codecs> =>
  Effect.flatMap(
    checkWrite(array, "sparse", options, ["order", "duplicates"], (refuse) => ({
      order: oneOf("order", options.order, ["unordered", "global"], refuse),
      duplicates: oneOf("duplicates", options.duplicates, ["refuse", "first"], refuse),
    })),
    (request) => writeSparse(openedOf(array), columns as Readonly<Record<string, unknown>>, request),
  )

/**
 * Sparse arrays: read the cells that lie in a selection.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { openedOf, type TileArray } from "../array/handle.ts"
import type { ReadError } from "./read_error.ts"
import type { ReadOptions } from "./read_options.ts"
import { readSparse, type SparseResult } from "./read_sparse.ts"

export type { ReadError } from "./read_error.ts"
export type { Order, ReadOptions } from "./read_options.ts"
export type { SparseResult } from "./read_sparse.ts"
export type { Bound, Outside, RangeInput, RangesInput } from "./selection.ts"

/** Reads cells of a sparse array: by default all, with all dimensions and attributes, sorted row-major. */
export const read = (
  array: TileArray,
  options: ReadOptions = {},
): Effect.Effect<SparseResult, ReadError, Storage | Codecs> => readSparse(openedOf(array), options)

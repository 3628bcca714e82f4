/**
 * Single cells of dense arrays: those that somebody wrote and that fulfil a condition, and none of the others.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import type { OpenedArray } from "../array/open.ts"
import type { Field } from "../fragment/field.ts"
import { selectOnes } from "../kernel/select_cells.ts"
import type { Batch } from "./batches.ts"
import { firstCells, type Limited, limited } from "./limit.ts"
import { permute } from "./permute.ts"
import { denseRequest } from "./dense_request.ts"
import type { ReadError } from "./read_error.ts"
import type { StreamOptions } from "./read_options.ts"
import type { SparseResult } from "./read_sparse.ts"
import { type DenseBatch, streamRequest } from "./stream_dense.ts"

/** The cells of a batch that are wanted, in these fields; what the condition looks at may be others. */
const wantedOf = (
  fields: ReadonlyArray<Field>,
  { columns: all, shape, keep, last }: Batch<DenseBatch>,
): Batch<SparseResult> => {
  const cells = shape.reduce((n, length) => n * length, 1)
  const columns = Object.fromEntries(fields.map(({ name }) => [name, all[name]]))
  if (keep === undefined) return { columns, length: cells, last }
  const numbers = new Uint32Array(cells)
  const chosen = numbers.subarray(0, selectOnes(keep, numbers))
  const kept = Object.entries(columns).map(([name, column]) => [name, permute(column, chosen)])
  return { columns: Object.fromEntries(kept), length: chosen.length, last }
}

/** Reads the cells of a dense array that are wanted, in batches, row-major. */
export const streamDenseCells = (
  array: OpenedArray,
  { limit, ...options }: StreamOptions = {},
): Stream.Stream<Limited<SparseResult>, ReadError, Storage | Codecs> =>
  Stream.unwrap(Effect.map(
    denseRequest(array, { ...options, order: "row" }),
    (request) =>
      limited(
        streamRequest(array, { ...request, masked: true }, { ...options, limit }).pipe(
          Stream.map((batch) => wantedOf(request.fields, batch)),
          Stream.filter(({ length }) => length > 0),
        ),
        limit,
        ({ length }) => length,
        ({ columns }, length) => ({ columns: firstCells(columns, length), length }),
      ),
  ))

/**
 * Reads single cells of dense arrays: written cells that satisfy a condition, with their coordinates.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Field } from "../../fragment/field.ts"
import { selectOnes } from "../../kernel/match/select_cells.ts"
import type { Batch } from "../batch/partition_stream.ts"
import { firstCells, limitBatches, type Limited } from "../batch/row_limit.ts"
import { permute } from "../column/permute.ts"
import { denseRequest } from "./dense_request.ts"
import type { ReadError } from "../options/read_error.ts"
import type { StreamOptions } from "../options/read_options.ts"
import type { SparseColumns } from "../sparse/read.ts"
import { type DenseColumnsBatch, streamDenseRequest } from "../dense/stream.ts"

/** Returns the matching cells of a batch in the selected fields. */
const matchesOf = (
  fields: ReadonlyArray<Field>,
  { columns: all, shape, mask: mask, last }: Batch<DenseColumnsBatch>,
): Batch<SparseColumns> => {
  const cells = shape.reduce((n, length) => n * length, 1)
  const columns = Object.fromEntries(fields.map(({ name }) => [name, all[name]]))
  if (mask === undefined) return { columns, length: cells, last }
  const numbers = new Uint32Array(cells)
  const chosen = numbers.subarray(0, selectOnes(mask, numbers))
  const kept = Object.entries(columns).map(([name, column]) => [name, permute(column, chosen)])
  return { columns: Object.fromEntries(kept), length: chosen.length, last }
}

/** Reads the matching cells of a dense array in batches, row-major. */
export const streamDenseCells = (
  array: OpenedArray,
  { limit, ...options }: StreamOptions = {},
): Stream.Stream<Limited<SparseColumns>, ReadError, Storage | Codecs> =>
  Stream.unwrap(Effect.map(
    denseRequest(array, { ...options, order: "row" }),
    (request) =>
      limitBatches(
        streamDenseRequest(array, { ...request, masked: true }, { ...options, limit }).pipe(
          Stream.map((batch) => matchesOf(request.fields, batch)),
          Stream.filter(({ length }) => length > 0),
        ),
        limit,
        ({ length }) => length,
        ({ columns }, length) => ({ columns: firstCells(columns, length), length }),
      ),
  ))

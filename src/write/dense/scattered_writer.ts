/**
 * Writes dense cells that are given with their coordinates, in any order. Cells are buffered until the memory is used
 * up, and then combined to boxes.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { services } from "../../../platform/observability/spans.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { runSteps } from "../../../platform/host/event_loop_turns.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { WriteError } from "../../array/open/errors.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { fieldsOf } from "../../fragment/field.ts"
import {
  type CellSteps,
  type CellWriter,
  checkTogether,
  type CommitGuard,
  makeCellWriter,
} from "../fragment/cell_writer.ts"
import { checkColumnsSteps } from "../input/check_columns.ts"
import { type Checkpoints, keptFragments, NO_CHECKPOINT, withoutFirst } from "../fragment/checkpoints.ts"
import { appendAll, PendingColumn } from "../input/column_buffer.ts"
import { findBoxesSteps } from "./cover_with_boxes.ts"
import type { FragmentTarget } from "../fragment/fragment_writer.ts"
import { type Moments, momentsOf } from "../fragment/timestamps.ts"
import { repeatedInBoxes, sharedCell } from "../order/repeated_cells.ts"
import type { Box } from "../input/box.ts"
import { checkTileSize } from "./dense_tiler.ts"
import { guardTies } from "../fragment/ties.ts"
import { targetOf } from "../fragment/fragment_target.ts"
import { gatherTileSteps, tileBytes, type WriteColumn } from "../input/write_column.ts"
import { denseFragment } from "./dense_fragment.ts"
import type { DenseWriteRequest } from "./write_dense.ts"
import { attemptWrite, attemptWriteSteps, countedFrom, type WriteFailure } from "../result/write_result.ts"

/** Options of a dense write of cells with coordinates. */
export interface PlacedRequest extends Omit<DenseWriteRequest, "order"> {
  /** Maximum size of buffered cells, in bytes. */
  readonly memory: number
  /** State of an earlier attempt, and callbacks for progress. */
  readonly checkpoints?: Checkpoints
}

/** Maximum size of a buffered column, in bytes. */
const MAX_MEMORY = 0xffffffff

/** Validated cells: dimensions, then attributes. */
interface CheckedCells {
  readonly inputCells: number
  readonly columns: ReadonlyArray<WriteColumn>
}

const placedSteps = (
  { uri, schema }: OpenedArray,
  target: FragmentTarget,
  request: PlacedRequest,
  moments: Moments,
): Effect.Effect<CellSteps<CheckedCells>, never, Storage | Scope.Scope> =>
  Effect.map(services<Storage | Scope.Scope>(), (context) => {
    const { dimensions, attributes } = fieldsOf(schema)
    // the input includes columns of dimensions, as in sparse arrays
    const input: ArraySchema = { ...schema, arrayType: "sparse" }
    const memory = Math.min(request.memory, MAX_MEMORY)
    const { checkpoints } = request
    const finished = keptFragments(target, checkpoints)
    const buffers = [...dimensions, ...attributes].map((field) => new PendingColumn(field))
    let { inputCells: flushed, bytes } = checkpoints?.start ?? NO_CHECKPOINT
    /** boxes written at an explicit time, where no fragment is newer than another */
    const written: Array<Box> = []

    const flush = Effect.suspend(() => {
      const cells = buffers[0].cells
      if (cells === 0) return Effect.void
      const columns = buffers.map((buffer) => buffer.column)
      const own = columns.slice(0, dimensions.length)
      return Effect.gen(function* () {
        const boxes = yield* attemptWriteSteps(uri, () => findBoxesSteps(schema, own, cells))
        if (request.time !== undefined) {
          for (const { box, cells } of boxes) {
            const shared = sharedCell(written, box)
            if (shared !== undefined) return yield* Effect.fail(repeatedInBoxes(uri, own, cells[shared]))
          }
          for (const { box } of boxes) written.push(box)
        }
        // boxes of one flush do not overlap
        const time = yield* moments.next
        for (const { box, cells } of boxes) {
          yield* checkTogether(uri, target.version, finished)
          const writeColumns = yield* runSteps(function* () {
            const out: Array<WriteColumn> = []
            for (const column of columns.slice(dimensions.length)) {
              out.push({ field: column.field, ...yield* gatherTileSteps(column, cells, 0, cells.length) })
            }
            return out
          })
          let size = 0
          finished.push(
            yield* denseFragment(target, box, writeColumns, { time, order: "row" }, (_, item) => {
              size = item
            }).pipe(
              Effect.mapError((error) =>
                error instanceof WriteError && error.cell !== undefined
                  ? new WriteError({ ...error, cell: cells[error.cell] })
                  : error
              ),
            ),
          )
          bytes += size
        }
        flushed += cells
        buffers.forEach((buffer) => buffer.clear())
        yield* checkpoints?.save({ inputCells: flushed, cells: flushed, bytes, fragments: finished }) ?? Effect.void
      }).pipe(Effect.mapError(countedFrom(flushed)), Effect.provide(context))
    })

    return {
      check: function* (columns) {
        const checked = yield* checkColumnsSteps(input, columns, undefined, request.checks)
        return { inputCells: checked.cells, columns: [...checked.dimensions, ...checked.attributes] }
      },
      skip: function* ({ inputCells: input, columns }, count) {
        return { inputCells: input - count, columns: yield* withoutFirst(columns, count, input) }
      },
      append: ({ inputCells: input, columns }) =>
        Effect.gen(function* () {
          const waiting = buffers.reduce((sum, buffer) => sum + buffer.bytes, 0)
          const more = columns.reduce((sum, column) => sum + tileBytes(column), 0)
          if (waiting > 0 && waiting + more > memory) yield* flush
          yield* runSteps(() => appendAll(buffers, columns, 0, input))
        }),
      finish: Effect.zipRight(flush, moments.reached),
      finished,
      progress: () => ({ cells: flushed + buffers[0].cells, bytes }),
    }
  })

/**
 * Opens a writer of dense cells with coordinates: columns of all dimensions and attributes. Adjacent cells are combined
 * to boxes, and each box becomes a fragment; more than one fragment requires format 12 or later. If a cell is written
 * again after the first one was flushed, the later one replaces it; with an explicit time it is rejected.
 */
export const openPlacedWriter = <E = never>(
  array: OpenedArray,
  request: PlacedRequest,
  guard?: CommitGuard<E>,
): Effect.Effect<CellWriter<Readonly<Record<string, unknown>>, E>, WriteFailure, Storage | Codecs | Scope.Scope> =>
  Effect.gen(function* () {
    const target = yield* targetOf(array)
    yield* attemptWrite(array.uri, () => checkTileSize(array.schema))
    const moments = yield* momentsOf(array, request.time, request.checkpoints?.start.fragments)
    const steps = yield* placedSteps(array, target, request, moments)
    const ties = yield* guardTies(array, request)
    const both: CommitGuard<E> | undefined = ties === undefined || guard === undefined
      ? ties ?? guard
      : (fragments, commit) => ties(fragments, Effect.void).pipe(Effect.zipRight(guard(fragments, commit)))
    return yield* makeCellWriter(array.uri, steps, request.onProgress, request.checkpoints, both)
  })

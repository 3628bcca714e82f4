/**
 * Dense cells that come with their coordinates, in any order: they wait until the memory is used up, and become boxes then.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import { runSteps } from "../../platform/turns.ts"
import type { ArraySchema } from "../../schema/array_schema.ts"
import { WriteError } from "../array/errors.ts"
import type { OpenedArray } from "../array/open.ts"
import { fieldsOf } from "../fragment/field.ts"
import { type CellSteps, type CellWriter, checkTogether, makeCellWriter } from "./cell_writer.ts"
import { checkColumnsSteps } from "./check_columns.ts"
import { appendAll, ColumnBuffer } from "./column_buffer.ts"
import { findBoxesSteps } from "./find_boxes.ts"
import type { FinishedFragment, FragmentTarget } from "./fragment_writer.ts"
import { checkTileSize } from "./split_dense.ts"
import { targetOf } from "./target.ts"
import { columnBytes, gatherTileSteps, type WriteColumn } from "./write_column.ts"
import { denseFragment } from "./dense_fragment.ts"
import type { DenseRequest } from "./write_dense.ts"
import { momentOf } from "./write_options.ts"
import { attemptWrite, attemptWriteSteps, countedFrom, type WriteFailure } from "./written.ts"

/** How cells are written where they say that they lie. */
export interface PlacedRequest extends Omit<DenseRequest, "order"> {
  /** Bytes of cells that may wait. */
  readonly memory: number
}

/** No column of waiting cells has more bytes. */
const MOST = 0xffffffff

/** Cells that were checked: dimensions, then attributes. */
interface CheckedCells {
  readonly given: number
  readonly columns: ReadonlyArray<WriteColumn>
}

const placedSteps = (
  { uri, schema }: OpenedArray,
  target: FragmentTarget,
  request: PlacedRequest,
): Effect.Effect<CellSteps<CheckedCells>, never, Storage | Scope.Scope> =>
  Effect.map(Effect.context<Storage | Scope.Scope>(), (context) => {
    const { dimensions, attributes } = fieldsOf(schema)
    // what is given has dimensions too, as of sparse cells
    const given: ArraySchema = { ...schema, arrayType: "sparse" }
    const memory = Math.min(request.memory, MOST)
    const finished: Array<FinishedFragment> = []
    const buffers = [...dimensions, ...attributes].map((field) => new ColumnBuffer(field))
    let flushed = 0
    let bytes = 0

    const flush = Effect.suspend(() => {
      const cells = buffers[0].cells
      if (cells === 0) return Effect.void
      const columns = buffers.map((buffer) => buffer.column)
      const own = columns.slice(0, dimensions.length)
      return Effect.gen(function* () {
        const boxes = yield* attemptWriteSteps(uri, () => findBoxesSteps(schema, own, cells))
        for (const { box, cells } of boxes) {
          yield* checkTogether(uri, target.version, finished)
          const its = yield* runSteps(function* () {
            const out: Array<WriteColumn> = []
            for (const column of columns.slice(dimensions.length)) {
              out.push({ field: column.field, ...yield* gatherTileSteps(column, cells, 0, cells.length) })
            }
            return out
          })
          let size = 0
          finished.push(
            yield* denseFragment(target, box, its, { time: request.time, order: "row" }, (_, its) => {
              size = its
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
      }).pipe(Effect.mapError(countedFrom(flushed)), Effect.provide(context))
    })

    return {
      check: function* (columns) {
        const checked = yield* checkColumnsSteps(given, columns, undefined, request.checks)
        return { given: checked.cells, columns: [...checked.dimensions, ...checked.attributes] }
      },
      append: ({ given, columns }) =>
        Effect.gen(function* () {
          const waiting = buffers.reduce((sum, buffer) => sum + buffer.bytes, 0)
          const more = columns.reduce((sum, column) => sum + columnBytes(column), 0)
          if (waiting > 0 && waiting + more > memory) yield* flush
          yield* runSteps(() => appendAll(buffers, columns, 0, given))
        }),
      finish: flush,
      finished,
      progress: () => ({ cells: flushed + buffers[0].cells, bytes }),
    }
  })

/**
 * Opens a writer of dense cells with their coordinates: columns of all dimensions and attributes. Cells that lie together
 * become boxes, each a fragment; more than one needs an array of format 12 or later.
 */
export const openPlacedWriter = (
  array: OpenedArray,
  request: PlacedRequest,
): Effect.Effect<CellWriter<Readonly<Record<string, unknown>>>, WriteFailure, Storage | Codecs | Scope.Scope> =>
  Effect.gen(function* () {
    const target = yield* targetOf(array)
    yield* attemptWrite(array.uri, () => checkTileSize(array.schema))
    const time = yield* momentOf(request.time)
    const steps = yield* placedSteps(array, target, { ...request, time })
    return yield* makeCellWriter(array.uri, steps, request.onProgress)
  })

/**
 * Writes sparse cells in batches. Unordered cells are buffered until the memory is used up, and then become a fragment.
 * Cells in global order are streamed into one fragment.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { services } from "../../../platform/observability/spans.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { runSteps } from "../../../platform/host/event_loop_turns.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import type { Steps } from "../../kernel/steps.ts"
import { type CellSteps, type CellWriter, checkTogether, makeCellWriter } from "../fragment/cell_writer.ts"
import { checkColumnsSteps } from "../input/check_columns.ts"
import { type Checkpoints, keptFragments, NO_CHECKPOINT, withoutFirst } from "../fragment/checkpoints.ts"
import { appendAll, PendingColumn } from "../input/column_buffer.ts"
import {
  type FragmentTarget,
  type FragmentWriter,
  openFragment,
  type WriteTilesError,
} from "../fragment/fragment_writer.ts"
import { type Moments, momentsOf, sharedMoment } from "../fragment/timestamps.ts"
import { refuseRepeated } from "../order/repeated_cells.ts"
import { type CheckedPart, type Duplicates, globalOrder, sortSparseSteps } from "../order/global_order_sort.ts"
import { guardTies } from "../fragment/ties.ts"
import { targetOf } from "../fragment/fragment_target.ts"
import { gatherTileSteps, tileBytes, type WriteColumn } from "../input/write_column.ts"
import {
  lastTileCells,
  type SparseWriteRequest,
  writeAttributes,
  writeDimensions,
  writeFields,
} from "./write_sparse.ts"
import { attemptWriteSteps, countedFrom, type WriteFailure } from "../result/write_result.ts"
import { MAX_VALUE_BYTES } from "../../tile/var_cells.ts"

/** Options of a sparse write in batches. */
export interface SparseWriterRequest extends SparseWriteRequest {
  /** Maximum size of buffered unordered cells, in bytes. */
  readonly memory: number
  /** Size at which a new fragment starts, in bytes. */
  readonly maxFragmentSize: number
  /** True if the caller guarantees that no cell occurs twice, so that no check is needed. */
  readonly distinct?: boolean
  /** State of an earlier attempt, and callbacks for progress. */
  readonly checkpoints?: Checkpoints
}

/** Validated cells: dimensions, then attributes. */
interface CheckedCells {
  readonly inputCells: number
  /** Number of cells to write. */
  readonly cells: number
  readonly columns: ReadonlyArray<WriteColumn>
}

/** Validated cells in global order. */
interface OrderedCells extends CheckedCells, Pick<CheckedPart, "accept"> {}

/** State that both writers share. */
interface Writing {
  readonly array: OpenedArray
  readonly target: FragmentTarget
  readonly request: SparseWriterRequest
  readonly duplicates: Duplicates
  readonly fields: ReadonlyArray<Field>
  readonly dimensions: number
  readonly moments: Moments
}

/** Removes the first cells of a batch. The batch has no duplicates. */
function* skipCells<Checked extends CheckedCells>(checked: Checked, first: number): Steps<Checked> {
  const { inputCells: input, cells, columns } = checked
  return {
    ...checked,
    inputCells: input - first,
    cells: cells - first,
    columns: yield* withoutFirst(columns, first, cells),
  }
}

/**
 * Returns the steps for unordered cells: each time the buffer is full, sorts the cells and writes them into a new
 * fragment.
 */
const unorderedSteps = (writing: Writing): Effect.Effect<CellSteps<CheckedCells>, never, Storage | Scope.Scope> =>
  Effect.map(services<Storage | Scope.Scope>(), (context) => {
    const { array: { uri, schema }, target, request, duplicates, fields, dimensions, moments } = writing
    const { checkpoints } = request
    const finished = keptFragments(target, checkpoints)
    const buffers = fields.map((field) => new PendingColumn(field))
    let { cells, bytes, inputCells: flushed } = checkpoints?.start ?? NO_CHECKPOINT
    // fragments with the same explicit time must not contain the same cell
    const refuse = request.time === undefined || duplicates === "allow" || request.distinct === true
      ? undefined
      : refuseRepeated(uri, request.memory)

    const flush = (
      columns: ReadonlyArray<WriteColumn>,
      count: number,
      isLast: boolean,
    ): Effect.Effect<void, WriteFailure> =>
      Effect.provide(
        Effect.gen(function* () {
          yield* checkTogether(uri, target.version, finished)
          const own = columns.slice(0, dimensions)
          const sorted = yield* attemptWriteSteps(
            uri,
            () => sortSparseSteps(schema, own, count, duplicates, target.version),
          )
          // no comparison is needed if there is only one fragment
          if (refuse !== undefined && !(isLast && finished.length === 0)) yield* refuse(own, sorted)
          const writer = yield* openFragment(target, { time: yield* moments.next })
          yield* writeFields(writer, own, columns.slice(dimensions), sorted, schema.capacity)
          finished.push(yield* writer.finish({ lastTileCells: lastTileCells(sorted.cells, schema.capacity) }))
          flushed += count
          cells += sorted.cells
          bytes += writer.bytes()
          yield* checkpoints?.save({ inputCells: flushed, cells, bytes, fragments: finished }) ?? Effect.void
        }),
        context,
      ).pipe(Effect.mapError(countedFrom(flushed)))
    const limit = Math.min(request.memory, request.maxFragmentSize)
    const waiting = (): number => buffers.reduce((sum, buffer) => sum + buffer.bytes, 0)
    const flushWaiting = (isLast: boolean) =>
      Effect.suspend(() =>
        buffers[0].cells === 0 ? Effect.void : Effect.map(
          flush(buffers.map((buffer) => buffer.column), buffers[0].cells, isLast),
          () => buffers.forEach((buffer) => buffer.clear()),
        )
      )
    return {
      check: function* (input) {
        const { cells, dimensions, attributes } = yield* checkColumnsSteps(schema, input, undefined, request.checks)
        return { inputCells: cells, cells, columns: [...dimensions, ...attributes] }
      },
      skip: skipCells,
      append: (checked) =>
        Effect.gen(function* () {
          // a column without cells is not empty: it has one offset
          if (checked.cells === 0) return
          const more = checked.columns.map(tileBytes)
          const size = more.reduce((sum, n) => sum + n, 0)
          const full = waiting() + size > limit || buffers.some((b, i) => b.bytes + more[i] > MAX_VALUE_BYTES)
          if (full) yield* flushWaiting(false)
          // write a batch directly if it alone fills the memory
          if (size > limit) return yield* flush(checked.columns, checked.cells, false)
          yield* runSteps(() => appendAll(buffers, checked.columns, 0, checked.cells))
        }),
      finish: Effect.zipRight(flushWaiting(true), moments.reached),
      finished,
      progress: () => ({ cells: cells + buffers[0].cells, bytes }),
    }
  })

/** Returns the steps for cells in global order: writes full tiles immediately and buffers the remaining cells. */
const globalSteps = (writing: Writing): Effect.Effect<CellSteps<OrderedCells>, never, Storage | Scope.Scope> =>
  Effect.map(services<Storage | Scope.Scope>(), (context) => {
    const { array: { uri, schema }, target, request, duplicates, fields, dimensions, moments } = writing
    const { capacity } = schema
    const order = globalOrder(schema, duplicates, target.version)
    const { checkpoints } = request
    const finished = keptFragments(target, checkpoints)
    const buffers = fields.map((field) => new PendingColumn(field))
    let writer: FragmentWriter | undefined
    let { cells, bytes } = checkpoints?.start ?? NO_CHECKPOINT

    const writeTiles = (columns: ReadonlyArray<WriteColumn>, count: number): Effect.Effect<void, WriteFailure> =>
      Effect.gen(function* () {
        if (count === 0) return
        if (writer === undefined) {
          yield* checkTogether(uri, target.version, finished)
          writer = yield* Effect.provide(openFragment(target, { time: yield* moments.next }), context)
        }
        const sorted = { cells: count, permutation: undefined }
        yield* writeDimensions(writer, columns.slice(0, dimensions), sorted, capacity)
        yield* writeAttributes(writer, columns.slice(dimensions), sorted, capacity)
        cells += count
      }).pipe(Effect.mapError(countedFrom(cells)))
    const finishFragment = (last: number): Effect.Effect<void, WriteTilesError> =>
      Effect.gen(function* () {
        if (writer === undefined) return
        finished.push(yield* writer.finish({ lastTileCells: last }))
        bytes += writer.bytes()
        writer = undefined
        // the number of written cells is a position to resume at only if no duplicates were dropped
        if (duplicates === "first") return
        yield* checkpoints?.save({ inputCells: cells, cells, bytes, fragments: finished }) ?? Effect.void
      }).pipe(Effect.provide(context))
    const flushWaiting = (): Effect.Effect<void, WriteFailure> =>
      Effect.map(
        writeTiles(buffers.map((buffer) => buffer.column), buffers[0].cells),
        () => buffers.forEach((buffer) => buffer.clear()),
      )
    const part = function* (
      columns: ReadonlyArray<WriteColumn>,
      order: Uint32Array | undefined,
      from: number,
      to: number,
    ): Steps<ReadonlyArray<WriteColumn>> {
      const out: Array<WriteColumn> = []
      for (const column of columns) {
        out.push({ field: column.field, ...yield* gatherTileSteps(column, order, from, to) })
      }
      return out
    }

    return {
      check: function* (input) {
        const { dimensions, attributes, cells } = yield* checkColumnsSteps(schema, input, undefined, request.checks)
        const { permutation, cells: remaining, accept } = yield* order.check(dimensions, cells)
        const columns = [...dimensions, ...attributes]
        if (permutation === undefined) return { inputCells: cells, cells: remaining, columns, accept }
        return {
          inputCells: cells,
          cells: remaining,
          columns: yield* part(columns, permutation, 0, permutation.length),
          accept,
        }
      },
      skip: skipCells,
      append: ({ cells: count, columns, accept }) =>
        Effect.gen(function* () {
          accept()
          const buffered = buffers[0].cells
          // complete the buffered tile with the first cells
          const first = buffered === 0 ? 0 : Math.min(count, capacity - buffered)
          yield* runSteps(() => appendAll(buffers, columns, 0, first))
          if (buffers[0].cells === capacity) yield* flushWaiting()
          const last = count - (count - first) % capacity
          yield* writeTiles(yield* runSteps(() => part(columns, undefined, first, last)), last - first)
          yield* runSteps(() => appendAll(buffers, columns, last, count))
          if (writer !== undefined && writer.bytes() >= request.maxFragmentSize) yield* finishFragment(capacity)
        }),
      finish: Effect.suspend(() => {
        const waits = buffers[0].cells
        return flushWaiting().pipe(
          Effect.zipRight(Effect.suspend(() => finishFragment(waits === 0 ? capacity : waits))),
          Effect.zipRight(moments.reached),
        )
      }),
      finished,
      progress: () => ({ cells: cells + buffers[0].cells, bytes: bytes + (writer?.bytes() ?? 0) }),
    }
  })

/**
 * Opens a writer of sparse cells. Fragments share one write time if they cannot contain the same cell: fragments of
 * cells in global order, and all fragments of an array that allows duplicates.
 */
export const openSparseWriter = (
  array: OpenedArray,
  request: SparseWriterRequest,
): Effect.Effect<CellWriter<Readonly<Record<string, unknown>>>, WriteFailure, Storage | Codecs | Scope.Scope> =>
  Effect.gen(function* () {
    const target = yield* targetOf(array)
    const { dimensions, attributes } = fieldsOf(array.schema)
    const sharesMoment = request.order === "global" || array.schema.allowsDuplicates
    const writing: Writing = {
      array,
      target,
      request,
      duplicates: array.schema.allowsDuplicates ? "allow" : request.duplicates,
      fields: [...dimensions, ...attributes],
      dimensions: dimensions.length,
      moments: yield* sharesMoment
        ? sharedMoment(array, request.time)
        : momentsOf(array, request.time, request.checkpoints?.start.fragments),
    }
    const { onProgress, checkpoints } = request
    const guard = yield* guardTies(array, request)
    return request.order === "global"
      ? yield* makeCellWriter(array.uri, yield* globalSteps(writing), onProgress, checkpoints, guard)
      : yield* makeCellWriter(array.uri, yield* unorderedSteps(writing), onProgress, checkpoints, guard)
  })

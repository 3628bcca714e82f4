/**
 * Combines the cells of several sparse fragments, in global order and in bounded memory: writes each cell with its
 * write time and the time of its deletion. Format: `fragment.md`, `timestamped_name.md`.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { runSteps } from "../../../platform/host/event_loop_turns.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { DeleteOrder } from "./delete_order.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { coordinateWordsSteps, zeroWordsSteps } from "../../fragment/cell_order.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import { compareCells } from "../../kernel/sort/sort_cells.ts"
import { inParts, type Steps } from "../../kernel/steps.ts"
import type { Column } from "../../query/column/column.ts"
import { evaluate } from "../../query/condition/evaluate.ts"
import { parseSelection } from "../../query/selection/selection.ts"
import { loadConditions, type LoadedDelete, processedConditions } from "../../query/sparse/apply_deletes.ts"
import { cellTimesOf } from "../../query/sparse/match_tiles.ts"
import { streamVersions } from "../../query/sparse/merge_stream.ts"
import { streamSparseRequest } from "../../query/sparse/stream.ts"
import { accessOf } from "../../array/open/open.ts"
import type { ReadError } from "../../query/options/read_error.ts"
import { type FinishedFragment, type FragmentTarget, openFragment } from "../../write/fragment/fragment_writer.ts"
import type { FragmentWriter } from "../../write/fragment/fragment_writer.ts"
import { PendingColumn } from "../../write/input/column_buffer.ts"
import { gatherTileSteps, type WriteColumn } from "../../write/input/write_column.ts"
import type { WriteFailure } from "../../write/result/write_result.ts"
import { lastTileCells, writeAttributes, writeDimensions } from "../../write/sparse/write_sparse.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import { Since } from "../../../schema/version/version.ts"

/** Inputs and options of combining sparse fragments. */
export interface SparseConsolidation {
  /** The array with the fragments to combine, and all delete conditions. */
  readonly array: OpenedArray
  readonly target: FragmentTarget
  readonly time: NameTime
  /** Whether deleted cells are omitted. */
  readonly purge: boolean
  readonly maxFragmentSize: number
  readonly memory: number | undefined
  readonly onProgress: (cells: number) => void
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)

/** Returns a column as bytes, in the form that the writer expects. */
const writeColumnOf = (field: Field, { values, offsets, validity }: Column): WriteColumn => {
  const size = values.BYTES_PER_ELEMENT
  return {
    field,
    values: bytesOf(values),
    offsets: !field.var ? undefined : size === 1 ? offsets! : offsets!.map((offset) => offset * size),
    validity: field.nullable ? validity : undefined,
  }
}

/** Returns the cells of columns in an order. */
function* chosenCells(columns: ReadonlyArray<WriteColumn>, order: Uint32Array): Steps<ReadonlyArray<WriteColumn>> {
  const out: Array<WriteColumn> = []
  for (const column of columns) {
    out.push({ field: column.field, ...yield* gatherTileSteps(column, order, 0, order.length) })
  }
  return out
}

/**
 * Returns whether a deletion time means that the cell was deleted; cells that were not have a time later than all
 * others.
 */
const isDeleted = (time: number): boolean => time <= Number.MAX_SAFE_INTEGER

const NEVER_DELETED = 0xffffffffffffffffn

/** Returns for each cell the time of the first delete that removes it. */
const deleteTimesOf = (
  columns: Readonly<Record<string, Column>>,
  length: number,
  times: Float64Array,
  earlier: Column | undefined,
  deletes: ReadonlyArray<LoadedDelete>,
): Float64Array => {
  const out = earlier === undefined ? new Float64Array(length).fill(Infinity) : cellTimesOf(bytesOf(earlier.values))
  const byName = new Map(Object.entries(columns))
  for (const { entry, condition } of deletes) {
    const remains = evaluate(condition, byName, length)
    for (let i = 0; i < length; i++) {
      if (remains[i] === 0 && times[i] <= entry.time && entry.time < out[i]) out[i] = entry.time
    }
  }
  return out
}

/** Returns the cells that remain without the deleted cells and all older versions of these cells. */
function* remainingCells(
  coordinates: ReadonlyArray<Column>,
  deleted: Float64Array,
  allowsDuplicates: boolean,
): Steps<Uint32Array> {
  const words = [...yield* coordinateWordsSteps(coordinates), ...yield* zeroWordsSteps(coordinates)]
  const out = new Uint32Array(deleted.length)
  let count = 0
  let isPurged = false
  yield* inParts(deleted.length, (from, to) => {
    for (let i = from; i < to; i++) {
      // versions of a cell are adjacent, newest first
      const isNext = i === 0 || allowsDuplicates || compareCells(words, i - 1, i) !== 0
      isPurged = isDeleted(deleted[i]) || (isPurged && !isNext)
      if (!isPurged) out[count++] = i
    }
  })
  return out.subarray(0, count)
}

/** Creates a writer of cells in global order, which writes tiles into one or several fragments. */
const makeTileWriter = (
  { target, maxFragmentSize }: SparseConsolidation,
  open: Effect.Effect<FragmentWriter, never, Storage | Scope.Scope>,
  fields: ReadonlyArray<Field>,
) => {
  const { capacity, dimensions } = target.schema
  const finished: Array<FinishedFragment> = []
  const buffers = fields.map((field) => new PendingColumn(field))
  let writer: FragmentWriter | undefined
  let last = 0
  const writeTiles = (columns: ReadonlyArray<WriteColumn>, cells: number) =>
    Effect.gen(function* () {
      if (cells === 0) return
      writer ??= yield* open
      const sorted = { cells, permutation: undefined }
      yield* writeDimensions(writer, columns.slice(0, dimensions.length), sorted, capacity)
      yield* writeAttributes(writer, columns.slice(dimensions.length), sorted, capacity)
      last = lastTileCells(cells, capacity)
    })
  const finish = Effect.gen(function* () {
    if (writer === undefined) return
    finished.push(yield* writer.finish({ lastTileCells: last }))
    writer = undefined
  })
  const append = function* (columns: ReadonlyArray<WriteColumn>, from: number, to: number): Steps<void> {
    for (const [i, buffer] of buffers.entries()) yield* buffer.append(columns[i], from, to)
  }
  const part = function* (columns: ReadonlyArray<WriteColumn>, from: number, to: number) {
    const out: Array<WriteColumn> = []
    for (const column of columns) {
      out.push({ field: column.field, ...yield* gatherTileSteps(column, undefined, from, to) })
    }
    return out
  }
  const flush = Effect.gen(function* () {
    yield* writeTiles(buffers.map((buffer) => buffer.column), buffers[0].cells)
    buffers.forEach((buffer) => buffer.clear())
  })
  const write = (columns: ReadonlyArray<WriteColumn>, cells: number) =>
    Effect.gen(function* () {
      const waiting = buffers[0].cells
      // complete the buffered tile with the first cells
      const first = waiting === 0 ? 0 : Math.min(cells, capacity - waiting)
      yield* runSteps(() => append(columns, 0, first))
      if (buffers[0].cells === capacity) yield* flush
      const end = cells - (cells - first) % capacity
      yield* writeTiles(yield* runSteps(() => part(columns, first, end)), end - first)
      yield* runSteps(() => append(columns, end, cells))
      if (writer !== undefined && writer.bytes() >= maxFragmentSize) yield* finish
    })
  return { write, finish: Effect.zipRight(flush, finish), finished }
}

/** Writes the combined fragments, which are invisible until their commit. Writes no fragment if no cell remains. */
export const consolidateSparse = (
  consolidation: SparseConsolidation,
): Effect.Effect<
  ReadonlyArray<FinishedFragment>,
  ReadError | WriteFailure,
  Storage | Codecs | Scope.Scope
> =>
  Effect.gen(function* () {
    const { array, target, time, purge, memory, onProgress } = consolidation
    const { schema, uri } = array
    const { dimensions, attributes, timestamps, deleteTimes, deleteConditions } = fieldsOf(schema)
    const keepsTimes = target.version >= Since.timestampOverlap
    const access = yield* accessOf(array)
    const hadDeletes = array.fragments.some((fragment) => fragment.hasDeleteMetadata)
    const deletes = (yield* loadConditions(access, array)).filter(({ entry }) => entry.time >= time[0])
    const processed = yield* Effect.forEach(array.fragments, (fragment) => processedConditions(access, fragment))
    const order = new DeleteOrder([...processed.flatMap((names) => [...names]), ...deletes.map((d) => d.entry.name)])
    const hasDeletes = !purge && keepsTimes && (hadDeletes || deletes.length > 0)
    const open = openFragment(target, {
      time,
      hasTimestamps: keepsTimes,
      hasDeleteMetadata: hasDeletes,
      processedConditions: order.names,
    })
    const written = [
      ...dimensions,
      ...attributes,
      ...(keepsTimes ? [timestamps] : []),
      ...(hasDeletes ? [deleteTimes, deleteConditions] : []),
    ]
    const tiles = makeTileWriter(consolidation, open, written)
    const fields = [
      ...dimensions,
      ...attributes,
      ...(keepsTimes ? [timestamps] : []),
      ...(keepsTimes && hadDeletes ? [deleteTimes] : []),
    ]
    // delete conditions become times of deletion; formats before 15 have no deletes, and the newest version remains
    const source = { ...array, key: array.key, deletes: [] }
    const options = memory === undefined ? {} : { memory }
    const newest = {
      order: "global",
      fields,
      selection: parseSelection(uri, schema, {}, "error"),
      where: undefined,
    } as const
    const batches = keepsTimes ? streamVersions(source, fields, options) : streamSparseRequest(source, newest, options)
    let cells = 0
    // the next batch is read while one is written
    yield* Stream.runForEach(Stream.buffer(batches, { capacity: 1 }), ({ columns, length }) =>
      Effect.gen(function* () {
        const all = [...dimensions, ...attributes].map((field) => writeColumnOf(field, columns[field.name]))
        if (keepsTimes) {
          const own = columns[timestamps.name]
          all.push(writeColumnOf(timestamps, own))
          const times = cellTimesOf(bytesOf(own.values))
          const deleted = deleteTimesOf(columns, length, times, columns[deleteTimes.name], deletes)
          if (hasDeletes) {
            const at = new BigUint64Array(length).fill(NEVER_DELETED)
            const by = new BigUint64Array(length).fill(NEVER_DELETED)
            for (let i = 0; i < length; i++) {
              if (!isDeleted(deleted[i])) continue
              at[i] = BigInt(deleted[i])
              by[i] = BigInt(order.indexAt(deleted[i]))
            }
            all.push({ field: deleteTimes, values: bytesOf(at), offsets: undefined, validity: undefined })
            all.push({ field: deleteConditions, values: bytesOf(by), offsets: undefined, validity: undefined })
          }
          if (purge && deleted.some(isDeleted)) {
            const coordinates = dimensions.map((field) => columns[field.name])
            const remaining = yield* runSteps(() => remainingCells(coordinates, deleted, schema.allowsDuplicates))
            const chosen = yield* runSteps(() => chosenCells(all, remaining))
            yield* tiles.write(chosen, remaining.length)
            onProgress(cells += remaining.length)
            return
          }
        }
        yield* tiles.write(all, length)
        onProgress(cells += length)
      }))
    yield* tiles.finish
    return tiles.finished
  })

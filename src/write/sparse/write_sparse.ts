/**
 * Writes sparse cells into one fragment: sorts them into the global order and divides them into tiles of the array's
 * capacity.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { viewAs } from "../../../schema/array/datatype.ts"
import { WriteError } from "../../array/open/errors.ts"
import { STEP, type Steps } from "../../kernel/steps.ts"
import { checkColumnsSteps, type CheckOptions } from "../input/check_columns.ts"
import { commitFragments } from "../fragment/commit.ts"
import { type FragmentWriter, openFragment, type WriteTilesError } from "../fragment/fragment_writer.ts"
import type { WriteTile, WriteTiles } from "../fragment/filter_tiles.ts"
import { type Duplicates, globalOrder, sortSparseSteps, type WriteOrder } from "../order/global_order_sort.ts"
import { targetOf } from "../fragment/fragment_target.ts"
import { tileStatisticsSteps } from "../fragment/tile_statistics.ts"
import { gatherTileSteps, type WriteColumn } from "../input/write_column.ts"
import { beforeCommit, momentOf } from "../fragment/timestamps.ts"
import { checkTies } from "../fragment/ties.ts"
import { commitLabels, labelFragments, labelUris, splitLabels } from "../dense/write_labels.ts"
import { attemptWriteSteps, type WriteFailure, type WriteProgress, type WriteResult } from "../result/write_result.ts"

/** Options of a sparse write. */
export interface SparseWriteRequest {
  readonly time: NameTime | undefined
  readonly order: "unordered" | "global"
  readonly duplicates: "refuse" | "first"
  readonly onProgress: ((progress: WriteProgress) => void) | undefined
  /** Rules that validate columns. */
  readonly checks?: CheckOptions
}

/** Returns tile number `tile` of a column, with its statistics. */
function* tileOf(column: WriteColumn, sorted: WriteOrder, capacity: number, tile: number): Steps<WriteTile> {
  const from = tile * capacity
  const { permutation } = sorted
  const cells = yield* gatherTileSteps(column, permutation, from, Math.min(sorted.cells, from + capacity))
  return {
    tile: cells,
    statistics: yield* tileStatisticsSteps(column.field, cells),
    cellOf: (cell) => permutation === undefined ? from + cell : permutation[from + cell],
  }
}

/** Returns the tiles of a column of sorted cells. */
const tilesOf = (column: WriteColumn, sorted: WriteOrder, capacity: number): WriteTiles => {
  const count = Math.ceil(sorted.cells / capacity)
  const bytes = (column.values.length + (column.offsets?.byteLength ?? 0)) / count
  return { count, bytes, tile: (i) => tileOf(column, sorted, capacity, i) }
}

/** Writes the coordinates of sorted cells. */
export const writeDimensions = (
  writer: FragmentWriter,
  dimensions: ReadonlyArray<WriteColumn>,
  sorted: WriteOrder,
  capacity: number,
): Effect.Effect<void, WriteTilesError> =>
  writer.writeCoordinates(dimensions.map((column) => tilesOf(column, sorted, capacity)))

/** Writes attributes of sorted cells. */
export const writeAttributes = (
  writer: FragmentWriter,
  attributes: ReadonlyArray<WriteColumn>,
  sorted: WriteOrder,
  capacity: number,
): Effect.Effect<void, WriteTilesError> =>
  Effect.forEach(attributes, (column) => writer.write(column.field, tilesOf(column, sorted, capacity)), {
    concurrency: writer.inFlight,
    discard: true,
  })

/** Writes all fields of a fragment in sequence, so that few files are open at once. */
export const writeFields = (
  writer: FragmentWriter,
  dimensions: ReadonlyArray<WriteColumn>,
  attributes: ReadonlyArray<WriteColumn>,
  sorted: WriteOrder,
  capacity: number,
  written: (fields: number) => void = () => {},
): Effect.Effect<void, WriteTilesError> =>
  Effect.gen(function* () {
    yield* writeDimensions(writer, dimensions, sorted, capacity)
    for (const { field } of dimensions) yield* writer.close(field)
    let fields = dimensions.length
    written(fields)
    const writeField = (column: WriteColumn): Effect.Effect<void, WriteTilesError> =>
      Effect.gen(function* () {
        yield* writeAttributes(writer, [column], sorted, capacity)
        yield* writer.close(column.field)
        written(++fields)
      })
    yield* Effect.forEach(attributes, writeField, { concurrency: writer.inFlight, discard: true })
  })

/** Returns the number of cells in the last tile; all other tiles are full. */
export const lastTileCells = (cells: number, capacity: number): number =>
  cells - (Math.ceil(cells / capacity) - 1) * capacity

/**
 * Returns the coordinates of cells that are written with labels. They must be consecutive, as engines require. Throws
 * {@link WriteError}.
 */
function* runOf(
  { field, values }: WriteColumn,
  label: string,
): Steps<{ readonly low: bigint; readonly high: bigint }> {
  const coordinates = viewAs(field.type, values)
  const low = BigInt(coordinates[0] ?? 0)
  for (let i = 1; i < coordinates.length; i++) {
    if (i % STEP === 0) yield
    if (BigInt(coordinates[i]) === low + BigInt(i)) continue
    const detail = `the coordinate of ${JSON.stringify(field.name)} does not follow the previous one; labels require ` +
      "coordinates without gaps, in ascending order"
    throw new WriteError({ field: label, cell: i, reason: "OutOfOrder", detail })
  }
  return { low, high: low + BigInt(Math.max(0, coordinates.length - 1)) }
}

/**
 * Writes sparse cells into a new fragment of the array, and labels of their coordinates into new fragments of the label
 * arrays.
 */
export const writeSparse = (
  array: OpenedArray,
  columns: Readonly<Record<string, unknown>>,
  { time, order, duplicates: request, onProgress, checks }: SparseWriteRequest,
): Effect.Effect<WriteResult, WriteFailure, Storage | Codecs> =>
  withTurns(Effect.scoped(Effect.gen(function* () {
    const { uri, schema } = array
    const target = yield* targetOf(array)
    const { version } = target
    const duplicates: Duplicates = schema.allowsDuplicates ? "allow" : request
    const { cells, dimensions, attributes, sorted, labels, ranges } = yield* attemptWriteSteps(uri, function* () {
      const { labels, fields } = splitLabels(schema, columns)
      const checked = yield* checkColumnsSteps(schema, fields, undefined, checks)
      const ranges = new Map<(typeof labels)[number]["label"], { readonly low: bigint; readonly high: bigint }>()
      for (const { label } of labels) {
        ranges.set(label, yield* runOf(checked.dimensions[label.dimension], label.name))
      }
      const sorted = yield* (order === "global"
        ? globalOrder(schema, duplicates, version).check(checked.dimensions, checked.cells)
        : sortSparseSteps(schema, checked.dimensions, checked.cells, duplicates, version))
      return { ...checked, cells: sorted.cells, sorted, labels, ranges }
    })
    if (cells === 0) return { fragments: [], cells, bytes: 0 }
    const moment = yield* momentOf(array, time, labelUris(array, labels))
    const named = yield* labelFragments(array, labels, (label) => ranges.get(label)!, moment)
    const writer = yield* openFragment(target, { time: moment })
    const fields = dimensions.length + attributes.length
    yield* writeFields(writer, dimensions, attributes, sorted, schema.capacity, (done) =>
      onProgress?.({ cells: Math.floor(cells * done / fields), bytes: writer.bytes() }))
    const finished = yield* writer.finish({ lastTileCells: lastTileCells(cells, schema.capacity) })
    yield* checkTies(array, time, [finished])
    yield* beforeCommit(time, moment)
    yield* commitLabels(named)
    yield* commitFragments([finished])
    return { fragments: [writer.name], cells, bytes: writer.bytes() }
  })))

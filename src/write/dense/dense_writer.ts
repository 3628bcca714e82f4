/**
 * Writes dense cells in batches: cells are buffered until they fill a row of tiles (or one tile, in global order).
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
import { axisOf, denseCells } from "../../fragment/dense_tiles.ts"
import { fieldsOf } from "../../fragment/field.ts"
import type { Steps } from "../../kernel/steps.ts"
import { type Box, boxOf, cellsOfBox, rangesOfBox } from "../input/box.ts"
import { type CellSteps, type CellWriter, makeCellWriter } from "../fragment/cell_writer.ts"
import { checkColumnsSteps } from "../input/check_columns.ts"
import { type Checkpoints, keptFragments, NO_CHECKPOINT, withoutFirst } from "../fragment/checkpoints.ts"
import { appendAll, PendingColumn } from "../input/column_buffer.ts"
import { type DenseOrder, denseTiles, tileParts } from "./dense_tiles.ts"
import {
  type CopiedTile,
  type FragmentTarget,
  type FragmentWriter,
  openFragment,
  type WriteTilesError,
} from "../fragment/fragment_writer.ts"
import { beforeCommit, momentOf } from "../fragment/timestamps.ts"
import { guardTies } from "../fragment/ties.ts"
import { targetOf } from "../fragment/fragment_target.ts"
import { gatherTileSteps, type WriteColumn } from "../input/write_column.ts"
import { writeDenseTiles } from "./dense_fragment.ts"
import type { DenseWriteRequest } from "./write_dense.ts"
import { attemptWrite, countedFrom, type WriteFailure } from "../result/write_result.ts"

/** Options of a dense write in batches. */
export interface DenseWriterRequest extends DenseWriteRequest {
  /** Size at which a new fragment starts, at the next row of tiles. */
  readonly maxFragmentSize: number
  /** State of an earlier attempt, and callbacks for progress. */
  readonly checkpoints?: Checkpoints
}

/**
 * A box divided into the parts that its cells complete one by one. Each part consists of whole tiles, in tile order.
 */
interface Parts {
  readonly count: number
  readonly part: (i: number) => Box
  /** Returns whether the parts before part `i` form a box. */
  readonly isRow: (i: number) => boolean
  /** Returns whether part `i` starts a new box, and therefore a new fragment. */
  readonly isFirst?: (i: number) => boolean
}

/** Returns the slowest dimension of the tile order. */
const slowest = ({ tileOrder, dimensions }: ArraySchema): number =>
  tileOrder === "col-major" ? dimensions.length - 1 : 0

/**
 * Returns the parts of a box. Throws {@link WriteError} for orders in which no part is complete before the last cell.
 */
const partsOf = (schema: ArraySchema, box: Box, order: DenseOrder): Parts => {
  if (order === "global") {
    const { count, part } = tileParts(schema, box)
    const s = slowest(schema)
    const isRow = (i: number): boolean => i === 0 || i >= count || part(i)[s].low !== part(i - 1)[s].low
    return { count, part, isRow }
  }
  // row-major cells complete one row of tiles after the other only if the tile order is row-major too
  if ((order === "row") !== (schema.tileOrder === "row-major") && schema.dimensions.length > 1) {
    const [input, other] = order === "row" ? ["rows", "columns"] : ["columns", "rows"]
    const detail = `cells in ${input} cannot be written in batches where tiles follow in ${other}; give them in the ` +
      `order "global" or "${order === "row" ? "col" : "row"}", or all at once`
    throw new WriteError({ field: "", reason: "Unsupported", detail })
  }
  const s = schema.dimensions.length === 1 ? 0 : slowest(schema)
  const whole = axisOf(schema.dimensions[s])
  const first = (box[s].low - whole.low) / whole.extent
  const count = Number((box[s].high - whole.low) / whole.extent - first) + 1
  const part = (i: number): Box => {
    const low = whole.low + (first + BigInt(i)) * whole.extent
    const high = low + whole.extent - 1n
    return box.map((range, d) =>
      d === s ? { low: low > range.low ? low : range.low, high: high < range.high ? high : range.high } : range
    )
  }
  return { count, part, isRow: () => true }
}

/** Returns the parts of several boxes, in order. */
export const partsOfAll = (schema: ArraySchema, boxes: ReadonlyArray<Box>, order: DenseOrder): Parts => {
  const all = boxes.map((box) => partsOf(schema, box, order))
  if (all.length === 1) return all[0]
  const starts = [0]
  for (const { count } of all) starts.push(starts[starts.length - 1] + count)
  // callers request parts in order
  let b = 0
  const within = (i: number): number => {
    while (i < starts[b]) b--
    while (b < all.length - 1 && i >= starts[b + 1]) b++
    return i - starts[b]
  }
  return {
    count: starts[all.length],
    part: (i) => {
      const own = within(i)
      return all[b].part(own)
    },
    isRow: (i) => {
      const own = within(i)
      return all[b].isRow(own)
    },
    isFirst: (i) => within(i) === 0 || i === starts[all.length],
  }
}

/** Returns the box that the parts `from … to − 1` form. They must be complete rows. */
const around = ({ part }: Parts, from: number, to: number): Box => {
  const last = part(to - 1)
  return part(from).map(({ low }, d) => ({ low, high: last[d].high }))
}

/** Validated cells. */
interface CheckedCells {
  readonly inputCells: number
  readonly columns: ReadonlyArray<WriteColumn>
}

/** Returns the cells `from … to − 1` of columns. */
function* partOf(columns: ReadonlyArray<WriteColumn>, from: number, to: number): Steps<ReadonlyArray<WriteColumn>> {
  const out: Array<WriteColumn> = []
  for (const column of columns) {
    out.push({ field: column.field, ...yield* gatherTileSteps(column, undefined, from, to) })
  }
  return out
}

/** The steps of a dense writer. */
export interface DenseSteps extends CellSteps<CheckedCells> {
  /**
   * Appends the next part as stored tiles of another fragment, by attribute. The cells before it must have completed
   * the part before.
   */
  readonly copy: (tiles: ReadonlyArray<CopiedTile>) => Effect.Effect<void, WriteFailure>
}

/** Returns the steps of a writer of the parts of a box. */
export const denseSteps = (
  array: OpenedArray,
  target: FragmentTarget,
  all: number,
  parts: Parts,
  request: DenseWriterRequest,
): Effect.Effect<DenseSteps, never, Storage | Scope.Scope> =>
  Effect.map(services<Storage | Scope.Scope>(), (context) => {
    const { schema } = array
    const { time, order, maxFragmentSize, checkpoints } = request
    const { inputCells: start, bytes: startBytes } = checkpoints?.start ?? NO_CHECKPOINT
    const finished = keptFragments(target, checkpoints)
    const { attributes } = fieldsOf(schema)
    const buffers = attributes.map((field) => new PendingColumn(field))
    let writer: FragmentWriter | undefined
    let cells = 0
    let bytes = startBytes
    /** number of cells in written parts */
    let written = 0
    /** the next part, and the first part of the open fragment */
    let next = 0
    // fragments end at part borders
    for (; written < start; next++) written += cellsOfBox(parts.part(next))
    let first = next

    const finishFragment = Effect.gen(function* () {
      if (writer === undefined) return
      finished.push(yield* writer.finish({ nonEmptyDomain: rangesOfBox(schema, around(parts, first, next)) }))
      bytes += writer.bytes()
      writer = undefined
      first = next
      yield* checkpoints?.save({ inputCells: written, cells: written, bytes, fragments: finished }) ?? Effect.void
    }).pipe(Effect.provide(context))
    const writeWith = (
      write: (writer: FragmentWriter) => Effect.Effect<void, WriteTilesError>,
    ): Effect.Effect<void, WriteFailure> =>
      Effect.gen(function* () {
        writer ??= yield* Effect.provide(openFragment(target, { time }), context)
        yield* write(writer)
        written += cellsOfBox(parts.part(next))
        next++
        const full = writer.bytes() >= maxFragmentSize && parts.isRow(next)
        if (full || parts.isFirst?.(next) === true) yield* finishFragment
      }).pipe(Effect.mapError(countedFrom(written)))
    const writePart = (columns: ReadonlyArray<WriteColumn>): Effect.Effect<void, WriteFailure> => {
      const tiles = denseTiles(schema, parts.part(next), order, target.version)
      return writeWith((open) =>
        Effect.forEach(columns, (column) => writeDenseTiles(open, column, tiles, denseCells(schema)), {
          concurrency: open.inFlight,
          discard: true,
        })
      )
    }
    const waiting = (): number => buffers[0].cells

    return {
      check: function* (input) {
        const checked = yield* checkColumnsSteps(schema, input, undefined, request.checks)
        const remaining = all - cells
        if (checked.cells <= remaining) return { inputCells: checked.cells, columns: checked.attributes }
        const detail = `${checked.cells} cells, but of the ${all} cells of the box only ${remaining} are left`
        throw new WriteError({ field: "", reason: "WrongLength", detail })
      },
      skip: function* ({ inputCells: input, columns }, count) {
        const rest = yield* withoutFirst(columns, count, input)
        cells += count
        return { inputCells: input - count, columns: rest }
      },
      append: ({ inputCells: count, columns }) =>
        Effect.gen(function* () {
          for (let from = 0; from < count;) {
            const size = cellsOfBox(parts.part(next))
            const to = Math.min(count, from + size - waiting())
            if (waiting() === 0 && to - from === size) {
              yield* writePart(yield* runSteps(() => partOf(columns, from, to)))
            } else {
              yield* runSteps(() => appendAll(buffers, columns, from, to))
              if (waiting() === size) {
                yield* writePart(buffers.map((buffer) => buffer.column))
                buffers.forEach((buffer) => buffer.clear())
              }
            }
            cells += to - from
            from = to
          }
        }),
      copy: (tiles) =>
        Effect.suspend(() => {
          if (waiting() > 0) throw new TypeError(`${waiting()} cells of an incomplete part before a copied one`)
          cells += cellsOfBox(parts.part(next))
          return writeWith((open) =>
            Effect.forEach(tiles, (tile, i) => open.copy(attributes[i], tile), { discard: true })
          )
        }),
      finish: Effect.suspend((): Effect.Effect<void, WriteFailure> => {
        if (cells === all) return finishFragment
        const detail = `${cells} of the ${all} cells of the box were passed; a write requires all of them`
        return Effect.fail(new WriteError({ uri: array.uri, field: "", reason: "WrongLength", detail }))
      }),
      finished,
      progress: () => ({ cells, bytes: bytes + (writer?.bytes() ?? 0) }),
    }
  })

/**
 * Opens a writer for the cells of boxes, which arrive one box after the other. Each box becomes one or more fragments.
 * More than one fragment requires format 12 or later.
 *
 * All fragments have the same write time, the time of opening, so no fragment is newer than another. Overlapping boxes
 * must therefore contain equal cells where they overlap, as in copies of an array.
 */
export const openDenseWriter = (
  array: OpenedArray,
  regions: ReadonlyArray<unknown>,
  request: DenseWriterRequest,
): Effect.Effect<CellWriter<Readonly<Record<string, unknown>>>, WriteFailure, Storage | Codecs | Scope.Scope> =>
  Effect.gen(function* () {
    const { uri, schema } = array
    const target = yield* targetOf(array)
    const { all, parts } = yield* attemptWrite(uri, () => {
      const boxes = regions.map((region) => boxOf(schema, region))
      const all = boxes.reduce((sum, box) => sum + cellsOfBox(box), 0)
      return { all, parts: partsOfAll(schema, boxes, request.order) }
    })
    const time = yield* momentOf(array, request.time)
    const steps = yield* denseSteps(array, target, all, parts, { ...request, time })
    const finish = Effect.zipRight(steps.finish, beforeCommit(request.time, time))
    const guard = yield* guardTies(array, request)
    return yield* makeCellWriter(uri, { ...steps, finish }, request.onProgress, request.checkpoints, guard)
  })

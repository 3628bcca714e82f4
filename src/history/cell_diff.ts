/**
 * Differences between the cells of an array at two times, as a stream in global order.
 *
 * @module
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ByteSize } from "../../platform/byte_size.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { runSteps } from "../../platform/host/event_loop_turns.ts"
import { tracedStream } from "../../platform/observability/spans.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { readScalar } from "../../schema/array/scalar.ts"
import { VAR } from "../../schema/array/cell_val_num.ts"
import type { AnyTileArray } from "../array/open/handle.ts"
import { withKey } from "../array/open/key.ts"
import type { OpenedArray, OpenError } from "../array/open/open.ts"
import { loadEnumerations } from "../array/enumeration/enumerations.ts"
import { fieldsOf } from "../fragment/field.ts"
import type { Fragment } from "../fragment/fragment.ts"
import { checkBudget } from "../query/options/memory_budget.ts"
import type { ReadError } from "../query/options/read_error.ts"
import { type CellValue, values } from "../query/column/cell_values.ts"
import type { Column } from "../query/column/column.ts"
import { enumerationColumn } from "../query/column/resolve_enumeration.ts"
import { rowReader } from "../query/column/rows.ts"
import { joinColumns } from "../query/column/slice.ts"
import { wholeRanges } from "../query/dense/plan.ts"
import { streamDenseRequest } from "../query/dense/stream.ts"
import { limitsOf } from "../query/selection/domain_bounds.ts"
import { mergeNumbers, mergeStrings, type NumberRange } from "../query/selection/merge_ranges.ts"
import type { Selection } from "../query/selection/selection.ts"
import { streamSparseRequest } from "../query/sparse/stream.ts"
import { changedFragments, type DiffOptions, type DiffStates, diffTimes, openStates } from "./diff_states.ts"
import { makeCellEquals } from "./equal_cells.ts"
import { type CellPair, type CellWindow, mergeDense, mergeSparse, windowOf } from "./merge_cells.ts"

/** A cell that differs. `V` is the form of its values. */
export interface CellDifference<V = CellValue | boolean> {
  /** Whether the cell exists at the later time only, at the earlier time only, or at both with other values. */
  readonly kind: "added" | "removed" | "changed"
  /** The coordinates by dimension. */
  readonly coordinates: Readonly<Record<string, V>>
  /** The earlier values by attribute: all of a removed cell, and those of a changed cell that differ. */
  readonly before: Readonly<Record<string, V>> | null
  /** The later values by attribute: all of an added cell, and those of a changed cell that differ. */
  readonly after: Readonly<Record<string, V>> | null
}

/** Options of a comparison of cells. */
export interface DiffCellsOptions extends DiffOptions {
  /** Memory budget of each of the two reads in bytes. Default: 256 MiB. */
  readonly memory?: ByteSize
}

/** Errors of a comparison of cells. */
export type DiffCellsError = OpenError | ReadError

/** Creates the reader of a column; `enumeration` contains the values of its codes. */
export type MakeReader<V> = (column: Column, enumeration: Column | undefined) => (index: number) => V

/** Maximum number of changed fragments whose boxes are selected separately. */
const MAX_SEPARATE_BOXES = 64

/** Minimum number of cells of each state that are compared together. */
const MIN_WINDOW_SIZE = 8192

/** Returns the selection that contains all cells which may differ; `undefined` if no cell can. */
const changedSelection = (states: DiffStates): Selection | undefined => {
  const { before, after } = states
  const { schema } = after
  const changed = changedFragments(states)
  const fragments: ReadonlyArray<Fragment> = [
    ...new Map([...before.fragments, ...after.fragments].map((fragment) => [fragment.name.name, fragment])).values(),
  ].filter(({ name }) => changed.has(name.name))
  const deletesDiffer = before.deletes.length !== after.deletes.length
  if (fragments.length === 0 && !deletesDiffer) return undefined
  const sparse = schema.arrayType === "sparse"
  const boxes = fragments.flatMap(({ nonEmptyDomain }) => nonEmptyDomain === undefined ? [] : [nonEmptyDomain])
  const isWhole = sparse && (deletesDiffer || boxes.length < fragments.length)
  if (!isWhole && boxes.length === 0) return undefined
  return schema.dimensions.map((dimension, d) => {
    if (dimension.cellValNum === VAR) {
      const ranges = mergeStrings(boxes.map((box) => box[d]))
      return { kind: "string", dimension, ranges: isWhole || boxes.length > MAX_SEPARATE_BOXES ? undefined : ranges }
    }
    if (isWhole) return { kind: "number", dimension, ranges: undefined }
    const bound = (bytes: Uint8Array) => readScalar(dimension.type, bytes)
    const all = boxes.map((box): NumberRange => ({ low: bound(box[d].low), high: bound(box[d].high) }))
    const limits = limitsOf(schema, d)
    const merged = mergeNumbers(all)
    const ranges = boxes.length > MAX_SEPARATE_BOXES
      ? [{ low: merged[0].low, high: merged[merged.length - 1].high }]
      : merged
    return {
      kind: "number",
      dimension,
      // fragments of dense arrays may exceed the domain
      ranges: ranges.filter(({ low, high }) => low <= limits.high && high >= limits.low).map(({ low, high }) => ({
        low: low < limits.low ? limits.low : low,
        high: high > limits.high ? limits.high : high,
      })),
    }
  })
}

type Columns = Readonly<Record<string, Column>>

/** Streams the selected cells of one state in global order. */
const streamState = (
  array: OpenedArray,
  selection: Selection,
  memory: number,
): Stream.Stream<Columns, ReadError, Storage | Codecs> => {
  const { dimensions, attributes } = fieldsOf(array.schema)
  const request = { fields: [...dimensions, ...attributes], selection, order: "global", where: undefined } as const
  return array.schema.arrayType === "sparse"
    ? Stream.map(streamSparseRequest(array, request, { memory }), ({ columns }) => columns)
    : Stream.map(
      streamDenseRequest(array, { ...request, ranges: wholeRanges(selection, () => []) }, { memory }),
      ({ columns }) => columns,
    )
}

/** The cells of one state that are read and not compared yet. */
interface Side {
  columns: ReadonlyMap<string, Column>
  /** Position of the first cell that is not compared yet. */
  at: number
  length: number
  isDone: boolean
  readonly pull: Effect.Effect<Chunk.Chunk<Columns>, Option.Option<ReadError>, Storage | Codecs>
}

const sideOf = (
  stream: Stream.Stream<Columns, ReadError, Storage | Codecs>,
): Effect.Effect<Side, never, Scope.Scope | Storage | Codecs> =>
  Effect.map(Stream.toPull(stream), (pull) => ({ columns: new Map(), at: 0, length: 0, isDone: false, pull }))

/** Reads until a side has a number of cells, or ends. */
const fill = (side: Side, count: number): Effect.Effect<void, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    while (!side.isDone && side.length - side.at < count) {
      const next = yield* Effect.catchAll(side.pull, (end) =>
        Option.isSome(end) ? Effect.fail(end.value) : Effect.succeed(undefined))
      if (next === undefined) {
        side.isDone = true
      }
      for (const batch of next ?? []) {
        const rest = windowOf(side.columns, side.at, side.length, false)
        side.columns = new Map(
          Object.entries(batch).map(([name, column]) => {
            const before = rest.length === 0 ? undefined : rest.columns.get(name)
            return [name, before === undefined ? column : joinColumns([before, column])]
          }),
        )
        side.at = 0
        side.length = [...side.columns.values()][0].length
      }
    }
  })

/** Returns the next cells of a side, at most `count`. */
const nextWindow = (side: Side, count: number): CellWindow => {
  const to = Math.min(side.length, side.at + count)
  return windowOf(side.columns, side.at, to, side.isDone && to === side.length)
}

/** Returns the columns of fields without cells, for the comparison with a side that has ended. */
const withEmpty = (window: CellWindow, other: CellWindow): CellWindow =>
  window.columns.size > 0 ? window : {
    ...window,
    columns: windowOf(other.columns, 0, 0, true).columns,
  }

/**
 * Streams the differences of two states, with values in the form of `makeReader`. At least `minWindow` cells of each state
 * are compared together.
 */
export const cellDifferences = <V>(
  states: DiffStates,
  memory: ByteSize | undefined,
  makeReader: MakeReader<V>,
  minWindow: number = MIN_WINDOW_SIZE,
): Stream.Stream<CellDifference<V>, DiffCellsError, Storage | Codecs> =>
  Stream.unwrapScoped(Effect.gen(function* () {
    const { after } = states
    const { schema } = after
    const budget = yield* checkBudget(after.uri, memory)
    const selection = changedSelection(states)
    if (selection === undefined) return Stream.empty
    // the earlier cells are read with the later schema: added attributes have their fill values
    const before = withKey({ ...states.before, schema, schemaName: after.schemaName }, after.key)
    const { dimensions, attributes } = fieldsOf(schema)
    const enumerations = new Map(
      (yield* loadEnumerations(after)).map((enumeration) => [enumeration.name, enumerationColumn(enumeration)]),
    )
    const old = yield* sideOf(streamState(before, selection, budget))
    const current = yield* sideOf(streamState(after, selection, budget))

    const rowsOf = (left: CellWindow, right: CellWindow, pairs: ReadonlyArray<CellPair>) => {
      const readers = ({ columns }: CellWindow) =>
        new Map([...columns].map(([name, column]) => {
          const enumeration = column.enumeration === undefined ? undefined : enumerations.get(column.enumeration)
          return [name, makeReader(column, enumeration)]
        }))
      const [oldReaders, currentReaders] = [readers(left), readers(right)]
      const equals = attributes.map((field) =>
        makeCellEquals(left.columns.get(field.name)!, right.columns.get(field.name)!)
      )
      const row = (cells: typeof oldReaders, list: typeof dimensions, i: number): Record<string, V> =>
        Object.fromEntries(list.map(({ name }) => [name, cells.get(name)!(i)]))
      return pairs.map(({ before: i, after: j }): CellDifference<V> => {
        if (i < 0) {
          const coordinates = row(currentReaders, dimensions, j)
          return { kind: "added", coordinates, before: null, after: row(currentReaders, attributes, j) }
        }
        if (j < 0) {
          const coordinates = row(oldReaders, dimensions, i)
          return { kind: "removed", coordinates, before: row(oldReaders, attributes, i), after: null }
        }
        const list = attributes.filter((_, a) => !equals[a](i, j))
        const coordinates = row(currentReaders, dimensions, j)
        return { kind: "changed", coordinates, before: row(oldReaders, list, i), after: row(currentReaders, list, j) }
      })
    }

    let size = minWindow
    const step: Effect.Effect<Chunk.Chunk<CellDifference<V>>, Option.Option<DiffCellsError>, Storage | Codecs> = Effect
      .gen(function* () {
        yield* Effect.mapError(Effect.all([fill(old, size), fill(current, size)]), Option.some)
        const windows = [nextWindow(old, size), nextWindow(current, size)]
        if (windows[0].length === 0 && windows[1].length === 0) return yield* Effect.fail(Option.none())
        const [left, right] = [withEmpty(windows[0], windows[1]), withEmpty(windows[1], windows[0])]
        const merged = yield* runSteps(() =>
          schema.arrayType === "sparse"
            ? mergeSparse(schema, left, right, dimensions, attributes)
            : mergeDense(left, right, attributes)
        )
        // a window may contain only cells with equal coordinates
        size = merged.before + merged.after === 0 ? 2 * size : minWindow
        old.at += merged.before
        current.at += merged.after
        return Chunk.unsafeFromArray(merged.pairs.length === 0 ? [] : rowsOf(left, right, merged.pairs))
      })
    return Stream.repeatEffectChunkOption(step)
  }))

/**
 * Streams the cells of an array that differ between two times, in global order and in bounded memory: added cells,
 * removed cells, and changed cells with the values that differ. Values have the form of `Sparse.toRows`; the schema of
 * the later time applies, so cells that were written without an attribute have its fill value. Nulls are equal, NaN
 * equals NaN. Dense arrays have only changed cells; cells that were not written have the fill value. If an array allows
 * duplicates, cells with equal coordinates are compared as a multiset: a cell with another value is one removed and one
 * added cell.
 *
 * Reads only the boxes of the fragments that differ, unless deletes differ. The cells with equal coordinates are in
 * memory together. Fails as {@link diff} and `Sparse.stream` do.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Chunk from "effect/Chunk"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const array = yield* TileArray.create("mem://log", Log, { at: 500 })
 *   yield* Sparse.write(array, { x: [1, 2], n: [7, 8] }, { at: 1000 })
 *   yield* Sparse.write(array, { x: [2, 3], n: [9, 9] }, { at: 2000 })
 *   return Chunk.toReadonlyArray(yield* Stream.runCollect(TileArray.diffCells(array, { from: 1000, to: 2000 })))
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [
 *   { kind: "changed", coordinates: { x: 2 }, before: { n: 8 }, after: { n: 9 } },
 *   { kind: "added", coordinates: { x: 3 }, before: null, after: { n: 9 } },
 * ])
 * ```
 */
export const diffCells = (
  target: AnyTileArray | string,
  options: DiffCellsOptions,
): Stream.Stream<CellDifference, DiffCellsError, Storage | Codecs> =>
  streamCellDiff(target, options, (column, enumeration) => {
    const known = enumeration === undefined ? new Map() : new Map([[column.enumeration!, values(enumeration)]])
    return rowReader(column, known, "date", false)
  }).pipe(tracedStream("TileArray.diffCells", target))

/** Like {@link diffCells}, with values in another form. */
export const streamCellDiff = <V>(
  target: AnyTileArray | string,
  options: DiffCellsOptions,
  makeReader: MakeReader<V>,
): Stream.Stream<CellDifference<V>, DiffCellsError, Storage | Codecs> =>
  Stream.unwrap(Effect.gen(function* () {
    const times = yield* diffTimes(target, options, ["memory"])
    return cellDifferences(yield* openStates(times), options.memory, makeReader)
  }))

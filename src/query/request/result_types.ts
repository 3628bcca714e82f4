/**
 * Reads as users ask and get them: typed by the schema that an array was opened with.
 *
 * @module
 */
import { isDatetime, sizeOf } from "../../../schema/array/datatype.ts"
import type { Scalar } from "../../../schema/array/scalar.ts"
import type { AnyTileArray, TileArray } from "../../array/open/handle.ts"
import type { WholeRanges } from "../dense/axis_plan.ts"
import type { Column } from "../column/column.ts"
import type { DenseColumns } from "../dense/read.ts"
import type { OutOfBounds } from "../selection/merge_ranges.ts"
import { datesOf } from "../column/datetimes.ts"
import type { Condition } from "../../condition/condition_tree.ts"
import type { TermsIn } from "../../condition/typed_terms.ts"
import type {
  BuffersOf,
  ColumnsOf,
  Declared,
  FieldName,
  RegionOf,
  SparseField,
  TimeForm,
} from "../column/typed_columns.ts"
import type { Order } from "../options/read_options.ts"

/**
 * What is asked of the cells of an array: the one description that `read`, `stream`, `batches` and `explain` take. Names and
 * types are checked against the schema where one is declared, and all of it when it is asked.
 */
export interface Query<
  S extends Declared = undefined,
  K extends SparseField<S> = FieldName<S>,
  T extends TimeForm = TimeForm,
> {
  /**
   * The attributes and dimensions to answer with, in that order. Default: of dense arrays all attributes; of sparse arrays
   * all dimensions, then all attributes. Of sparse arrays there is `__timestamps`, too: when each cell was written, in
   * milliseconds since 1970; of fragments that were consolidated without the times of their cells, when they begin.
   */
  readonly select?: ReadonlyArray<K>
  /**
   * Ranges by dimension, both ends inclusive: `{ x: [1, 5] }`, several `{ x: [[1, 5], [8, 9]] }`, a point `{ x: 3 }`, many
   * points `{ x: { points: [3, 7, 9] } }`. In place of a dimension one of its labels may be named, with ranges of labels: those
   * coordinates are wanted whose labels lie in them. A dimension that is not named is taken whole: in dense arrays its non-empty
   * domain, in sparse ones everything.
   */
  readonly region?: RegionOf<S>
  /**
   * Which cells are wanted: a condition of `Condition`, or its text. Of sparse arrays only these cells are answered – after the
   * newest cell of each place was chosen, so that no older one comes back –, in dense ones the others hold the fill
   * value. Default: all.
   */
  readonly where?: Condition<TermsIn<S>> | string
  /** The order of the cells. Default: `row`; `unordered` is the fastest for sparse arrays. */
  readonly order?: Order
  /** What to do with ranges that leave the domain. Default: refuse them. */
  readonly outOfBounds?: OutOfBounds
  /**
   * The moment to see, in whole milliseconds since 1970 (number or bigint) or as a Date. Default: the one that the array was opened for. Costs
   * what opening it again costs: `TileArray.reopen` is for several queries.
   */
  readonly at?: number | bigint | Date
  /**
   * The first cells only, in the order that was asked: at most so many. What lies behind them is not read. Of dense arrays,
   * cells that are left of a box lie in a row: their `shape` is their number.
   */
  readonly limit?: number
  /**
   * Bytes of memory that reading may take, beside what the runtime takes itself. `read` refuses a result that may need more
   * before it reads it (default: 4 GiB); batches of `stream` and `batches` are made so that they fit (default: 256 MiB).
   */
  readonly memory?: number
  /**
   * Arrays that were opened with a schema: what columns of dates are. Default: `bigint`, a `BigInt64Array` of counts of
   * their unit. `Date` and `DateTime` have milliseconds; what is finer is cut off.
   */
  readonly time?: T
}

/** What to read of a dense array. */
export interface DenseReadOptions<
  S extends Declared = undefined,
  K extends FieldName<S> = FieldName<S>,
  T extends TimeForm = TimeForm,
> extends Query<S, K, T> {
  /**
   * Memory to read into, by field: typed arrays of the field's datatype with room for all cells of the result; for fields
   * that may be null with validity beside it. The columns are views of them. Only for fields of fixed size.
   */
  readonly out?: BuffersOf<S, K>
}

/** What every result has. */
export interface Read {
  /** The same columns with their names and datatypes, as `Cells` and `rows` take them. */
  readonly fields: Readonly<Record<string, Column>>
  /** The array that they were read from. */
  readonly array: AnyTileArray
}

/** The answer of a dense read. */
export interface DenseResult<
  S extends Declared = undefined,
  K extends FieldName<S> = FieldName<S>,
  T extends TimeForm = "bigint",
> extends Read {
  /** Cells along each dimension; their product is the number of cells of every column. */
  readonly shape: ReadonlyArray<number>
  /** What was selected, by name. */
  readonly columns: ColumnsOf<S, K, T>
}

/** A batch of a dense read. */
export interface DenseBatch<
  S extends Declared = undefined,
  K extends FieldName<S> = FieldName<S>,
  T extends TimeForm = "bigint",
> extends DenseResult<S, K, T> {
  /** What of each dimension it holds: ranges with both ends inclusive, of bigints where the dimension has 64 bits. */
  readonly region: Readonly<Record<string, ReadonlyArray<readonly [low: Scalar, high: Scalar]>>>
}

/** The answer of a sparse read, or a batch of it. */
export interface SparseResult<
  S extends Declared = undefined,
  K extends SparseField<S> = FieldName<S>,
  T extends TimeForm = "bigint",
> extends Read {
  /** Cells of every column. */
  readonly length: number
  /** What was selected, by name. */
  readonly columns: ColumnsOf<S, K, T>
}

/** A column without what the schema says of it. */
const bare = (column: Column, time: TimeForm): unknown => {
  const { values, offsets, validity, type, cellValNum } = column
  if (time !== "bigint" && isDatetime(type) && cellValNum === 1) return datesOf(column, time)
  if (offsets === undefined && validity === undefined) return values
  return {
    values,
    ...(offsets === undefined ? {} : { offsets }),
    ...(validity === undefined ? {} : { validity }),
  }
}

/** Columns as the array's declared schema has them; as they are, if none is declared. */
const columnsOf = (
  array: AnyTileArray,
  fields: Readonly<Record<string, Column>>,
  time: TimeForm,
): Readonly<Record<string, unknown>> => {
  if (array.declared === undefined) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, bare(column, time)]))
}

/** What a dense read answers to users. */
export const denseResult = <S extends Declared, K extends FieldName<S>, T extends TimeForm>(
  array: TileArray<S>,
  { shape, columns }: DenseColumns,
  time: T | undefined,
): DenseResult<S, K, T> => ({
  shape,
  columns: columnsOf(array, columns, time ?? "bigint") as ColumnsOf<S, K, T>,
  fields: columns,
  array,
})

/** What a sparse read, or a batch of it, answers to users. */
export const sparseResult = <S extends Declared, K extends SparseField<S>, T extends TimeForm>(
  array: TileArray<S>,
  { length, columns }: { readonly length: number; readonly columns: Readonly<Record<string, Column>> },
  time: T | undefined,
): SparseResult<S, K, T> => ({
  length,
  columns: columnsOf(array, columns, time ?? "bigint") as ColumnsOf<S, K, T>,
  fields: columns,
  array,
})

/** The ranges of a batch by the names of their dimensions. */
export const namedRanges = (
  array: AnyTileArray,
  ranges: ReadonlyArray<WholeRanges>,
): Readonly<Record<string, ReadonlyArray<readonly [low: Scalar, high: Scalar]>>> =>
  Object.fromEntries(array.schema.dimensions.map(({ name, type }, d) => {
    const scalar = (value: bigint): Scalar => sizeOf(type) === 8 ? value : Number(value)
    return [name, ranges[d].map(({ low, high }) => [scalar(low), scalar(high)] as const)]
  }))

/**
 * Types of queries and results derived from the schema that an array was opened with.
 *
 * @module
 */
import type { TimeInput } from "../../array/open/open_options.ts"
import type { ByteSize } from "../../../platform/byte_size.ts"
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
  UntypedColumns,
} from "../column/typed_columns.ts"
import type { Order } from "../options/read_options.ts"

/**
 * A query: the options that `read`, `stream`, `batches` and `explain` share. TypeScript checks names and types against
 * the schema if the array was opened with a schema; all options are checked again at run time.
 */
export interface Query<
  S extends Declared = undefined,
  K extends SparseField<S> = FieldName<S>,
  T extends TimeForm = TimeForm,
> {
  /**
   * Fields to return, in this order. Default: all attributes; for sparse arrays all dimensions, then all attributes.
   * Sparse arrays also have `__timestamps`: the write time of each cell in milliseconds since 1970; for fragments
   * consolidated without timestamps, the start of the fragment.
   */
  readonly select?: ReadonlyArray<K>
  /**
   * Ranges by dimension, both ends inclusive: `{ x: [1, 5] }`, several `{ x: [[1, 5], [8, 9]] }`, a point `{ x: 3 }`,
   * many points `{ x: { points: [3, 7, 9] } }`. A dimension label may replace its dimension, with ranges of labels. A
   * dimension without a range is selected whole: its non-empty domain in dense arrays, everything in sparse arrays.
   */
  readonly region?: RegionOf<S>
  /**
   * Condition that cells must satisfy: a `Condition`, or its text. Sparse arrays return only these cells. The condition
   * is evaluated after the newest cell of each coordinate was selected, so that an older cell does not reappear. In
   * dense arrays the other cells get the fill value. Default: none.
   */
  readonly where?: Condition<TermsIn<S>> | string
  /** Cell order. Default: `row`; `unordered` is the fastest for sparse arrays. */
  readonly order?: Order
  /** Handling of ranges that exceed the domain. Default: fail. */
  readonly outOfBounds?: OutOfBounds
  /**
   * Time to read at, in whole milliseconds since 1970 (number or bigint) or as a Date. Default: the time at which the
   * array was opened. Costs as much as opening the array again: use `TileArray.reopen` for several queries.
   */
  readonly at?: TimeInput
  /**
   * Maximum number of cells: the first ones in the requested order. Data after them is not read. In dense arrays a
   * result that was cut off has one dimension.
   */
  readonly limit?: number
  /**
   * Memory budget in bytes, in addition to the runtime's own memory. `read` fails before reading if the result may
   * exceed it (default: 4 GiB); batches of `stream` and `batches` are sized to fit (default: 256 MiB).
   */
  readonly memory?: ByteSize
  /**
   * Only for arrays opened with a schema: form of datetime columns. Default: `bigint`, a `BigInt64Array` of counts of
   * their unit. `Date` and `DateTime` have millisecond precision; finer digits are cut off.
   */
  readonly time?: T
}

/** Options of a dense read. */
export interface DenseReadOptions<
  S extends Declared = undefined,
  K extends FieldName<S> = FieldName<S>,
  T extends TimeForm = TimeForm,
> extends Query<S, K, T> {
  /**
   * Memory to read into, by field: typed arrays of the field's datatype with one element per value of the result.
   * Nullable fields need validity too. The columns are views of this memory. Fixed-size fields only.
   */
  readonly out?: BuffersOf<S, K>
}

/** Properties of every result. */
export interface Read {
  /** The same columns with names and datatypes, in the form that `Cells` and `rows` accept. */
  readonly fields: UntypedColumns
  /** The array that was read. */
  readonly array: AnyTileArray
}

/**
 * Result of a dense read. `C` is the type of its columns, so that an editor shows the buffers and not the schema from
 * which they are derived.
 */
export interface DenseResult<C = UntypedColumns> extends Read {
  /** Cells along each dimension; their product is the number of cells of every column. */
  readonly shape: ReadonlyArray<number>
  /** The selected columns, by field name. */
  readonly columns: C
}

/** A batch of a dense read. `C` is the type of its columns. */
export interface DenseBatch<C = UntypedColumns> extends DenseResult<C> {
  /** The batch's ranges of each dimension, both ends inclusive; bigints for 64-bit dimensions. */
  readonly region: Readonly<Record<string, ReadonlyArray<readonly [low: Scalar, high: Scalar]>>>
}

/** Result of a sparse read, or a batch of one. `C` is the type of its columns. */
export interface SparseResult<C = UntypedColumns> extends Read {
  /** Number of cells of every column. */
  readonly length: number
  /** The selected columns, by field name. */
  readonly columns: C
}

/** Returns the buffers of a column without name and datatype. */
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

/** Returns columns in the form of the declared schema; unchanged without one. */
const columnsOf = (
  array: AnyTileArray,
  fields: Readonly<Record<string, Column>>,
  time: TimeForm,
): Readonly<Record<string, unknown>> => {
  if (array.declared === undefined) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, bare(column, time)]))
}

/** Builds the result of a dense read. */
export const denseResult = <S extends Declared, K extends FieldName<S>, T extends TimeForm>(
  array: TileArray<S>,
  { shape, columns }: DenseColumns,
  time: T | undefined,
): DenseResult<ColumnsOf<S, K, T>> => ({
  shape,
  columns: columnsOf(array, columns, time ?? "bigint") as ColumnsOf<S, K, T>,
  fields: columns,
  array,
})

/** Builds the result of a sparse read or batch. */
export const sparseResult = <S extends Declared, K extends SparseField<S>, T extends TimeForm>(
  array: TileArray<S>,
  { length, columns }: { readonly length: number; readonly columns: Readonly<Record<string, Column>> },
  time: T | undefined,
): SparseResult<ColumnsOf<S, K, T>> => ({
  length,
  columns: columnsOf(array, columns, time ?? "bigint") as ColumnsOf<S, K, T>,
  fields: columns,
  array,
})

/** Returns a batch's ranges by dimension name. */
export const namedRanges = (
  array: AnyTileArray,
  ranges: ReadonlyArray<WholeRanges>,
): Readonly<Record<string, ReadonlyArray<readonly [low: Scalar, high: Scalar]>>> =>
  Object.fromEntries(array.schema.dimensions.map(({ name, type }, d) => {
    const scalar = (value: bigint): Scalar => sizeOf(type) === 8 ? value : Number(value)
    return [name, ranges[d].map(({ low, high }) => [scalar(low), scalar(high)] as const)]
  }))

/**
 * Exports of `Dense` and `Sparse` for reading.
 *
 * @module
 */
export type { ArrayToRead, BatchesOptions } from "./request/array_batches.ts"
export type { ColumnSize, Explanation, FragmentExplanation } from "./query_plan.ts"
export type { QueryError } from "./request/resolve_query.ts"
export type { ReadError } from "./options/read_error.ts"
export type {
  AggregateOptions,
  AggregateResult,
  AggregatesOf,
  DistinctOptions,
  KeyOf,
  ValueOfAggregate,
} from "./aggregate/types.ts"
export type { Order } from "./options/read_options.ts"
export type { RowError } from "../row/row_error.ts"
export { decodeRows, type Row, type RowOptions, rows, type RowsError, type RowSource, toRows } from "./column/rows.ts"
export type { Scalar, ScalarInput } from "../../schema/array/scalar.ts"
export type { Bound, OutOfBounds, Pair, Point, Points, RangeInput, RegionInput } from "./selection/selection.ts"
export type { ArrayOf } from "../schema_builder/datatype_values.ts"
export type {
  AttributeColumn,
  ColumnOf,
  ColumnsOf,
  DatesOf,
  Declared,
  FieldName,
  FieldOf,
  NullableColumn,
  NullableVarColumn,
  RegionOf,
  TimeForm,
  Timestamps,
  UntypedColumns,
  VarColumn,
} from "./column/typed_columns.ts"
export type { Query, Read } from "./request/result_types.ts"

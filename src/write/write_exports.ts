/**
 * Exports of `Dense` and `Sparse` for writing.
 *
 * @module
 */
export type { CellWriter } from "./fragment/cell_writer.ts"
export type {
  BufferInput,
  CellInput,
  ColumnInput,
  EnumeratedInput,
  EnumerationValueInput,
  ValueInput,
} from "./input/column_input.ts"
export type {
  Buffers,
  ByValue,
  ColumnInputOf,
  FullCell,
  LabelInputs,
  LabelsBeside,
  ValueInputOf,
} from "./options/typed_input.ts"
export type { BatchOptions, WriteOptions } from "./options/write_options.ts"
export type { WriteFailure, WriteProgress, WriteResult } from "./result/write_result.ts"
export type { Rows, WriteRowsError } from "./write_rows.ts"

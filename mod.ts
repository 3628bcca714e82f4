/**
 * TileDB's array engine: reads arrays, groups and metadata of every TileDB version since 1.4, and writes arrays.
 *
 * - {@link TileArray} – open, create, evolve and copy arrays; schema, fragments, metadata, enumerations
 * - {@link Dense}, {@link Sparse} – read and write cells, as columns, rows or batches
 * - {@link Aggregate} – count, sum, min, max and mean, computed from tile statistics when possible
 * - {@link Condition} – query conditions, built as values or parsed from text
 * - {@link Cells} – single cells of a column, as values, JSON or enumeration values
 * - {@link Csv} – import CSV into arrays
 * - {@link Metadata} – metadata as values, including NumPy arrays
 * - {@link Group} – groups, their members, and listings of folders
 * - {@link Objects} – remove, move and copy arrays and groups as a whole
 * - {@link ArraySchema}, {@link Dim}, {@link Attr}, {@link Filter} – schemas as values, which define the types of columns
 *
 * Every operation is an Effect that requires the storage and codec services; `layerDefault` provides both. The structures of
 * the file format are in `@tessera/array/schema`, services and layers in `@tessera/array/platform`.
 *
 * ```ts
 * import { Dense, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return yield* Dense.read(weather, { select: ["temperature"], region: { day: 60, station: [1, 4] } })
 * })
 * const { columns } = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals([...columns.temperature.values], [7.5, 8, 6.5, 9.5])
 * ```
 *
 * @module
 */
export * as Aggregate from "./src/query/aggregate/aggregate.ts"
export * as ArraySchema from "./src/array/array_schema.ts"
export * as Attr from "./src/schema_builder/attribute.ts"
export * as Cells from "./src/query/column/cells.ts"
export * as Condition from "./src/condition/condition.ts"
export * as Csv from "./src/transfer/csv/csv.ts"
export * as Dense from "./src/dense.ts"
export * as Dim from "./src/schema_builder/dimension.ts"
export * as Filter from "./src/schema_builder/filter.ts"
export * as Group from "./src/group/group.ts"
export {
  makeNameGenerator,
  NameGenerator,
  type NameGeneratorTag,
  type NameStamp,
} from "./src/array/create/name_generator.ts"
export * as Metadata from "./src/array/metadata/metadata_values.ts"
export * as Objects from "./src/objects/objects.ts"
export * as Sparse from "./src/sparse.ts"
export * as TileArray from "./src/tile_array.ts"

export {
  ArrayNotFound,
  type ArrayNotFoundReason,
  Conflict,
  type ConflictReason,
  InvalidOption,
  type InvalidOptionReason,
  ResultTooLarge,
  SelectionError,
  type SelectionReason,
  WriteError,
  type WriteReason,
} from "./src/array/open/errors.ts"
export { ConditionError, type ConditionReason } from "./src/condition/condition_error.ts"
export { MaintenanceError, type MaintenanceReason } from "./src/maintain/directory/maintenance_error.ts"
export { CsvError, type CsvReason } from "./src/transfer/csv/csv_error.ts"
export { SchemaError, type SchemaReason } from "./src/schema_builder/schema_error.ts"
export { SchemaMismatch } from "./src/array/open/schema_mismatch.ts"
export { ChecksumMismatch, DecryptionFailed, type DecryptionReason } from "./src/filter/part/errors.ts"
export type { TileError } from "./src/tile/attempt.ts"
export { RowError, type RowReason } from "./src/row/row_error.ts"
export { type RunOptions, toAsyncIterable, toReadableStream } from "./src/query/batch/async_iterable.ts"
export { FormatError, type FormatReason } from "./schema/errors/format_error.ts"
export type { ByteSize, ByteUnit } from "./platform/byte_size.ts"
export { type Advised, Hint } from "./schema/errors/hint.ts"
export {
  AlreadyExists,
  CodecError,
  Codecs,
  InvalidKey,
  layerDefault,
  layerDefaultPortable,
  layerLocal,
  layerMemory,
  layerNative,
  layerPortable,
  layerTrace,
  NotFound,
  StorageError,
  StorageService,
} from "./platform/mod.ts"

/**
 * Binary codecs for every structure of the TileDB file format, versions 1 to 23, without I/O.
 *
 * Each structure is a {@link Codec}: `codec.at(version)` is an Effect `Schema.Schema<Value, Uint8Array>`; {@link decode} and
 * {@link encode} are the synchronous functions. Structures that start with their own version have a function that reads the
 * version first, such as {@link decodeArraySchema}. Invalid bytes fail with {@link FormatError}.
 *
 * ```ts
 * import { decode, encode, GroupDetails } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const bytes = encode(GroupDetails, { version: 2, members: [] }, 22)
 * assertEquals(decode(GroupDetails, bytes, 22, "mem://g/__group/__1_1_0_2").members, [])
 * ```
 *
 * @module
 */
export { BinaryIssue, type Codec, type Cursor, decode, encode, type Field, type Sink } from "./binary/mod.ts"
export * from "./errors/format_error.ts"
export * from "./version/version.ts"
export { decodeByOwnVersion } from "./version/by_own_version.ts"

export {
  type ArrayByStorage,
  arrayOf,
  type Datatype,
  datatypeCode,
  datatypes,
  type DatatypeStorage,
  defaultFill,
  isDatetime,
  isFloat,
  isInteger,
  isString,
  isTemporal,
  sizeOf,
  storageOf,
  type TypedArray,
  type TypedArrayConstructor,
  viewAs,
} from "./array/datatype.ts"
export * from "./array/cell_val_num.ts"
export * from "./array/data_order.ts"
export * from "./array/filter.ts"
export * from "./array/filter_pipeline.ts"
export type { Range as CoordinateRange, RangeSize } from "./array/range.ts"

export * from "./array/array_schema.ts"
export * from "./array/attribute.ts"
export * from "./array/current_domain.ts"
export * from "./array/dimension.ts"
export * from "./array/dimension_label.ts"
export * from "./array/domain.ts"
export * from "./array/enumeration.ts"

export * from "./tile/generic_tile.ts"
export * from "./tile/tile_chunks.ts"

export * from "./fragment/footer.ts"
export * from "./fragment/fragment_statistics.ts"
export * from "./fragment/legacy_metadata.ts"
export * from "./fragment/optional_section.ts"
export * from "./fragment/processed_conditions.ts"
export * from "./fragment/rtree.ts"
export * from "./fragment/tile_offsets.ts"
export * from "./fragment/tile_statistics.ts"

export * from "./commit/consolidated_commits.ts"
export * from "./commit/delete_condition.ts"
export * from "./commit/ignore_file.ts"
export * from "./commit/update_condition.ts"
export * from "./commit/vacuum_file.ts"
export * from "./condition_ast.ts"
export * from "./commit/consolidated_fragment_metadata.ts"

export * from "./group.ts"
export * from "./metadata_entries.ts"

export * from "./name/array_paths.ts"
export * from "./name/data_file.ts"
export * from "./name/inner_path.ts"
export * from "./name/timestamped_name.ts"

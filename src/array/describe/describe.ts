/**
 * Descriptions of arrays as JSON: the `schema`, `fragments`, `metadata` and `enumerations` that the command line prints
 * with `--json` and the fixtures record. Pure functions over decoded structures.
 *
 * @module
 */
import { redactUri } from "../../../schema/errors/redact.ts"
import { compareBytewise } from "../../../platform/storage/utf8_order.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { type Datatype, sizeOf } from "../../../schema/array/datatype.ts"
import type { Filter } from "../../../schema/array/filter.ts"
import type { FilterPipeline } from "../../../schema/array/filter_pipeline.ts"
import { LABELS_FOLDER } from "../../../schema/name/array_paths.ts"
import type { Range } from "../../../schema/array/range.ts"
import {
  boundJson,
  cellBytesJson,
  type CellJson,
  type HexJson,
  isText,
  readScalar,
  scalarJson,
  scalarsJson,
  textJson,
  toHex,
} from "../../../schema/array/scalar.ts"
import { Since } from "../../../schema/version/version.ts"

/** A JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

type Dimension = ArraySchema["dimensions"][number]
type Attribute = ArraySchema["attributes"][number]

const DEFAULT_CHUNK_SIZE = 65536
/** Maximum number of MBRs included for each fragment. */
const MAX_SHOWN_MBRS = 8

const cellValNumJson = (n: number): number | "var" => n === VAR ? "var" : n

/** Filter names that TileDB's own tools print and that differ from the format's names. */
const filterNames: Partial<Record<Filter["type"], string>> = { noop: "none", aes_256_gcm: "aes256gcm" }
const webpFormats = ["none", "rgb", "bgr", "rgba", "bgra"]

/**
 * Describes one filter with its options in one object. Options without effect are omitted, such as the level of RLE.
 */
export const describeFilter = (filter: Filter): JsonObject => {
  const type = filterNames[filter.type] ?? filter.type
  switch (filter.type) {
    case "gzip":
    case "zstd":
    case "lz4":
    case "bzip2":
      return { type, level: filter.level }
    case "double_delta":
    case "delta":
      return { type, reinterpret_datatype: filter.reinterpretDatatype }
    case "bit_width_reduction":
    case "positive_delta":
      return { type, max_window: filter.maxWindow }
    case "scale_float":
      return {
        type,
        bytewidth: filter.byteWidth,
        factor: scalarJson(filter.scale),
        offset: scalarJson(filter.offset),
      }
    case "webp":
      return {
        type,
        quality: scalarJson(filter.quality),
        format: webpFormats.indexOf(filter.format),
        lossless: filter.lossless ? 1 : 0,
      }
    default:
      return { type }
  }
}

/** Describes a filter pipeline: a list of filters, with the chunk size unless it is the default. */
export const describeFilters = (pipeline: FilterPipeline): Json => {
  const filters = pipeline.filters.map(describeFilter)
  return pipeline.maxChunkSize === DEFAULT_CHUNK_SIZE ? filters : { max_chunk_size: pipeline.maxChunkSize, filters }
}

/**
 * Returns the filters of a dimension's tiles: since format 5 its own filters, or those of the coordinates if its
 * own pipeline is empty.
 */
const dimensionFilters = (schema: ArraySchema, dimension: Dimension): FilterPipeline =>
  schema.version >= Since.splitDimensions && dimension.filters.filters.length === 0
    ? schema.coordsFilters
    : dimension.filters

const describeDimension = (schema: ArraySchema, dimension: Dimension): JsonObject => ({
  name: dimension.name,
  type: dimension.type,
  cell_val_num: cellValNumJson(dimension.cellValNum),
  domain: dimension.domain.byteLength === 0 ? null : scalarsJson(dimension.type, dimension.domain),
  tile_extent: dimension.tileExtent === null ? null : scalarJson(readScalar(dimension.type, dimension.tileExtent)),
  filters: describeFilters(dimensionFilters(schema, dimension)),
})

const describeAttribute = (attribute: Attribute): JsonObject => ({
  name: attribute.name,
  type: attribute.type,
  cell_val_num: cellValNumJson(attribute.cellValNum),
  nullable: attribute.nullable,
  filters: describeFilters(attribute.filters),
  ...(attribute.nullable ? { fill_valid: attribute.fillValueValidity !== 0 } : {}),
  fill_hex: toHex(attribute.fillValue),
  ...(attribute.enumeration === "" ? {} : { enumeration: attribute.enumeration }),
})

/**
 * Returns the URI of a label array starting with the labels folder, so that it does not depend on the array's own URI.
 */
const labelUri = (input: string): string => {
  const uri = redactUri(input)
  const at = uri.indexOf(LABELS_FOLDER)
  return at >= 0 ? uri.slice(at) : uri.slice(uri.lastIndexOf("/") + 1)
}

type Bound = number | string | HexJson

/** Formats ranges, one per dimension, as `[low, high]`. */
export const describeRanges = (
  schema: ArraySchema,
  ranges: ReadonlyArray<Range>,
): ReadonlyArray<readonly [Bound & Json, Bound & Json]> =>
  schema.dimensions.map(({ type, cellValNum }, i) => {
    const bound = (bytes: Uint8Array) => boundJson(type, cellValNumJson(cellValNum), bytes) as Bound & Json
    return [bound(ranges[i].low), bound(ranges[i].high)] as const
  })

/** Describes the schema of an array. */
export const describeSchema = (schema: ArraySchema): JsonObject => ({
  array_type: schema.arrayType,
  version: schema.version,
  capacity: String(schema.capacity),
  cell_order: schema.cellOrder,
  tile_order: schema.tileOrder,
  allows_dups: schema.allowsDuplicates,
  coords_filters: describeFilters(schema.coordsFilters),
  offsets_filters: describeFilters(schema.offsetsFilters),
  validity_filters: describeFilters(schema.validityFilters),
  dimensions: schema.dimensions.map((dimension) => describeDimension(schema, dimension)),
  attributes: schema.attributes.map(describeAttribute),
  dimension_labels: schema.dimensionLabels.map((label) => ({
    name: label.name,
    dimension: label.dimension,
    order: label.order,
    type: label.type,
    attribute: label.attribute,
    uri: labelUri(label.uri),
  })),
  ...(schema.currentDomain.empty ? {} : { current_domain: describeRanges(schema, schema.currentDomain.ranges) }),
})

/** Properties of a fragment. */
export interface FragmentDescription {
  /** The name of its folder. */
  readonly name: string
  /** Its format version. */
  readonly version: number
  /** First write time of its cells, in milliseconds since 1970. */
  readonly start: number | bigint
  /** Last write time of its cells, in milliseconds since 1970. */
  readonly end: number | bigint
  /** True if its cells are stored without coordinates. */
  readonly dense: boolean
  /** Number of cells; whole tiles for dense fragments. */
  readonly cellNum: number | bigint
  /** Bytes of all files in its folder. */
  readonly size: number | bigint
  /** True if its footer is in a consolidated metadata file. */
  readonly hasConsolidatedMetadata: boolean
  /** `undefined` if the footer does not contain it. */
  readonly nonEmptyDomain: ReadonlyArray<Range> | undefined
  /** Name of the schema with which it was written. */
  readonly schemaName: string
  /** Number of MBRs: 0 for dense fragments. */
  readonly mbrNum: number
  /** The MBRs, one range per dimension; only the first eight are included. */
  readonly mbrs: ReadonlyArray<ReadonlyArray<Range>>
}

/** Describes fragments, in the given order. */
export const describeFragments = (
  schema: ArraySchema,
  fragments: ReadonlyArray<FragmentDescription>,
): ReadonlyArray<JsonObject> =>
  fragments.map((fragment) => ({
    name: fragment.name,
    version: fragment.version,
    timestamps: [String(fragment.start), String(fragment.end)],
    dense: fragment.dense,
    cell_num: String(fragment.cellNum),
    size: String(fragment.size),
    has_consolidated_metadata: fragment.hasConsolidatedMetadata,
    non_empty_domain: fragment.nonEmptyDomain === undefined ? null : describeRanges(schema, fragment.nonEmptyDomain),
    schema: fragment.schemaName,
    mbr_num: fragment.mbrNum,
    ...(fragment.mbrNum === 0
      ? {}
      : { mbrs: fragment.mbrs.slice(0, MAX_SHOWN_MBRS).map((mbr) => describeRanges(schema, mbr)) }),
  }))

/** One metadata entry of an array or group after merging, without deleted entries. */
export interface MetadataDescription {
  readonly key: Uint8Array
  readonly type: Datatype
  readonly count: number
  readonly value: Uint8Array
}

/** keys may be arbitrary bytes; invalid UTF-8 is shown as U+FFFD */
const keyDecoder = new TextDecoder("utf-8", { ignoreBOM: true })

const isTextValue = (type: Datatype): boolean => isText(type) || type === "geom_wkb"

/**
 * Describes metadata, sorted by key. Text becomes one string, all other values become lists; an empty value has the
 * form that the engine returns.
 */
export const describeMetadata = (entries: ReadonlyArray<MetadataDescription>): ReadonlyArray<JsonObject> =>
  entries.map(({ key, type, count, value }): JsonObject & { readonly key: string } => ({
    key: keyDecoder.decode(key),
    type,
    ...(value.byteLength === 0
      ? { num: 1, value: null }
      : { num: count, value: (isTextValue(type) ? textJson(value) : scalarsJson(type, value)) as Json }),
  })).sort((a, b) => compareBytewise(a.key, b.key))

/** Values of an enumeration in their stored form. */
export interface EnumerationDescription {
  readonly name: string
  readonly type: Datatype
  readonly cellValNum: number
  readonly ordered: boolean
  readonly data: Uint8Array
  /** Start of each value in `data`; `null` if the values have a fixed size. */
  readonly offsets: ArrayLike<number> | null
}

/** Returns the values of an enumeration, in the order of their codes. */
export const describedValues = (enumeration: EnumerationDescription): ReadonlyArray<CellJson> => {
  const { type, data, offsets } = enumeration
  const out: Array<CellJson> = []
  if (enumeration.cellValNum === VAR) {
    const starts = offsets ?? []
    for (let i = 0; i < starts.length; i++) {
      const end = i + 1 < starts.length ? starts[i + 1] : data.byteLength
      out.push(cellBytesJson(type, "var", data.subarray(starts[i], end)))
    }
  } else {
    const size = sizeOf(type) * enumeration.cellValNum
    for (let at = 0; size > 0 && at + size <= data.byteLength; at += size) {
      out.push(cellBytesJson(type, enumeration.cellValNum, data.subarray(at, at + size)))
    }
  }
  return out
}

/** Describes enumerations, by name. */
export const describeEnumerations = (enumerations: Iterable<EnumerationDescription>): JsonObject => {
  const out: Record<string, Json> = {}
  for (const enumeration of enumerations) {
    out[enumeration.name] = {
      type: enumeration.type,
      cell_val_num: cellValNumJson(enumeration.cellValNum),
      ordered: enumeration.ordered,
      values: describedValues(enumeration) as Json,
    }
  }
  return out
}

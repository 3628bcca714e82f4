/**
 * What an array is, as JSON: the `schema`, `fragments`, `metadata` and `enumerations` that the command line prints with
 * `--json` and the fixtures record. Pure functions over decoded structures.
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

/** A value in JSON. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
/** An object in JSON. */
export type JsonObject = { readonly [key: string]: Json }

type Dimension = ArraySchema["dimensions"][number]
type Attribute = ArraySchema["attributes"][number]

const DEFAULT_CHUNK_SIZE = 65536
/** Rectangles shown of each fragment. */
const MBRS_SHOWN = 8

const cellValNumJson = (n: number): number | "var" => n === VAR ? "var" : n

/** The names that TileDB's own tools print, where they are not those of the format. */
const filterNames: Partial<Record<Filter["type"], string>> = { noop: "none", aes_256_gcm: "aes256gcm" }
const webpFormats = ["none", "rgb", "bgr", "rgba", "bgra"]

/** One filter with its options, flat. Options without an effect are left out (the level of RLE, for one). */
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

/** A list of filters; behind its chunk size if that is not the usual one. */
export const describeFilters = (pipeline: FilterPipeline): Json => {
  const filters = pipeline.filters.map(describeFilter)
  return pipeline.maxChunkSize === DEFAULT_CHUNK_SIZE ? filters : { max_chunk_size: pipeline.maxChunkSize, filters }
}

/** The filters that a dimension's tiles go through: since format 5 its own, and if it has none those of the coordinates. */
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

/** Where a label's array lies: from the labels' folder on, wherever the array itself is. */
const labelUri = (given: string): string => {
  const uri = redactUri(given)
  const at = uri.indexOf(LABELS_FOLDER)
  return at >= 0 ? uri.slice(at) : uri.slice(uri.lastIndexOf("/") + 1)
}

type Bound = number | string | HexJson

/** Ranges, one a dimension, as `[low, high]`. */
export const describeRanges = (
  schema: ArraySchema,
  ranges: ReadonlyArray<Range>,
): ReadonlyArray<readonly [Bound & Json, Bound & Json]> =>
  schema.dimensions.map(({ type, cellValNum }, i) => {
    const bound = (bytes: Uint8Array) => boundJson(type, cellValNumJson(cellValNum), bytes) as Bound & Json
    return [bound(ranges[i].low), bound(ranges[i].high)] as const
  })

/** The schema of an array. */
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

/** What there is to say of a fragment. */
export interface FragmentDescription {
  /** The name of its folder. */
  readonly name: string
  /** Its format version. */
  readonly version: number
  /** First time, in milliseconds since 1970. */
  readonly start: number | bigint
  /** Last time, in milliseconds since 1970. */
  readonly end: number | bigint
  /** Whether its cells lie without coordinates. */
  readonly dense: boolean
  /** Cells; whole tiles for dense fragments. */
  readonly cellNum: number | bigint
  /** Bytes of all files in its folder. */
  readonly size: number | bigint
  /** Whether its footer was found among the consolidated ones. */
  readonly hasConsolidatedMetadata: boolean
  /** `undefined` where the footer has none. */
  readonly nonEmptyDomain: ReadonlyArray<Range> | undefined
  /** The name of the schema that it was written by. */
  readonly schemaName: string
  /** Number of rectangles: 0 for dense fragments. */
  readonly mbrNum: number
  /** The rectangles, a range a dimension; only the first eight are shown. */
  readonly mbrs: ReadonlyArray<ReadonlyArray<Range>>
}

/** Fragments, in the order given. */
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
      : { mbrs: fragment.mbrs.slice(0, MBRS_SHOWN).map((mbr) => describeRanges(schema, mbr)) }),
  }))

/** One entry of the metadata of an array or group, after merging: nothing deleted is left. */
export interface MetadataDescription {
  readonly key: Uint8Array
  readonly type: Datatype
  readonly count: number
  readonly value: Uint8Array
}

/** Keys need not be text; what is not valid UTF-8 in them shows as U+FFFD. */
const keyDecoder = new TextDecoder("utf-8", { ignoreBOM: true })

const isTextValue = (type: Datatype): boolean => isText(type) || type === "geom_wkb"

/** Metadata, sorted by key. Text is one string, all else a list; an empty value is reported as the engine does it. */
export const describeMetadata = (entries: ReadonlyArray<MetadataDescription>): ReadonlyArray<JsonObject> =>
  entries.map(({ key, type, count, value }): JsonObject & { readonly key: string } => ({
    key: keyDecoder.decode(key),
    type,
    ...(value.byteLength === 0
      ? { num: 1, value: null }
      : { num: count, value: (isTextValue(type) ? textJson(value) : scalarsJson(type, value)) as Json }),
  })).sort((a, b) => compareBytewise(a.key, b.key))

/** An enumeration's values, as they lie on disk. */
export interface EnumerationDescription {
  readonly name: string
  readonly type: Datatype
  readonly cellValNum: number
  readonly ordered: boolean
  readonly data: Uint8Array
  /** Where each value starts in `data`, if they are var-sized. */
  readonly offsets: ArrayLike<number> | null
}

/** The values of an enumeration, in the order of their codes. */
export const enumerationValues = (enumeration: EnumerationDescription): ReadonlyArray<CellJson> => {
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

/** Enumerations by name. */
export const describeEnumerations = (enumerations: Iterable<EnumerationDescription>): JsonObject => {
  const out: Record<string, Json> = {}
  for (const enumeration of enumerations) {
    out[enumeration.name] = {
      type: enumeration.type,
      cell_val_num: cellValNumJson(enumeration.cellValNum),
      ordered: enumeration.ordered,
      values: enumerationValues(enumeration) as Json,
    }
  }
  return out
}

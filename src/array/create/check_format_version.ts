/**
 * Checks that an array of an older format can have a schema: the format or its engines may not support all of it.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { defaultCellFill, VAR } from "../../../schema/array/cell_val_num.ts"
import { type Datatype, isTemporal } from "../../../schema/array/datatype.ts"
import type { Filter, FilterType } from "../../../schema/array/filter.ts"
import type { FilterPipeline } from "../../../schema/array/filter_pipeline.ts"
import { innerPathFault } from "../../../schema/name/inner_path.ts"
import { CURRENT_VERSION, NEWEST_VERSION, Since } from "../../../schema/version/version.ts"
import { shownValue } from "../../../platform/errors.ts"
import { SchemaError } from "../../schema_builder/schema_error.ts"

/** The oldest format version that can be written: fragments of earlier versions have other names and metadata. */
export const MIN_WRITTEN_VERSION = Since.footer

/** Returns why arrays of a format version cannot be created; `undefined` if they can. */
export const formatVersionRefusal = (version: unknown): string | undefined =>
  Number.isInteger(version) && Number(version) >= MIN_WRITTEN_VERSION && Number(version) <= NEWEST_VERSION
    ? undefined
    : `${
      shownValue(version)
    } is not a writable format version; expected ${MIN_WRITTEN_VERSION} to ${NEWEST_VERSION}, ` +
      `${CURRENT_VERSION} is the default`

/** First format version whose engines support a filter. */
const filterSince: Partial<Record<FilterType, number>> = {
  checksum_md5: 4,
  checksum_sha256: 4,
  dictionary: 13,
  scale_float: 15,
  xor: 16,
  webp: 17,
  delta: 19,
}

/** Returns the first format version whose engines all support a datatype. */
const typeSince = (type: Datatype): number =>
  type === "geom_wkb" || type === "geom_wkt"
    ? 22
    : type === "bool"
    ? 14
    : type === "blob"
    ? 11
    : isTemporal(type) && type.startsWith("time_")
    ? 9
    : 0

const sameBytes = (a: Uint8Array, b: Uint8Array | undefined): boolean =>
  b !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i])

/** Checks that an array of the schema's version can have this schema. Throws {@link SchemaError}. */
export const checkFormatVersion = (schema: ArraySchema): void => {
  const { version, dimensions, attributes } = schema
  const needs = (since: number, field: string, subject: string): void => {
    if (version >= since) return
    const detail = `${subject} require format version ${since} or later, and the array has version ${version}`
    throw new SchemaError({ field, reason: "Unsupported", detail })
  }
  const checkFilter = (field: string, filter: Filter): void => {
    needs(filterSince[filter.type] ?? 0, field, `filters of the kind ${filter.type}`)
    if ((filter.type === "double_delta" || filter.type === "delta") && filter.reinterpretDatatype !== "any") {
      const since = filter.type === "delta" ? Since.deltaReinterpret : Since.doubleDeltaReinterpret
      needs(since, field, `${filter.type} filters with a datatype of their own`)
    }
  }
  const checkPipeline = (field: string, pipeline: FilterPipeline): void =>
    pipeline.filters.forEach((filter) => checkFilter(field, filter))
  const checkText = (field: string, type: Datatype, { filters }: FilterPipeline): void => {
    const has = (requested: FilterType): boolean => filters.some((filter) => filter.type === requested)
    if (type === "string_utf8" && has("dictionary")) needs(Since.foldedUtf8, field, "dictionaries of UTF-8 strings")
    // in earlier formats RLE treats strings like other values
    if (type !== "string_ascii" || version < Since.foldedRle || filters.length < 2) return
    if (has("rle") || has("dictionary")) needs(Since.foldedChains, field, "RLE or a dictionary with other filters")
  }

  for (const { name } of [...dimensions, ...attributes]) {
    const fault = innerPathFault(name, "field")
    // in earlier formats data files are named after fields
    if (fault !== undefined) needs(Since.encodedFileNames, name, `field names that are not file names (it ${fault})`)
  }
  if (schema.allowsDuplicates) needs(Since.splitDimensions, "allowsDuplicates", "duplicates")
  if (schema.cellOrder === "hilbert") needs(Since.hilbert, "order", "arrays in Hilbert order")
  checkPipeline("coordsFilters", schema.coordsFilters)
  checkPipeline("offsetsFilters", schema.offsetsFilters)
  if (version >= Since.nullable) checkPipeline("validityFilters", schema.validityFilters)
  for (const { name, type, cellValNum, filters } of dimensions) {
    needs(typeSince(type), name, `dimensions of ${type}`)
    if (cellValNum === VAR) needs(Since.splitDimensions, name, "dimensions of text")
    if (type !== dimensions[0].type) needs(Since.splitDimensions, name, "dimensions of several datatypes")
    if (filters.filters.length > 0) needs(Since.splitDimensions, name, "dimensions with filters of their own")
    checkPipeline(name, filters)
    checkText(name, type, filters)
  }
  for (const attribute of attributes) {
    const { name, type, cellValNum, nullable, fillValue, order, enumeration } = attribute
    needs(typeSince(type), name, `attributes of ${type}`)
    if (name === "") needs(Since.splitDimensions, name, "attributes without a name")
    if (nullable) needs(Since.nullable, name, "nullable attributes")
    if (!sameBytes(fillValue, defaultCellFill(type, cellValNum))) needs(Since.fillValue, name, "fill values")
    if (order !== "unordered") needs(Since.attributeOrder, name, "ordered attributes")
    if (enumeration !== "") needs(Since.enumerations, name, "enumerated attributes")
    checkPipeline(name, attribute.filters)
    if (cellValNum === VAR) checkText(name, type, attribute.filters)
  }
  if (schema.dimensionLabels.length > 0) needs(Since.dimensionLabels, "dims", "dimension labels")
  if (schema.enumerations.length > 0) needs(Since.enumerations, "enumerations", "enumerations")
  if (!schema.currentDomain.empty) needs(Since.currentDomain, "currentDomain", "current domains")
}

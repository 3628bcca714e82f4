/**
 * Parses schemas in JSON: the form that `tessera schema --json` prints, and the form of `ArraySchema.toJson`.
 */
import { UsageError } from "./usage_error.ts"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns a list of objects. Throws {@link UsageError}. */
const objectsOf = (field: string, value: unknown): ReadonlyArray<Json> => {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every(isObject)) return value
  throw new UsageError({ detail: `create: --schema: ${field}: expected a list of objects` })
}

/** Returns an object without undefined properties. */
const defined = (json: Json): Json =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined))

/** Names of filters that differ between the two forms. */
const FILTER_TYPES: Readonly<Record<string, string>> = { none: "noop", aes256gcm: "aes_256_gcm" }

/** Names of filter options that differ between the two forms. */
const FILTER_OPTIONS: Readonly<Record<string, string>> = {
  reinterpret_datatype: "reinterpretDatatype",
  max_window: "maxWindow",
  bytewidth: "byteWidth",
  factor: "scale",
}

const WEBP_FORMATS = ["none", "rgb", "bgr", "rgba", "bgra"]

const filterInput = (filter: Json): Json => {
  const named = Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [FILTER_OPTIONS[name] ?? name, value]),
  )
  const type = FILTER_TYPES[String(filter.type)] ?? filter.type
  if (type !== "webp") return { ...named, type }
  return {
    ...named,
    type,
    format: WEBP_FORMATS[Number(filter.format)] ?? filter.format,
    lossless: filter.lossless === 1,
  }
}

const filtersInput = (field: string, value: unknown): unknown => {
  if (value === undefined) return undefined
  if (!isObject(value)) return objectsOf(field, value).map(filterInput)
  return { maxChunkSize: value.max_chunk_size, filters: objectsOf(field, value.filters).map(filterInput) }
}

const dimensionInput = ({ name, type, domain, tile_extent: tile, filters }: Json): Json =>
  defined({
    name,
    type,
    domain: domain ?? undefined,
    tile: tile ?? undefined,
    filters: filtersInput(String(name), filters),
  })

const attributeInput = (attribute: Json): Json => {
  const {
    name,
    type,
    cell_val_num: cellValNum,
    nullable,
    filters,
    fill_hex: fill,
    fill_valid: fillValid,
    enumeration,
  } = attribute
  return defined({
    name,
    type,
    cellValNum,
    nullable,
    filters: filtersInput(String(name), filters),
    fill: fill === undefined ? undefined : { hex: fill },
    fillValid,
    enumeration,
  })
}

const enumerationsInput = (value: unknown): ReadonlyArray<Json> | undefined => {
  if (value === undefined) return undefined
  if (!isObject(value)) throw new UsageError({ detail: "create: --schema: enumerations: expected an object" })
  return Object.entries(value).map(([name, enumeration]) => {
    const { type, cell_val_num: cellValNum, ordered, values } = isObject(enumeration) ? enumeration : {}
    return defined({ name, type, cellValNum, ordered, values })
  })
}

const labelInput = (label: Json, dimensions: ReadonlyArray<Json>): Json => ({
  name: label.name,
  dim: dimensions[Number(label.dimension)]?.name ?? label.dimension,
  type: label.type,
  order: label.order,
})

/** Converts the printed form of a schema to the form of `ArraySchema.fromJson`. Throws {@link UsageError}. */
const described = (json: Json): Json => {
  const dimensions = objectsOf("dimensions", json.dimensions)
  const labels = objectsOf("dimension_labels", json.dimension_labels)
  const ranges = json.current_domain
  return defined({
    arrayType: json.array_type,
    dims: dimensions.map(dimensionInput),
    attrs: objectsOf("attributes", json.attributes).map(attributeInput),
    order: json.cell_order,
    tileOrder: json.tile_order,
    capacity: json.capacity === undefined ? undefined : Number(json.capacity),
    allowsDuplicates: json.allows_dups,
    coordsFilters: filtersInput("coords_filters", json.coords_filters),
    offsetsFilters: filtersInput("offsets_filters", json.offsets_filters),
    validityFilters: filtersInput("validity_filters", json.validity_filters),
    enumerations: enumerationsInput(json.enumerations),
    currentDomain: Array.isArray(ranges)
      ? Object.fromEntries(dimensions.map(({ name }, d) => [String(name), ranges[d]]))
      : undefined,
    labels: labels.length === 0 ? undefined : labels.map((label) => labelInput(label, dimensions)),
  })
}

/** Returns the input of `ArraySchema.fromJson` for either form. Throws {@link UsageError}. */
export const schemaInput = (json: unknown): unknown => isObject(json) && "array_type" in json ? described(json) : json

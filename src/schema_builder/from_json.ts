/**
 * Creates schemas from JSON.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { cellSize } from "../../schema/array/cell_val_num.ts"
import { Filter } from "../../schema/array/filter.ts"
import { type FilterPipeline, noFilters } from "../../schema/array/filter_pipeline.ts"
import { catchScalarError, isText } from "../../schema/array/scalar.ts"
import {
  type Attribute,
  enumerated,
  fill,
  multiValue,
  nullable,
  of as attributeOf,
  ordered,
  varSized,
} from "./attribute.ts"
import { cellOfJson } from "./builder_input.ts"
import { checkSchemaRules } from "./check_rules.ts"
import { type CurrentDomainInput, currentDomainRanges } from "./current_domain.ts"
import type { DimensionType } from "./datatype_values.ts"
import { labelStructures } from "./dimension_labels.ts"
import { ascii, type Dimension, of as dimensionOf } from "./dimension.ts"
import { type EnumerationValues, valuesOfParts } from "./enumeration_values.ts"
import {
  type AttributeJson,
  type BoundJson,
  type DimensionJson,
  type EnumerationJson,
  type FilterJson,
  type FiltersJson,
  SchemaJson,
} from "./schema_json.ts"
import type { LabelsInput } from "./label_input.ts"
import { SchemaError, type SchemaReason } from "./schema_error.ts"
import type { ArraySchema, Dimensions } from "./schema_value.ts"

const refuse = (reason: SchemaReason, field: string, detail: string): never => {
  throw new SchemaError({ field, reason, detail })
}

/** Decodes with a Schema; errors contain the path. */
const decode = <A>(schema: Schema.Schema<A>, input: unknown, path: string): A => {
  const decoded = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(input)
  if (Either.isRight(decoded)) return decoded.right
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(decoded.left)
  return refuse(
    "InvalidValue",
    [path, ...issue.path.map(String)].filter((part) => part !== "").join("."),
    issue.message,
  )
}

const run = <A>(field: string, make: () => A): A =>
  catchScalarError(make, (reason) => refuse("InvalidValue", field, reason))

/** The default options of filters. */
const filterDefaults: Readonly<Record<string, object>> = {
  gzip: { level: -1 },
  zstd: { level: -1 },
  lz4: { level: -1 },
  bzip2: { level: -1 },
  rle: { level: -1 },
  dictionary: { level: -1 },
  delta: { level: -1, reinterpretDatatype: "any" },
  double_delta: { level: -1, reinterpretDatatype: "any" },
  bit_width_reduction: { maxWindow: 256 },
  positive_delta: { maxWindow: 1024 },
  scale_float: { scale: 1, offset: 0, byteWidth: 8 },
  webp: { quality: 100, lossless: false, extentX: 0, extentY: 0 },
}

const filterOf = (path: string, json: FilterJson): Filter =>
  decode(Filter.schema as Schema.Schema<Filter>, { ...filterDefaults[json.type], ...json }, path)

const pipelineOf = (path: string, json: FiltersJson): FilterPipeline => {
  const { maxChunkSize, filters } = "filters" in json ? json : { maxChunkSize: noFilters.maxChunkSize, filters: json }
  if (!Number.isInteger(maxChunkSize) || maxChunkSize < 0 || maxChunkSize > 0xffffffff) {
    refuse("InvalidValue", path, `invalid chunk size ${maxChunkSize}`)
  }
  return { maxChunkSize, filters: filters.map((filter, i) => filterOf(`${path}.filters.${i}`, filter)) }
}

const dimensionOfJson = ({ name, type, domain, tile, filters }: DimensionJson): Dimension => {
  const made: Dimension = type === "string_ascii"
    ? { ...ascii(), ...(domain === undefined ? {} : { problem: "text has no domain" }) }
    : dimensionOf(type as "int64", domain as never, tile === undefined ? {} : { tile: tile as never })
  return filters === undefined ? made : { ...made, filters: pipelineOf(name, filters) }
}

const attributeOfJson = (json: AttributeJson): Attribute => {
  const { name, type, cellValNum, filters, order, enumeration } = json
  let made: Attribute = attributeOf(type)
  if (cellValNum === "var") made = varSized(made)
  else if (cellValNum !== undefined) made = multiValue(made, cellValNum)
  if (json.nullable === true) made = nullable(made)
  if (json.fill !== undefined) {
    made = fill(made, run(name, () => cellOfJson(type, json.fill!)), { valid: json.fillValid })
  } else if (json.fillValid === true) made = fill(made, made.fillValue, { valid: true })
  if (order !== undefined) made = ordered(made, order)
  if (enumeration !== undefined) made = enumerated(made, enumeration)
  return filters === undefined ? made : { ...made, filters: pipelineOf(name, filters) }
}

const enumerationOfJson = ({ name, type, cellValNum, ordered, values }: EnumerationJson): EnumerationValues => {
  const field = `enumeration ${name}`
  const num = cellValNum ?? (isText(type) ? "var" : 1)
  const parts = values.map((value) => run(field, () => cellOfJson(type, value)))
  const size = num === "var" ? cellSize(type, 1) : cellSize(type, num)
  const wrong = parts.find((part) => num === "var" ? part.length % size !== 0 : part.length !== size)
  if (wrong !== undefined) {
    refuse(
      "InvalidValue",
      field,
      `a value of ${wrong.length} bytes is not ${num === "var" ? "a multiple of the size" : num} of ${type}`,
    )
  }
  return valuesOfParts(name, { type, cellValNum: num, ordered: ordered ?? false }, parts)
}

const named = <A extends { readonly name: string }>(part: string, list: ReadonlyArray<A>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return list.map(({ name }) =>
    seen.size < seen.add(name).size ? name : refuse("Duplicate", name, `two ${part} have this name`)
  )
}

/** Converts bounds in hex to bytes. */
const boundInput = (bound: BoundJson): unknown =>
  typeof bound === "object" ? run("currentDomain", () => cellOfJson("string_utf8", bound)) : bound

/**
 * Creates a schema from JSON, with the checks of `dense` and `sparse`. Throws {@link SchemaError}, which names the
 * field, also for JSON that does not have the form of a schema.
 *
 * ```ts
 * import { ArraySchema } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const schema = ArraySchema.fromJson({
 *   arrayType: "sparse",
 *   dims: [{ name: "day", type: "datetime_day", domain: ["2024-01-01", "2024-12-31"] }, { name: "key", type: "string_ascii" }],
 *   attrs: [{ name: "color", type: "uint8", enumeration: "colors", filters: [{ type: "zstd", level: 5 }] }],
 *   enumerations: [{ name: "colors", type: "string_utf8", values: ["red", "green"] }],
 * })
 * assertEquals(schema.dims.day.domain, [19723n, 20088n])
 * ```
 */
export const fromJson = (input: unknown): ArraySchema => {
  const json = decode(SchemaJson, input, "")
  const { order = "row-major", tileOrder = "row-major", capacity = 10_000, allowsDuplicates = false } = json
  const filters = (part: "coordsFilters" | "offsetsFilters" | "validityFilters"): FilterPipeline =>
    pipelineOf(part, json[part] ?? [{ type: part === "validityFilters" ? "rle" : "zstd" }])
  const dimensionNames = named("dimensions", json.dims)
  const attributeNames = named("attributes", json.attrs)
  const dims: Dimensions = Object.fromEntries(
    json.dims.map((dimension) => [dimension.name, dimensionOfJson(dimension)]),
  )
  const ranges = json.currentDomain === undefined ? undefined : Object.fromEntries(
    Object.entries(json.currentDomain).map(([name, [low, high]]) => [name, [boundInput(low), boundInput(high)]]),
  )
  named("enumerations", json.enumerations ?? [])
  const labels: LabelsInput = Object.fromEntries(
    named("labels", json.labels ?? []).map((name, i) => {
      const { dim, type, order, filters } = json.labels![i]
      const label = { dim, type: type as DimensionType, order }
      return [
        name,
        filters === undefined ? label : {
          ...label,
          filters: filters.map((filter, k) => filterOf(`${name}.filters.${k}`, filter)),
        },
      ]
    }),
  )
  const dimensionLabels = labelStructures(dimensionNames, labels)
  return checkSchemaRules({
    arrayType: json.arrayType,
    dims,
    attrs: Object.fromEntries(json.attrs.map((attribute) => [attribute.name, attributeOfJson(attribute)])),
    dimensionNames,
    attributeNames,
    order,
    tileOrder,
    capacity,
    allowsDuplicates,
    coordsFilters: filters("coordsFilters"),
    offsetsFilters: filters("offsetsFilters"),
    validityFilters: filters("validityFilters"),
    enumerations: Object.fromEntries((json.enumerations ?? []).map((each) => [each.name, enumerationOfJson(each)])),
    currentDomain: currentDomainRanges(dims, ranges as CurrentDomainInput<Dimensions> | undefined, dimensionNames),
    labels,
    dimensionLabels,
  })
}

/**
 * `tessera schema`.
 */
import { redactUri } from "../../../schema/errors/redact.ts"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import type { FilterPipeline } from "../../../schema/array/filter_pipeline.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { Range } from "../../../schema/array/range.ts"
import { cellBytesJson, textJson } from "../../../schema/array/scalar.ts"
import { describedValues, describeEnumerations, describeFilter, describeSchema } from "../../array/describe/describe.ts"
import { type EnumerationError, loadEnumerations } from "../../array/enumeration/enumerations.ts"
import type { OpenError } from "../../array/open/open.ts"
import { bytesText, jsonText } from "../print/cell_text.ts"
import { openRequested, type SettingsError } from "../parse/settings.ts"
import type { Request } from "../parse/arguments.ts"
import { type OutputError, print, type Terminal } from "../print/terminal.ts"
import { textTable } from "../print/text_table.ts"
import { cut, printable } from "../print/text_width.ts"
import { json, opening } from "../parse/options.ts"
import type { Command } from "../parse/command.ts"

type Dimension = ArraySchema["dimensions"][number]
type Attribute = ArraySchema["attributes"][number]

const cellOf = (cellValNum: number): string => cellValNum === VAR ? "var" : String(cellValNum)

/** Formats a range as `low … high`. */
export const rangeText = (
  { type, cellValNum }: Pick<Dimension, "type" | "cellValNum">,
  { low, high }: Range,
): string => {
  const bound = (bytes: Uint8Array) => cellValNum === VAR ? jsonText(textJson(bytes)) : bytesText(type, bytes)
  return `${bound(low)} … ${bound(high)}`
}

const domainText = (dimension: Dimension): string => {
  const size = sizeOf(dimension.type)
  const { domain } = dimension
  if (domain.byteLength === 0) return "any"
  return rangeText(dimension, { low: domain.subarray(0, size), high: domain.subarray(size, 2 * size) })
}

/** Formats a tile extent. The extent of dates and times is a count, not a date. */
const extentText = ({ type, tileExtent }: Dimension): string =>
  tileExtent === null ? "" : jsonText(cellBytesJson(type, 1, tileExtent))

const fillText = ({ type, cellValNum, fillValue, nullable, fillValueValidity }: Attribute): string =>
  nullable && fillValueValidity === 0
    ? "null"
    : jsonText(cellBytesJson(type, cellValNum === VAR ? "var" : cellValNum, fillValue))

const filtersText = (pipeline: FilterPipeline): string =>
  pipeline.filters.map((filter) => {
    const { type, ...options } = describeFilter(filter)
    const shown = Object.entries(options).map(([name, value]) => `${name} ${value}`).join(", ")
    return shown === "" ? String(type) : `${type} (${shown})`
  }).join(", ")

/** Formats a schema as text, in pieces. */
export function* schemaText(
  schema: ArraySchema,
  enumerations: ReadonlyArray<Enumeration>,
  width: number,
): Generator<string> {
  const { arrayType, version, cellOrder, tileOrder, capacity, allowsDuplicates, currentDomain } = schema
  yield `${arrayType} array, format version ${version}\n`
  yield `cells ${cellOrder}, tiles ${tileOrder}`
  yield arrayType === "sparse"
    ? `, ${capacity} cells a tile, duplicates ${allowsDuplicates ? "allowed" : "not allowed"}\n`
    : "\n"

  yield "\nDimensions\n"
  yield* textTable(
    ["name", "type", "domain", "tile", ...(currentDomain.empty ? [] : ["current domain"])],
    schema.dimensions.map((dimension, d) => [
      printable(dimension.name),
      dimension.type,
      domainText(dimension),
      extentText(dimension),
      ...(currentDomain.empty ? [] : [rangeText(dimension, currentDomain.ranges[d])]),
    ]),
    width,
    ["tile"],
  )

  const enumerated = schema.attributes.some((a) => a.enumeration !== "")
  yield "\nAttributes\n"
  yield* textTable(
    ["name", "type", "values", "nullable", "fill", ...(enumerated ? ["enumeration"] : [])],
    schema.attributes.map((attribute) => [
      printable(attribute.name),
      attribute.type,
      cellOf(attribute.cellValNum),
      attribute.nullable ? "yes" : "no",
      fillText(attribute),
      ...(enumerated ? [printable(attribute.enumeration)] : []),
    ]),
    width,
    ["values"],
  )

  const pipelines: ReadonlyArray<readonly [string, FilterPipeline]> = [
    ...[...schema.dimensions, ...schema.attributes].map((f) => [printable(f.name), f.filters] as const),
    ["(coordinates)", schema.coordsFilters],
    ["(offsets)", schema.offsetsFilters],
    ["(validity)", schema.validityFilters],
  ]
  const filtered = pipelines.filter(([, pipeline]) => pipeline.filters.length > 0)
  if (filtered.length > 0) {
    yield "\nFilters\n"
    yield* textTable(["of", "filters"], filtered.map(([name, p]) => [name, filtersText(p)]), width)
  }

  if (schema.dimensionLabels.length > 0) {
    yield "\nDimension labels\n"
    yield* textTable(
      ["name", "dimension", "type", "order", "array"],
      schema.dimensionLabels.map(({ name, dimension, type, order, uri }) => [
        printable(name),
        printable(schema.dimensions[dimension]?.name ?? String(dimension)),
        type,
        order,
        printable(redactUri(uri)),
      ]),
      width,
    )
  }

  if (enumerations.length > 0) {
    yield "\nEnumerations\n"
    yield* textTable(
      ["name", "type", "ordered", "size", "values"],
      enumerations.map((enumeration) => {
        const values = describedValues(enumeration)
        return [
          printable(enumeration.name),
          enumeration.type,
          enumeration.ordered ? "yes" : "no",
          String(values.length),
          cut(values.slice(0, 100).map(jsonText).join(", "), width),
        ]
      }),
      width,
      ["size"],
    )
  }
}

/** Prints the schema of an array, with its enumerations. */
export const runSchema = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, SettingsError | OpenError | EnumerationError | OutputError, Storage | Codecs> =>
  Effect.gen(function* () {
    const array = yield* openRequested(request, terminal)
    const enumerations = yield* loadEnumerations(array)
    const pieces = request.on("json")
      ? [
        JSON.stringify({ ...describeSchema(array.schema), enumerations: describeEnumerations(enumerations) }, null, 2),
        "\n",
      ]
      : schemaText(array.schema, enumerations, terminal.columns)
    yield* print(terminal, pieces)
  })

/** `tessera schema`. */
export const schemaCommand: Command = {
  description: "show the schema of an array",
  options: { json, ...opening },
  run: runSchema,
}

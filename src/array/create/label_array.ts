/**
 * The arrays that store dimension labels. Format: `array_schema.md`, "Dimension Label".
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { DimensionLabel } from "../../../schema/array/dimension_label.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { dense } from "../../schema_builder/array_schema.ts"
import { of as attributeOf, ordered } from "../../schema_builder/attribute.ts"
import type { LabelsInput } from "../../schema_builder/label_input.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import { schemaPath } from "../../../schema/name/array_paths.ts"
import { checkInnerPath, shownUri } from "../../../schema/name/inner_path.ts"
import { cacheKind } from "../../kernel/bounded_cache.ts"
import { attemptFormat } from "../../tile/attempt.ts"
import { join } from "../open/listing.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import { openArrayWithin, type OpenedArray, type OpenError } from "../open/open.ts"

/** Returns the schema of the array that stores a label: one label for each coordinate of its dimension, in order. */
export const labelSchema = (
  schema: ArraySchema,
  { name, dimension, attribute, type, order }: DimensionLabel,
): ArraySchema => {
  const { filters, ...index } = schema.dims[schema.dimensionNames[dimension]]
  const label = attributeOf(type, { filters: (schema.labels as LabelsInput)[name]?.filters ?? [] })
  return dense({
    dims: { index: { ...index, filters: { ...filters, filters: [] } } },
    attrs: { [attribute]: order === "unordered" ? label : ordered(label, order) },
  })
}

/** The properties of an array that locate its labels. */
export type Labelled = Pick<OpenedArray, "uri" | "schema" | "schemaName">

/**
 * Returns the path of a label array, relative to the array. Throws `FormatError` for a path that leaves the array, and
 * for a label stored outside the array by a whole URI: reads do not open files outside the array.
 */
export const labelPathOf = ({ uri, schema, schemaName }: Labelled, label: DimensionLabel): string => {
  const path = `dimensionLabels.${schema.dimensionLabels.findIndex(({ name }) => name === label.name)}.uri`
  const place = { uri: join(uri, schemaPath(schemaName)), path, version: schema.version }
  if (label.relative) return checkInnerPath(label.uri, place)
  const reason = `the label ${JSON.stringify(label.name)} is stored outside of the array, at ` +
    `"${shownUri(label.uri)}", which is not opened; select by coordinates instead`
  throw new FormatError({ ...place, offset: 0, reason: "Unsupported", detail: reason })
}

/** Label arrays that were opened, by label name. They are opened at the time of the array. */
const LABEL = cacheKind<OpenedArray>("label array")

/** Estimated size of an open label array, and of each of its fragments, in bytes. */
const ESTIMATED_LABEL_SIZE = 4096

/** Opens the arrays of all labels that are stored inside the array. Returns them with their relative paths. */
export const openInnerLabels = (
  array: OpenedArray,
): Effect.Effect<ReadonlyArray<readonly [path: string, label: OpenedArray]>, OpenError, Storage | Codecs> =>
  Effect.zipRight(
    Effect.forEach(
      array.schema.dimensionLabels.filter(({ relative }) => !relative),
      ({ name, uri }) =>
        Effect.annotateLogs(
          Effect.logDebug(`the label ${JSON.stringify(name)} is skipped: it is stored outside of the array`),
          { uri: redactUri(array.uri), labelUri: redactUri(uri) },
        ),
      { discard: true },
    ),
    Effect.forEach(
      array.schema.dimensionLabels.filter(({ relative }) => relative),
      (label) => Effect.map(openLabel(array, label), (opened) => [label.uri, opened] as const),
    ),
  )

/** Opens the array that stores a label, at the time of the array. The label must be stored inside the array. */
export const openLabel = (
  array: OpenedArray,
  label: DimensionLabel,
): Effect.Effect<OpenedArray, OpenError, Storage | Codecs> =>
  Effect.suspend(() => {
    const existing = array.cache.get(LABEL, label.name)
    if (existing !== undefined) return Effect.succeed(existing)
    const { key, verifyChecksums, time, schema: { dimensions } } = array
    return Effect.gen(function* () {
      const uri = join(array.uri, yield* attemptFormat(() => labelPathOf(array, label)))
      const opened = yield* openArrayWithin(array.bounded, uri, { ...time, key, verifyChecksums })
      const { schema } = opened
      const fits = schema.arrayType === "dense" && schema.dimensions.length === 1 &&
        // reject labels of labels, which could refer to each other without end
        schema.dimensions[0].type === dimensions[label.dimension].type && schema.dimensionLabels.length === 0 &&
        schema.attributes.some(({ name, type }) => name === label.attribute && type === label.type)
      if (!fits) {
        const reason = `the array of the label ${JSON.stringify(label.name)} is not one of its dimension and datatype`
        return yield* Effect.fail(
          new FormatError({ uri, path: "dimensionLabels", offset: 0, version: schema.version, detail: reason }),
        )
      }
      array.cache.set(LABEL, label.name, opened, ESTIMATED_LABEL_SIZE * (1 + opened.fragments.length))
      return opened
    })
  })

/**
 * The arrays that dimension labels lie in.
 * Format: `array_schema.md`, "Dimension Label".
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import type { DimensionLabel } from "../../schema/dimension_label.ts"
import { FormatError } from "../../schema/errors.ts"
import { dense } from "./builder/array_schema.ts"
import { of as attributeOf, ordered } from "./builder/attribute.ts"
import type { LabelsInput } from "./builder/label_input.ts"
import type { ArraySchema } from "./builder/schema_value.ts"
import { join } from "./listing.ts"
import { openArray, type OpenedArray, type OpenError } from "./open.ts"

/** The schema of the array that holds a label: one label for each coordinate of its dimension, in their order. */
export const labelSchema = (
  schema: ArraySchema,
  { name, dimension, attribute, type, order }: DimensionLabel,
): ArraySchema => {
  const { filters, ...index } = schema.dims[schema.dimensionNames[dimension]]
  const label = attributeOf(type, ...((schema.labels as LabelsInput)[name]?.filters ?? []))
  return dense({
    dims: { index: { ...index, filters: { ...filters, filters: [] } } },
    attrs: { [attribute]: order === "unordered" ? label : ordered(label, order) },
  })
}

/** Label arrays that were opened, by the arrays that they are of: those are snapshots, and so are their labels. */
const memo = new WeakMap<OpenedArray, Map<string, OpenedArray>>()

/** Where the array of a label is, by the URI of the array that has the label. */
export const labelUri = (uri: string, label: DimensionLabel): string =>
  label.relative ? join(uri, label.uri) : label.uri

/** The array that holds a label of an open array, as it was at the same time. */
export const openLabel = (
  array: OpenedArray,
  label: DimensionLabel,
): Effect.Effect<OpenedArray, OpenError, Storage | Codecs> =>
  Effect.suspend(() => {
    const opened = memo.get(array) ?? new Map<string, OpenedArray>()
    memo.set(array, opened)
    const known = opened.get(label.name)
    if (known !== undefined) return Effect.succeed(known)
    const { key, verifyChecksums, time, schema: { dimensions } } = array
    const uri = labelUri(array.uri, label)
    return Effect.flatMap(openArray(uri, { ...time, key, verifyChecksums }), (its) => {
      const { schema } = its
      const fits = schema.arrayType === "dense" && schema.dimensions.length === 1 &&
        schema.dimensions[0].type === dimensions[label.dimension].type &&
        schema.attributes.some(({ name, type }) => name === label.attribute && type === label.type)
      if (!fits) {
        const reason = `the array of the label ${JSON.stringify(label.name)} is not one of its dimension and datatype`
        return Effect.fail(
          new FormatError({ uri, path: "dimensionLabels", offset: 0, version: schema.version, reason }),
        )
      }
      opened.set(label.name, its)
      return Effect.succeed(its)
    })
  })

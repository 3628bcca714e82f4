/**
 * Applies changes to a schema by the engine's rules. Pure functions: nothing is read or written.
 */
import type { ArraySchema as Structure } from "../../../schema/array/array_schema.ts"
import type { Attribute as AttributeStructure } from "../../../schema/array/attribute.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import type { Range } from "../../../schema/array/range.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { compareSlices } from "../../kernel/match/match_ranges.ts"
import type { Steps } from "../../kernel/steps.ts"
import { checkAttributeOf } from "../../schema_builder/check_rules.ts"
import { checkCodes } from "../../schema_builder/check_fields.ts"
import { type CurrentDomainInput, currentDomainRanges } from "../../schema_builder/current_domain.ts"
import {
  beginsWithSteps,
  checkEnumerations,
  type EnumerationInput,
  type EnumerationList,
  enumerationStructure,
  type EnumerationValues,
  enumerationValuesSteps,
  extendedValuesSteps,
  missingValuesSteps,
} from "../../schema_builder/enumeration_values.ts"
import { SchemaError, type SchemaReason } from "../../schema_builder/schema_error.ts"
import type { ArraySchema, Attributes, Dimensions } from "../../schema_builder/schema_value.ts"
import { attributeStructure, fromStructure } from "../../schema_builder/structure.ts"

/** Changes of a schema. */
export interface SchemaChanges {
  /** Attributes to add, by name, after the existing ones. Existing cells have their fill values. */
  readonly addAttributes?: Attributes
  /** Attributes to drop. Their cells stay in the existing fragments, but cannot be read at later times. */
  readonly dropAttributes?: ReadonlyArray<string>
  /** Enumerations to add, by name. */
  readonly addEnumerations?: Readonly<Record<string, EnumerationInput>>
  /** Values to append to enumerations, by enumeration name. The codes of existing values do not change. */
  readonly extendEnumerations?: Readonly<Record<string, EnumerationList>>
  /** Enumerations to drop. No remaining attribute may use them. */
  readonly dropEnumerations?: ReadonlyArray<string>
  /**
   * A larger current domain: ranges with both ends inclusive. Dimensions without a range keep their range, or get their
   * whole domain if the array has no current domain.
   */
  readonly currentDomain?: CurrentDomainInput<Dimensions>
}

/** A schema, and the new enumeration files that it refers to. */
export interface EvolvedSchema {
  readonly schema: Structure
  readonly enumerations: ReadonlyArray<Enumeration>
}

const refuse = (reason: SchemaReason, field: string, detail: string): never => {
  throw new SchemaError({ field, reason, detail })
}

const shownNames = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "none" : names.map((name) => JSON.stringify(name)).join(", ")

/** Returns whether changes are not empty. */
export const isChange = (changes: SchemaChanges): boolean =>
  Object.values(changes).some((change) => change !== undefined && Object.keys(change).length > 0)

/**
 * Returns the names of the enumerations whose values are required: those that are added or extended, and those of added
 * attributes.
 */
export const neededEnumerations = (changes: SchemaChanges): ReadonlySet<string> =>
  new Set([
    ...Object.keys(changes.addEnumerations ?? {}),
    ...Object.keys(changes.extendEnumerations ?? {}),
    ...Object.values(changes.addAttributes ?? {}).map((attribute) => attribute.enumeration),
  ])

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

/** Returns whether two attributes have the same properties, apart from their names. */
const sameAttribute = (a: AttributeStructure, b: AttributeStructure): boolean =>
  a.type === b.type && a.cellValNum === b.cellValNum && a.nullable === b.nullable && a.order === b.order &&
  a.enumeration === b.enumeration && a.fillValueValidity === b.fillValueValidity &&
  sameBytes(a.fillValue, b.fillValue) && JSON.stringify(a.filters) === JSON.stringify(b.filters)

/**
 * Returns the changes that remain after another change came first, without those that it already made. Contradictory
 * changes remain, and {@link evolveSchemaSteps} rejects them. `enumerations` are the enumerations with known values.
 */
export function* remainingChangesSteps(
  schema: Structure,
  changes: SchemaChanges,
  enumerations: ReadonlyArray<Enumeration>,
): Steps<SchemaChanges> {
  const value = fromStructure(schema, enumerations)
  const kept = <A>(of: Readonly<Record<string, A>> | undefined, isLeft: (name: string, value: A) => boolean) =>
    Object.fromEntries(Object.entries(of ?? {}).filter(([name, value]) => isLeft(name, value)))
  const valuesOf = (name: string): EnumerationValues | undefined =>
    enumerations.some((enumeration) => enumeration.name === name) && Object.hasOwn(value.enumerations, name)
      ? value.enumerations[name]
      : undefined
  const extendEnumerations: Array<[string, EnumerationList]> = []
  for (const [name, more] of Object.entries(changes.extendEnumerations ?? {})) {
    const enumerationValues = valuesOf(name)
    const missing = enumerationValues === undefined ? more : yield* missingValuesSteps(name, enumerationValues, more)
    if (missing.length > 0) extendEnumerations.push([name, missing])
  }
  const addEnumerations: Array<[string, EnumerationInput]> = []
  for (const [name, input] of Object.entries(changes.addEnumerations ?? {})) {
    const currentEnumerationValues = valuesOf(name)
    const isThere = currentEnumerationValues !== undefined &&
      (yield* beginsWithSteps(currentEnumerationValues, yield* enumerationValuesSteps(name, input)))
    if (!isThere) addEnumerations.push([name, input])
  }
  const { currentDomain } = changes
  const ranges = currentDomain === undefined ? undefined : expandedDomain(schema, value, currentDomain, true)
  const before = value.currentDomain
  const isGrown = ranges !== undefined && (before === null ||
    ranges.some(({ low, high }, d) => !sameBytes(low, before[d].low) || !sameBytes(high, before[d].high)))
  return {
    addAttributes: kept(changes.addAttributes, (name, currentAttribute) => {
      const there = schema.attributes.find((attribute) => attribute.name === name)
      return there === undefined || !sameAttribute(there, attributeStructure(name, currentAttribute, schema.dimensions))
    }),
    dropAttributes: changes.dropAttributes?.filter((name) => value.attributeNames.includes(name)),
    addEnumerations: Object.fromEntries(addEnumerations),
    extendEnumerations: Object.fromEntries(extendEnumerations),
    dropEnumerations: changes.dropEnumerations?.filter((name) => Object.hasOwn(value.enumerations, name)),
    ...(isGrown ? { currentDomain } : {}),
  }
}

/** Returns the names to drop. Each name must be unique and exist. */
const droppedNames = (
  input: ReadonlyArray<string> | undefined,
  kind: "attribute" | "enumeration",
  existing: ReadonlyArray<string>,
): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const name of input ?? []) {
    const field = kind === "attribute" ? name : `enumeration ${name}`
    if (names.has(name)) refuse("Duplicate", field, "it is dropped twice")
    if (!existing.includes(name)) {
      refuse("UnknownName", field, `there is no such ${kind} to drop; the schema has ${shownNames(existing)}`)
    }
    names.add(name)
  }
  return names
}

/** Returns whether `low` is not above `high`. */
const ordered = ({ type, cellValNum }: Dimension, low: Uint8Array, high: Uint8Array): boolean =>
  cellValNum === VAR
    ? compareSlices(low, 0, low.length, high, 0, high.length) <= 0
    : readScalar(type, low) <= readScalar(type, high)

/**
 * Returns the ranges of the new current domain, which must contain the existing one. With `merge`, the requested ranges
 * are extended to contain it.
 */
const expandedDomain = (
  schema: Structure,
  value: ArraySchema,
  input: CurrentDomainInput<Dimensions>,
  merge: boolean,
): ReadonlyArray<Range> => {
  const named = Object.keys(input)
  const before = value.currentDomain
  // dimensions without a range keep their range
  const request = Object.fromEntries(
    value.dimensionNames.filter((name) => before === null || named.includes(name)).map((
      name,
    ) => [name, value.dims[name]]),
  )
  for (const name of named) {
    if (!Object.hasOwn(value.dims, name)) {
      refuse(
        "UnknownName",
        name,
        `the current domain names an unknown dimension; the schema has ${shownNames(value.dimensionNames)}`,
      )
    }
  }
  const ranges = currentDomainRanges(request, input)!
  const byName = new Map(Object.keys(request).map((name, i) => [name, ranges[i]]))
  return schema.dimensions.map((dimension, d) => {
    const range = byName.get(dimension.name) ?? before![d]
    if (merge && before !== null) {
      return {
        low: ordered(dimension, before[d].low, range.low) ? before[d].low : range.low,
        high: ordered(dimension, before[d].high, range.high) ? range.high : before[d].high,
      }
    }
    const grows = before === null ||
      (ordered(dimension, range.low, before[d].low) && ordered(dimension, before[d].high, range.high))
    if (!grows) {
      refuse(
        "InvalidDomain",
        dimension.name,
        "the current domain can only grow; its range must contain the existing one",
      )
    }
    return range
  })
}

/**
 * Applies changes to a schema, for a format version. `known` are the values of the enumerations that {@link
 * neededEnumerations} names; `fileOf` names the files of new ones. With `merge`, a current domain that does not contain
 * the existing one is joined with it. Throws {@link SchemaError}.
 */
export function* evolveSchemaSteps(
  schema: Structure,
  changes: SchemaChanges,
  version: number,
  existing: ReadonlyArray<Enumeration>,
  fileOf: (name: string) => string,
  merge = false,
): Steps<EvolvedSchema> {
  const before = fromStructure(schema, existing)
  const enumerationNames = Object.keys(before.enumerations)

  const added: Record<string, EnumerationValues> = {}
  for (const [name, input] of Object.entries(changes.addEnumerations ?? {})) {
    if (enumerationNames.includes(name)) {
      refuse("Duplicate", `enumeration ${name}`, "the enumeration exists already; extend it")
    }
    added[name] = { ...(yield* enumerationValuesSteps(name, input)), fileName: fileOf(name) }
  }
  const extended: Record<string, EnumerationValues> = {}
  for (const [name, more] of Object.entries(changes.extendEnumerations ?? {})) {
    if (!enumerationNames.includes(name)) {
      refuse(
        "UnknownName",
        `enumeration ${name}`,
        `the enumeration does not exist; the schema has ${shownNames(enumerationNames)}`,
      )
    }
    const values = yield* extendedValuesSteps(name, before.enumerations[name], more)
    extended[name] = { ...values, fileName: fileOf(name) }
  }
  const droppedEnumerations = droppedNames(changes.dropEnumerations, "enumeration", enumerationNames)
  for (const name of droppedEnumerations) {
    if (Object.hasOwn(extended, name)) {
      refuse("Duplicate", `enumeration ${name}`, "it is extended and dropped; do one of them")
    }
  }
  const enumerations = Object.fromEntries(
    Object.entries({ ...before.enumerations, ...added, ...extended }).filter(([name]) =>
      !droppedEnumerations.has(name)
    ),
  )
  checkEnumerations({ ...added, ...extended })

  const newAttributes = changes.addAttributes ?? {}
  const dropped = droppedNames(changes.dropAttributes, "attribute", before.attributeNames)
  for (const name of Object.keys(newAttributes)) {
    if (Object.hasOwn(before.attrs, name)) {
      refuse(
        "Duplicate",
        name,
        dropped.has(name) ? "it is dropped and added; do it in two changes" : "the attribute exists already",
      )
    }
    if (before.dimensionLabels.some((label) => label.name === name)) {
      refuse("Duplicate", name, "there is a dimension label of this name")
    }
  }
  const kept = schema.attributes.filter((attribute) => !dropped.has(attribute.name))
  const attributeNames = [...kept.map((attribute) => attribute.name), ...Object.keys(newAttributes)]
  if (schema.arrayType === "dense" && attributeNames.length === 0) {
    refuse("Missing", "dropAttributes", "a dense array has at least one attribute")
  }
  const attrs = { ...before.attrs, ...newAttributes }
  const after: ArraySchema = { ...before, attrs, attributeNames, enumerations }
  for (const name of Object.keys(newAttributes)) checkAttributeOf(after, name)
  for (const { name, enumeration } of kept) {
    if (droppedEnumerations.has(enumeration)) {
      refuse("InUse", `enumeration ${enumeration}`, `the attribute ${JSON.stringify(name)} has it; drop that first`)
    }
    if (Object.hasOwn(extended, enumeration)) checkCodes(name, attrs[name], enumerations)
  }

  const { currentDomain } = changes
  return {
    schema: {
      ...schema,
      version,
      attributes: [
        ...kept,
        ...Object.entries(newAttributes).map(([name, attribute]) =>
          attributeStructure(name, attribute, schema.dimensions)
        ),
      ],
      enumerations: Object.entries(enumerations).map(([name, { fileName }]) => ({ name, fileName: fileName! })),
      currentDomain: currentDomain === undefined
        ? schema.currentDomain
        : { empty: false, ranges: expandedDomain(schema, before, currentDomain, merge) },
    },
    enumerations: Object.entries({ ...added, ...extended }).map(([name, values]) =>
      enumerationStructure(name, values.fileName!, values)
    ),
  }
}

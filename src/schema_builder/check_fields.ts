/**
 * The rules for dimensions and attributes, which engines check when they create an array.
 */
import { type Datatype, isFloat, isInteger, isTemporal, storageLimits, storageOf } from "../../schema/array/datatype.ts"
import type { Scalar } from "../../schema/array/scalar.ts"
import type { Attribute } from "./attribute.ts"
import { checkFilters } from "./check_filters.ts"
import type { Dimension } from "./dimension.ts"
import { type EnumerationValues, valueCount } from "./enumeration_values.ts"
import { SchemaError, type SchemaReason } from "./schema_error.ts"

const shown = (value: Scalar): string => String(value)

/** Whether coordinates, and their labels, may have a datatype. */
export const isCoordinateType = (type: Datatype): boolean =>
  isInteger(type) || isTemporal(type) || isFloat(type) || type === "string_ascii"

/** Checks a dimension of a sparse or a dense array. Throws {@link SchemaError}. */
export const checkDimension = (field: string, dimension: Dimension, dense: boolean): void => {
  const { type, domain, tile, filters, problem } = dimension
  const refuse = (reason: SchemaReason, detail: string): never => {
    throw new SchemaError({ field, reason, detail })
  }
  if (problem !== undefined) refuse(domain === null ? "InvalidDomain" : "InvalidTile", problem)
  if (dense && !isInteger(type) && !isTemporal(type)) {
    refuse("WrongType", `a dense array has dimensions of integers, dates or times, not of ${type}`)
  }
  if (!isCoordinateType(type)) {
    refuse("WrongType", `dimensions are of numbers, dates, times or string_ascii, not of ${type}`)
  }
  checkFilters(field, filters, type, type === "string_ascii")
  if (type === "string_ascii") {
    if (domain !== null || tile !== null) refuse("InvalidDomain", "text has no domain and no tiles")
    return
  }
  if (domain === null) return refuse("Missing", `${type} needs a domain: [low, high]`)
  const [low, high] = domain
  if (isFloat(type) && !(Number.isFinite(low) && Number.isFinite(high))) {
    refuse("InvalidDomain", `the domain [${shown(low)}, ${shown(high)}] has a bound that is not finite`)
  }
  if (high < low) refuse("InvalidDomain", `the domain [${shown(low)}, ${shown(high)}] ends before it starts`)
  if (isFloat(type)) {
    if (tile === null) return
    if (!(tile > 0)) refuse("InvalidTile", `invalid tile extent ${tile}: must be greater than 0`)
    if (Number(tile) > Number(high) - Number(low) + 1) {
      refuse("InvalidTile", `the tile extent ${tile} exceeds the domain [${low}, ${high}]`)
    }
    return
  }
  const [min, max] = storageLimits[storageOf(type)]
  if (low === min && high === max) {
    refuse("InvalidDomain", `the domain cannot be the full range of ${type}; exclude at least one value at an end`)
  }
  const range = BigInt(high) - BigInt(low) + 1n
  if (tile === null) {
    if (dense && range > BigInt(max)) {
      refuse("InvalidTile", `the default tile extent (${range}) exceeds the range of ${type}; specify a tile extent`)
    }
    return
  }
  const extent = BigInt(tile)
  if (extent < 1n) refuse("InvalidTile", `invalid tile extent ${tile}: must be greater than 0`)
  if (extent > range) refuse("InvalidTile", `the tile extent ${tile} exceeds the domain [${low}, ${high}]`)
  const end = BigInt(low) + ((range - 1n) / extent + 1n) * extent - 1n
  // narrower types are extended to 64 bits
  if (typeof max === "bigint" && end > max) {
    refuse(
      "InvalidTile",
      `the last tile ends at ${end}, out of the range of ${type}; lower the end of the domain by a tile extent (${tile})`,
    )
  }
}

const orderable = (type: Datatype): boolean =>
  isFloat(type) || isInteger(type) || isTemporal(type) || type === "string_ascii"

/** Checks an attribute, independent of the array. Throws {@link SchemaError}. */
export const checkAttribute = (
  field: string,
  attribute: Attribute,
  enumerations: Readonly<Record<string, EnumerationValues>>,
): void => {
  const { type, cellValNum, filters, nullable, fillValueValidity, order, enumeration, problem } = attribute
  const refuse = (reason: SchemaReason, detail: string): never => {
    throw new SchemaError({ field, reason, detail })
  }
  if (problem !== undefined) refuse("InvalidValue", problem)
  if (field.startsWith("__")) refuse("InvalidName", "names that start with __ are reserved")
  if (type === "any" && cellValNum !== "var") refuse("WrongType", "cells of any are var-sized")
  checkFilters(field, filters, type, cellValNum === "var")
  if (!nullable && fillValueValidity !== 0) {
    refuse("InvalidValue", "only the fill value of a nullable attribute may be valid or not")
  }
  if (order !== "unordered") {
    if (!orderable(type)) refuse("WrongType", `an ordered attribute cannot have the datatype ${type}`)
    if (nullable) refuse("Unsupported", "an ordered attribute is not nullable")
    const want = type === "string_ascii" ? "var" : 1
    if (cellValNum !== want) {
      refuse("InvalidValue", `an ordered attribute of ${type} has ${want} values in a cell, not ${cellValNum}`)
    }
  }
  if (enumeration !== "") checkCodes(field, attribute, enumerations)
}

/** Checks an attribute whose cells are codes of an enumeration. Throws {@link SchemaError}. */
export const checkCodes = (
  field: string,
  { type, cellValNum, enumeration }: Attribute,
  enumerations: Readonly<Record<string, EnumerationValues>>,
): void => {
  const refuse = (reason: SchemaReason, detail: string): never => {
    throw new SchemaError({ field, reason, detail })
  }
  if (!Object.hasOwn(enumerations, enumeration)) {
    const names = Object.keys(enumerations).map((name) => JSON.stringify(name)).join(", ")
    refuse(
      "UnknownName",
      `unknown enumeration ${JSON.stringify(enumeration)}; the schema has ${names === "" ? "none" : names}`,
    )
  }
  if (!isInteger(type) && type !== "bool") refuse("WrongType", `codes of an enumeration are integers, not ${type}`)
  if (cellValNum !== 1) refuse("WrongType", "a cell of an enumerated attribute must have one value")
  const count = valueCount(enumerations[enumeration])
  if (BigInt(storageLimits[storageOf(type)][1]) <= BigInt(count)) {
    refuse("TooLarge", `${type} is too narrow for the ${count} values of ${JSON.stringify(enumeration)}`)
  }
}

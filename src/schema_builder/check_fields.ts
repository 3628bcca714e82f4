/**
 * The rules for dimensions and attributes: what engines check before they make an array.
 */
import { type Datatype, isFloat, isInteger, isTemporal, storageLimits, storageOf } from "../../schema/array/datatype.ts"
import type { Scalar } from "../../schema/array/scalar.ts"
import type { Attribute } from "./attribute.ts"
import { checkFilters } from "./check_filters.ts"
import type { Dimension } from "./dimension.ts"
import { type EnumerationValues, valueCount } from "./enumeration_values.ts"
import { SchemaError } from "./schema_error.ts"

const shown = (value: Scalar): string => String(value)

/** Whether coordinates, and labels of them, may be of a datatype. */
export const isCoordinateType = (type: Datatype): boolean =>
  isInteger(type) || isTemporal(type) || isFloat(type) || type === "string_ascii"

/** One dimension of a sparse or a dense array. Throws {@link SchemaError}. */
export const checkDimension = (field: string, dimension: Dimension, dense: boolean): void => {
  const { type, domain, tile, filters, problem } = dimension
  const refuse = (reason: string): never => {
    throw new SchemaError({ field, detail: reason })
  }
  if (problem !== undefined) refuse(problem)
  if (dense && !isInteger(type) && !isTemporal(type)) {
    refuse(`a dense array has dimensions of integers, dates or times, not of ${type}`)
  }
  if (!isCoordinateType(type)) refuse(`dimensions are of numbers, dates, times or string_ascii, not of ${type}`)
  checkFilters(field, filters, type, type === "string_ascii")
  if (type === "string_ascii") {
    if (domain !== null || tile !== null) refuse("text has no domain and no tiles")
    return
  }
  if (domain === null) return refuse(`${type} needs a domain: [low, high]`)
  const [low, high] = domain
  if (isFloat(type) && !(Number.isFinite(low) && Number.isFinite(high))) {
    refuse(`the domain [${shown(low)}, ${shown(high)}] has a bound that is not finite`)
  }
  if (high < low) refuse(`the domain [${shown(low)}, ${shown(high)}] ends before it starts`)
  if (isFloat(type)) {
    if (tile === null) return
    if (!(tile > 0)) refuse(`a tile of ${tile} is none; it must be greater than 0`)
    if (Number(tile) > Number(high) - Number(low) + 1) {
      refuse(`a tile of ${tile} is longer than the domain [${low}, ${high}]`)
    }
    return
  }
  const [least, most] = storageLimits[storageOf(type)]
  if (low === least && high === most) {
    refuse(`the domain may not be all of ${type}; leave at least one value at an end`)
  }
  const range = BigInt(high) - BigInt(low) + 1n
  if (tile === null) {
    if (dense && range > BigInt(most)) {
      refuse(`one tile of the whole domain would be longer (${range}) than ${type} holds; give it a tile`)
    }
    return
  }
  const extent = BigInt(tile)
  if (extent < 1n) refuse(`a tile of ${tile} is none; it must be greater than 0`)
  if (extent > range) refuse(`a tile of ${tile} is longer than the domain [${low}, ${high}]`)
  const end = BigInt(low) + ((range - 1n) / extent + 1n) * extent - 1n
  // narrower types are counted in 64 bits
  if (typeof most === "bigint" && end > most) {
    refuse(`the last tile ends at ${end}, past what ${type} holds; lower the domain's end by a tile (${tile})`)
  }
}

const orderable = (type: Datatype): boolean =>
  isFloat(type) || isInteger(type) || isTemporal(type) || type === "string_ascii"

/** One attribute, whatever array it belongs to. Throws {@link SchemaError}. */
export const checkAttribute = (
  field: string,
  attribute: Attribute,
  enumerations: Readonly<Record<string, EnumerationValues>>,
): void => {
  const { type, cellValNum, filters, nullable, fillValueValidity, order, enumeration, problem } = attribute
  const refuse = (reason: string): never => {
    throw new SchemaError({ field, detail: reason })
  }
  if (problem !== undefined) refuse(problem)
  if (field.startsWith("__")) refuse("names that start with __ are the engine's own")
  if (type === "any" && cellValNum !== "var") refuse("cells of any are var-sized")
  checkFilters(field, filters, type, cellValNum === "var")
  if (!nullable && fillValueValidity !== 0) refuse("only the fill value of a nullable attribute may be valid or not")
  if (order !== "unordered") {
    if (!orderable(type)) refuse(`${type} has no order that an attribute could keep`)
    if (nullable) refuse("an ordered attribute is not nullable")
    const want = type === "string_ascii" ? "var" : 1
    if (cellValNum !== want) refuse(`an ordered attribute of ${type} has ${want} values in a cell, not ${cellValNum}`)
  }
  if (enumeration !== "") checkCodes(field, attribute, enumerations)
}

/** An attribute whose cells are codes of an enumeration. Throws {@link SchemaError}. */
export const checkCodes = (
  field: string,
  { type, cellValNum, enumeration }: Attribute,
  enumerations: Readonly<Record<string, EnumerationValues>>,
): void => {
  const refuse = (reason: string): never => {
    throw new SchemaError({ field, detail: reason })
  }
  if (!Object.hasOwn(enumerations, enumeration)) {
    const names = Object.keys(enumerations).map((name) => JSON.stringify(name)).join(", ")
    refuse(
      `there is no enumeration ${JSON.stringify(enumeration)}; the schema has ${names === "" ? "none" : names}`,
    )
  }
  if (!isInteger(type) && type !== "bool") refuse(`codes of an enumeration are integers, not ${type}`)
  if (cellValNum !== 1) refuse("a cell holds one code of an enumeration")
  const count = valueCount(enumerations[enumeration])
  if (BigInt(storageLimits[storageOf(type)][1]) <= BigInt(count)) {
    refuse(`${type} is too narrow for the ${count} values of ${JSON.stringify(enumeration)}`)
  }
}

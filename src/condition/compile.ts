/**
 * Compiles conditions for evaluation: checks names and values against a schema, encodes values as the bytes of their
 * fields and enumeration values as codes, and moves negations down to the comparisons as the engine does.
 */
import * as DateTime from "effect/DateTime"
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import { cellSize, VAR } from "../../schema/array/cell_val_num.ts"
import type { ComparisonOp, SetOp } from "../../schema/condition_ast.ts"
import { type Datatype, isString, isTemporal, storageLimits, storageOf } from "../../schema/array/datatype.ts"
import type { Enumeration } from "../../schema/array/enumeration.ts"
import {
  catchScalarError,
  isBinary,
  isText,
  parseScalar,
  parseText,
  scalarBytes,
  ScalarError,
} from "../../schema/array/scalar.ts"
import { type Field, fieldsOf } from "../fragment/field.ts"
import type { Predicate } from "./predicate.ts"
import { ConditionError, type ConditionReason } from "./condition_error.ts"
import { type ConditionTree, type ConditionValue, type FieldTest, isFieldTest } from "./condition_tree.ts"

/** The array for which a condition is compiled. */
export interface ConditionScope {
  readonly uri: string
  readonly schema: ArraySchema
  /** The enumerations of the attributes in the condition, by name. */
  readonly enumerations: ReadonlyMap<string, Enumeration>
}

type Operator = FieldTest["op"]

const negated: Readonly<Record<Operator, Operator>> = {
  lt: "ge",
  ge: "lt",
  gt: "le",
  le: "gt",
  eq: "ne",
  ne: "eq",
  in: "not_in",
  not_in: "in",
}

const isOrder = (op: Operator): boolean => op === "lt" || op === "le" || op === "gt" || op === "ge"

/**
 * Returns the predicate of a condition, or of its negation, for the cells of an array. Throws {@link ConditionError}.
 */
export const compileCondition = (scope: ConditionScope, condition: ConditionTree, isNegated = false): Predicate =>
  compile(scope, condition, "", isNegated)

const compile = (scope: ConditionScope, tree: ConditionTree, path: string, isNegated: boolean): Predicate => {
  const at = (name: string): string => path === "" ? name : `${path}.${name}`
  if (isFieldTest(tree)) {
    return compileTest(scope, isNegated ? { ...tree, op: negated[tree.op] } : tree, at(tree.op))
  }
  if (tree.op === "not") return compile(scope, tree.condition, at("not"), !isNegated)
  const op = (tree.op === "and") !== isNegated ? "and" : "or"
  const children = tree.conditions.map((child, i) => compile(scope, child, at(`${tree.op}[${i}]`), isNegated))
  return { kind: "expression", op, children }
}

const constant = (field: string, op: ComparisonOp): Predicate => ({
  kind: "value",
  op,
  field,
  value: new Uint8Array(0),
})

/** Rejects the test. */
type Fail = (reason: ConditionReason, detail: string) => never

/** Returns the field of a term. */
const fieldOf = ({ schema }: ConditionScope, { field, of }: FieldTest, fail: Fail): Field => {
  const { attributes, dimensions } = fieldsOf(schema)
  const among = of === "attribute" ? attributes : of === "dimension" ? dimensions : [...attributes, ...dimensions]
  const match = among.find((f) => f.name === field)
  if (match !== undefined) return match
  const names = among.map((f) => f.name).join(", ")
  return fail("UnknownName", `the array has no such ${of ?? "field"}; it has ${names === "" ? "none" : names}`)
}

const compileTest = (scope: ConditionScope, test: FieldTest, path: string): Predicate => {
  const { op, values, place } = test
  const fail: Fail = (reason, detail) => {
    throw new ConditionError({
      uri: scope.uri,
      text: place?.text,
      at: place?.at,
      path,
      field: test.field,
      reason,
      detail,
    })
  }
  const field = fieldOf(scope, test, fail)
  const isSet = op === "in" || op === "not_in"
  if (!isSet && values.length !== 1) fail("InvalidTree", `a comparison has one value, not ${values.length}`)
  if (!isSet && values[0] === null) {
    if (op !== "eq" && op !== "ne") fail("Unsupported", "null has no order; compare it with == or !=")
    return field.nullable
      ? { kind: "null", op: op as "eq" | "ne", field: field.name }
      : constant(field.name, op === "eq" ? "always_false" : "always_true")
  }
  if (values.length === 0) fail("InvalidValue", "the list has no values; expected at least one")
  const enumeration = field.enumeration === undefined ? undefined : scope.enumerations.get(field.enumeration)
  const type = enumeration?.type ?? field.type
  const width = enumeration?.cellValNum ?? field.cellValNum
  refuseType(type, width, op, fail)
  if (enumeration !== undefined && isOrder(op) && !enumeration.ordered) {
    fail(
      "Unsupported",
      `the values of its enumeration ${JSON.stringify(enumeration.name)} have no order; compare with == or in`,
    )
  }
  const integral = isIntegral(type)
  const exact = values.map((value) => place === undefined ? value : exactInteger(value))
  if (integral && !isSet && enumeration === undefined && isFraction(exact[0])) {
    return compareFraction(field, op as ComparisonOp, exact[0])
  }
  const bytes = exact.flatMap((value, i) =>
    // no integer equals a fraction
    integral && isFraction(value) ? [] : [
      catchScalarError(
        () => valueBytes(type, value),
        (detail) => fail("InvalidValue", isSet ? `value ${i + 1}: ${detail}` : detail),
      ),
    ]
  )
  if (enumeration !== undefined) return enumerated(field, op, bytes, enumeration)
  if ((op === "eq" || op === "ne") && bytes[0].byteLength === 0 && !field.var) {
    // fixed-size cells are never empty; a comparison with an empty value would be evaluated as a null test
    return memberOf(field.name, op === "eq" ? "in" : "not_in", [])
  }
  return isSet ? memberOf(field.name, op, bytes) : { kind: "value", op, field: field.name, value: bytes[0] }
}

const isFraction = (value: ConditionValue): value is number =>
  typeof value === "number" && Number.isFinite(value) && !Number.isInteger(value)

/** Returns a float that was parsed from an integer beyond 2^53 as that integer. */
const exactInteger = (value: ConditionValue): ConditionValue =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value

/** Returns whether the values of a datatype are integers; dates, times and booleans are. */
const isIntegral = (type: Datatype): boolean =>
  !isBytes(type) && storageOf(type) !== "float32" && storageOf(type) !== "float64"

/** Compares an integer field with a fraction: returns a comparison with the next integer, or a constant result. */
const compareFraction = (field: Field, op: ComparisonOp, value: number): Predicate => {
  const [low, high] = storageLimits[storageOf(field.type) as keyof typeof storageLimits]
  const isUpper = op === "lt" || op === "le"
  const bound = isUpper ? Math.floor(value) : Math.ceil(value)
  const all = op === "ne" || (isUpper ? bound >= high : (op === "gt" || op === "ge") && bound <= low)
  const none = op === "eq" || (isUpper ? bound < low : bound > high)
  if (all || none) return memberOf(field.name, all ? "not_in" : "in", [])
  return { kind: "value", op: isUpper ? "le" : "ge", field: field.name, value: scalarBytes(field.type, bound) }
}

/** Compiles the test whether a field is, or is not, one of several values. */
export const memberOf = (
  field: string,
  op: SetOp,
  members: ReadonlyArray<Uint8Array>,
): Extract<Predicate, { readonly kind: "value" }> => {
  const offsets = new Float64Array(members.length)
  let total = 0
  members.forEach((member, i) => {
    offsets[i] = total
    total += member.byteLength
  })
  const value = new Uint8Array(total)
  members.forEach((member, i) => value.set(member, offsets[i]))
  return { kind: "value", op, field, value, offsets }
}

/** Returns whether cells of a datatype are compared as bytes, regardless of their number of values. */
export const isBytes = (type: Datatype): boolean => isText(type) || isString(type) || isBinary(type)

const refuseType = (type: Datatype, width: number, op: Operator, fail: Fail): void => {
  if (!isBytes(type) && width !== 1) {
    fail(
      "Unsupported",
      `its cells have ${width === VAR ? "any number of" : width} values of ${type}; cells of one value are compared`,
    )
  }
  // the bytes of multi-byte units do not have the order of the text
  const ordered = type === "string_ascii" || type === "string_utf8" || type === "char"
  if (isBytes(type) && !ordered && isOrder(op)) fail("Unsupported", `${type} has no order; compare with == or in`)
}

const show = (value: ConditionValue): string => typeof value === "bigint" ? String(value) : JSON.stringify(value)

/** Returns the bytes of a value in a datatype. Throws {@link ScalarError}. */
const valueBytes = (type: Datatype, value: ConditionValue): Uint8Array => {
  if (value === null) throw new ScalarError("null is not a value of a list; test for null with == None")
  const mismatch = (): ScalarError => new ScalarError(`${show(value)} is not a value of ${type}`)
  if (isBytes(type)) {
    const bytes = typeof value === "string" || value instanceof Uint8Array
      ? parseText(type, typeof value === "string" && unitOf(type) > 1 ? encodeUnits(type, value) : value)
      : undefined
    if (bytes === undefined) throw mismatch()
    if (typeof value === "string" && unitOf(type) === 1 && /\p{Cs}/u.test(value)) {
      throw new ScalarError(`${show(value)} contains half of a surrogate pair, which UTF-8 cannot encode`)
    }
    return bytes
  }
  return scalarBytes(type, parseScalar(type, scalarInput(type, value, mismatch)))
}

const scalarInput = (
  type: Datatype,
  value: Exclude<ConditionValue, null>,
  mismatch: () => ScalarError,
): number | bigint | string | Uint8Array => {
  if (typeof value === "boolean") {
    return value ? 1 : 0
  }
  if (typeof value === "number" || typeof value === "bigint" || value instanceof Uint8Array) return value
  // 64-bit integers may be strings, as in JSON and on the command line
  if (typeof value === "string" && (type === "int64" || type === "uint64")) return value
  if (!isTemporal(type)) {
    throw typeof value === "string"
      ? new ScalarError(`${show(value)} is a text, and the field is ${type}; numbers are written without quotes`)
      : mismatch()
  }
  if (typeof value === "string") return value
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new ScalarError("an invalid Date is not a value")
    return value.toISOString()
  }
  return DateTime.formatIso(value)
}

const unitOf = (type: Datatype): number =>
  type === "string_utf16" || type === "string_ucs2" ? 2 : type === "string_utf32" || type === "string_ucs4" ? 4 : 1

/** Encodes text in code units of several bytes. */
const encodeUnits = (type: Datatype, text: string): Uint8Array => {
  const units = unitOf(type) === 2
    ? Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
    : Uint32Array.from(text, (character) => character.codePointAt(0)!)
  return new Uint8Array(units.buffer)
}

const keyOf = (bytes: Uint8Array): string => {
  let key = ""
  for (let i = 0; i < bytes.length; i++) key += String.fromCharCode(bytes[i])
  return key
}

/**
 * Returns the codes of values in an enumeration, in one pass over it; `undefined` for a value outside the enumeration.
 */
const codesOf = (enumeration: Enumeration, values: ReadonlyArray<Uint8Array>): ReadonlyArray<number | undefined> => {
  const { data, offsets, type, cellValNum } = enumeration
  const size = cellValNum === VAR ? 0 : cellSize(type, cellValNum)
  const count = offsets === null ? Math.floor(data.byteLength / size) : offsets.length
  const keys = values.map(keyOf)
  const missing = new Set(keys)
  const codes = new Map<string, number>()
  // compute keys only for values of the enumeration whose length and first byte match
  const starts = new Set(values.map((value) => 256 * value.length + (value[0] ?? 0)))
  for (let i = 0; i < count && missing.size > 0; i++) {
    const from = offsets === null ? i * size : offsets[i]
    const to = offsets === null ? from + size : i + 1 < count ? offsets[i + 1] : data.byteLength
    if (!starts.has(256 * (to - from) + (to > from ? data[from] : 0))) continue
    const key = keyOf(data.subarray(from, to))
    if (missing.delete(key)) codes.set(key, i)
  }
  return keys.map((key) => codes.get(key))
}

/**
 * Compiles a test of enumeration values to a test of codes. A value outside the enumeration equals no cell: comparisons
 * with it are false, and "not equal" is true for all non-null cells.
 */
const enumerated = (
  field: Field,
  op: Operator,
  values: ReadonlyArray<Uint8Array>,
  enumeration: Enumeration,
): Predicate => {
  const bytes = codesOf(enumeration, values).flatMap((code) =>
    code === undefined ? [] : [scalarBytes(field.type, code)]
  )
  if (op === "in" || op === "not_in") return memberOf(field.name, op, bytes)
  if (bytes.length === 0) return memberOf(field.name, op === "ne" ? "not_in" : "in", [])
  return { kind: "value", op, field: field.name, value: bytes[0] }
}

/**
 * Formats conditions as text for {@link parse}.
 *
 * @module
 */
import * as DateTime from "effect/DateTime"
import { type ConditionTree, type ConditionValue, type FieldTest, isFieldTest } from "./condition_tree.ts"

const operators = { lt: "<", le: "<=", gt: ">", ge: ">=", eq: "==", ne: "!=", in: "in", not_in: "not in" } as const

const bytesText = (bytes: Uint8Array): string => {
  let out = ""
  for (const byte of bytes) {
    out += byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, "0")}`
  }
  return `b"${out}"`
}

/** Formats a number as a float if it exceeds 2^53, because an integer would be parsed as bigint. */
const numberText = (value: number): string => {
  if (Number.isNaN(value)) return "nan"
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf"
  if (Object.is(value, -0)) return "-0.0"
  const text = String(value)
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !text.includes("e") ? `${text}.0` : text
}

const valueText = (value: ConditionValue): string => {
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value === "string") return JSON.stringify(value)
  if (value instanceof Uint8Array) return bytesText(value)
  if (value instanceof Date) return JSON.stringify(value.toISOString())
  if (DateTime.isDateTime(value)) return JSON.stringify(DateTime.formatIso(value))
  if (typeof value === "number") return numberText(value)
  return String(value)
}

const keywords: ReadonlySet<string> = new Set(
  ["and", "or", "not", "in", "is", "None", "null", "True", "true", "False", "false", "nan", "inf"],
)

const fieldText = ({ field, of }: FieldTest): string =>
  of === undefined && /^[A-Za-z_][A-Za-z0-9_]*$/.test(field) && !keywords.has(field)
    ? field
    : of === undefined
    ? `field(${JSON.stringify(field)})`
    : `${of === "dimension" ? "dim" : "attr"}(${JSON.stringify(field)})`

/** Returns the precedence of a node. A child of lower precedence requires parentheses. */
const precedence = (tree: ConditionTree): number =>
  isFieldTest(tree) ? 4 : tree.op === "not" ? 3 : tree.op === "and" ? 2 : 1

/**
 * Formats a condition as text, in the grammar of `Condition.parse`.
 *
 * ```ts
 * import { Condition } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const either = Condition.or(Condition.isNull("flag"), Condition.eq("flag", 3))
 * assertEquals(Condition.format(Condition.not(either)), "not (flag == None or flag == 3)")
 * ```
 */
export const format = (condition: ConditionTree): string => {
  const inside = (tree: ConditionTree, outer: number): string =>
    precedence(tree) <= outer ? `(${format(tree)})` : format(tree)
  if (isFieldTest(condition)) {
    const { op, values } = condition
    const set = op === "in" || op === "not_in"
    return `${fieldText(condition)} ${operators[op]} ${
      set ? `[${values.map(valueText).join(", ")}]` : valueText(values[0])
    }`
  }
  if (condition.op === "not") return `not ${inside(condition.condition, 2)}`
  const { op, conditions } = condition
  if (conditions.length === 0) return op === "and" ? "True" : "False"
  if (conditions.length === 1) return format(conditions[0])
  return conditions.map((child) => inside(child, op === "and" ? 2 : 1)).join(` ${op} `)
}

/**
 * Converts conditions to the form that delete commits store. Every engine must evaluate each part as this library does.
 */
import { type Datatype, isFloat, sizeOf } from "../../../schema/array/datatype.ts"
import type { ConditionNode } from "../../../schema/condition_ast.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { WriteError } from "../../array/open/errors.ts"
import { isBytes, memberOf } from "../../condition/compile.ts"
import type { Predicate } from "../../condition/predicate.ts"
import { simplify } from "../../condition/simplify.ts"
import type { Field } from "../../fragment/field.ts"

type ValueNode = ConditionNode & { readonly kind: "value" }

/**
 * Returns the stored condition, which describes the cells to retain, or a constant if the condition has the same value
 * for every cell. Throws {@link WriteError}.
 */
export const storedCondition = (
  uri: string,
  fields: ReadonlyMap<string, Field>,
  predicate: Predicate,
): ConditionNode | boolean => {
  const stored = (node: Predicate): ConditionNode => {
    if (node.kind === "expression") return { ...node, children: node.children.map(stored) }
    if (node.kind === "value" && (node.op === "always_true" || node.op === "always_false")) return node
    const field = fields.get(node.field)!
    const detail = problemOf(field, node)
    if (detail !== undefined) throw new WriteError({ uri, field: node.field, reason: "Unsupported", detail })
    const value = node as ValueNode
    return value.op === "in" || value.op === "not_in" ? storedSet(field, value, value.op) : value
  }
  // simplification removes parts without effect, and may leave empty sets
  const simple = simplify(predicate)
  return typeof simple === "boolean" ? simple : simplify(stored(simple)) as ConditionNode | boolean
}

const texts: ReadonlyArray<Datatype> = ["string_ascii", "string_utf8", "char"]

/** Returns why a comparison cannot be stored; `undefined` if it can. */
const problemOf = ({ type, var: isVar, cellSize }: Field, node: Exclude<Predicate, { kind: "expression" }>) => {
  if (node.kind === "null") {
    return "a delete cannot contain a test for null: engines refuse to read the array then, or interpret it as a " +
      "comparison with the empty text"
  }
  if (isBytes(type) && !texts.includes(type)) {
    return `a delete cannot look at ${type}: engines refuse to read the array then`
  }
  const isSet = node.op === "in" || node.op === "not_in"
  if (type === "char" && !isVar && !isSet && (cellSize !== 1 || node.value.byteLength !== 1)) {
    return "a delete cannot compare cells of char of one size but with one character: engines look at the first of each only; " +
      "a list of whole cells can be kept, with in"
  }
  return undefined
}

/**
 * Engines compare the bytes of set members, require them to have the size of the cells, and require at least one byte
 * in total.
 */
const storedSet = (field: Field, node: ValueNode, op: "in" | "not_in"): ValueNode => {
  const { value, offsets = new Float64Array(0) } = node
  let members = Array.from(
    offsets,
    (at, k) => value.subarray(at, k + 1 < offsets.length ? offsets[k + 1] : value.byteLength),
  )
  if (!field.var) members = members.filter((member) => member.byteLength === field.cellSize)
  if (isFloat(field.type)) members = members.flatMap((member) => floatMembers(field.type, member))
  if (members.length > 0 && members.every((member) => member.byteLength === 0)) {
    return { kind: "value", op: op === "in" ? "eq" : "ne", field: node.field, value: new Uint8Array(0) }
  }
  return memberOf(node.field, op, members)
}

/** Zero matches −0 and 0, which are equal; NaN matches nothing. */
const floatMembers = (type: Datatype, member: Uint8Array): ReadonlyArray<Uint8Array> => {
  const number = readScalar(type, member) as number
  if (number !== 0) return number === number ? [member] : []
  const minus = new Uint8Array(sizeOf(type))
  minus[minus.length - 1] = 0x80
  return [new Uint8Array(sizeOf(type)), minus]
}

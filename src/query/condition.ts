/**
 * Conditions evaluated on columns, as the engine evaluates stored ones: a null makes every comparison false.
 */
import { isFloat, sizeOf, viewAs } from "../../schema/datatype.ts"
import type { ConditionNode } from "../../schema/condition_ast.ts"
import { compareBytes } from "../kernel/match_ranges.ts"
import { keyWords } from "../kernel/order_key.ts"
import type { Column } from "./column.ts"

type ValueNode = ConditionNode & { readonly kind: "value" }

/** The fields that a condition looks at. */
export const conditionFields = (node: ConditionNode): ReadonlySet<string> =>
  node.kind === "value"
    ? new Set(node.op === "always_true" || node.op === "always_false" ? [] : [node.field])
    : new Set(node.children.flatMap((c) => [...conditionFields(c)]))

/** One byte per cell: 1 where the condition is true. */
export const evaluate = (
  node: ConditionNode,
  columns: ReadonlyMap<string, Column>,
  length: number,
): Uint8Array => {
  if (node.kind === "value") return evaluateValue(node, columns, length)
  const children = node.children.map((c) => evaluate(c, columns, length))
  const out = new Uint8Array(length)
  if (node.op === "not") {
    for (let i = 0; i < length; i++) out[i] = children[0][i] ^ 1
    return out
  }
  const and = node.op === "and"
  if (and) out.fill(1)
  for (const child of children) {
    if (and) { for (let i = 0; i < length; i++) out[i] &= child[i] }
    else for (let i = 0; i < length; i++) out[i] |= child[i]
  }
  return out
}

const evaluateValue = (node: ValueNode, columns: ReadonlyMap<string, Column>, length: number): Uint8Array => {
  const out = new Uint8Array(length)
  if (node.op === "always_true") return out.fill(1)
  if (node.op === "always_false") return out
  const column = columns.get(node.field)!
  const { validity } = column
  if (node.value.byteLength === 0 && column.offsets === undefined && (node.op === "eq" || node.op === "ne")) {
    // no bytes, on a field of fixed size, are a null test
    const wanted = node.op === "eq" ? 0 : 1
    for (let i = 0; i < length; i++) out[i] = (validity === undefined ? 1 : validity[i]) === wanted ? 1 : 0
    return out
  }
  if (node.op === "in" || node.op === "not_in") {
    const wanted = node.op === "in" ? 1 : 0
    const starts = [...node.offsets!, node.value.byteLength]
    if (wanted === 0) out.fill(1)
    for (let k = 0; k + 1 < starts.length; k++) {
      const equal = new Uint8Array(length)
      compare(column, node.value.subarray(starts[k], starts[k + 1]), "eq", equal)
      for (let i = 0; i < length; i++) if (equal[i] === 1) out[i] = wanted
    }
  } else compare(column, node.value, node.op, out)
  if (validity !== undefined) { for (let i = 0; i < length; i++) out[i] &= validity[i] }
  return out
}

type Comparison = "lt" | "le" | "gt" | "ge" | "eq" | "ne"

/** Whether a comparison holds of cells that are less, equal or greater. */
const holds: Record<Comparison, readonly [less: number, equal: number, greater: number]> = {
  lt: [1, 0, 0],
  le: [1, 1, 0],
  gt: [0, 0, 1],
  ge: [0, 1, 1],
  eq: [0, 1, 0],
  ne: [1, 0, 1],
}

const compare = (column: Column, value: Uint8Array, op: Comparison, out: Uint8Array): void => {
  const [less, equal, greater] = holds[op]
  const { type, values, offsets, cellValNum } = column
  const size = sizeOf(type)
  if (offsets !== undefined || cellValNum !== 1) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    const cell = size * (cellValNum === "var" ? 1 : cellValNum)
    for (let i = 0; i < out.length; i++) {
      const from = offsets === undefined ? i * cell : offsets[i] * size
      const to = offsets === undefined ? from + cell : offsets[i + 1] * size
      const c = compareBytes(bytes.subarray(from, to), value)
      out[i] = c < 0 ? less : c === 0 ? equal : greater
    }
    return
  }
  if (value.byteLength !== size) return
  const wanted = viewAs(type, value)
  if (isFloat(type)) {
    // nothing compares with NaN, but it differs from everything
    const w = wanted[0] as number
    for (let i = 0; i < out.length; i++) {
      const v = values[i] as number
      out[i] = v < w ? less : v === w ? equal : v > w ? greater : op === "ne" ? 1 : 0
    }
    return
  }
  const words = keyWords(values)
  const target = keyWords(wanted).map((w) => w[0])
  const last = words.length - 1
  for (let i = 0; i < out.length; i++) {
    let w = 0
    while (w < last && words[w][i] === target[w]) w++
    const a = words[w][i]
    const b = target[w]
    out[i] = a < b ? less : a === b ? equal : greater
  }
}

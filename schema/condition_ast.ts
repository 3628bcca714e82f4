/**
 * Conditions on cells, as delete and update commits keep them.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import {
  BinaryIssue,
  bytes,
  type Codec,
  codec,
  type Cursor,
  field,
  literal,
  type Sink,
  u32,
  u64,
  u64ColumnByBytes,
  utf8,
} from "./binary/mod.ts"

/** How the children of an expression go together. */
export type CombinationOp = "and" | "or" | "not"
/** How a cell is compared with the value. */
export type ComparisonOp = "lt" | "le" | "gt" | "ge" | "eq" | "ne" | "always_true" | "always_false"
/** Whether a cell is among the values. */
export type SetOp = "in" | "not_in"

/** A node of the tree. */
export type ConditionNode =
  | { readonly kind: "expression"; readonly op: CombinationOp; readonly children: ReadonlyArray<ConditionNode> }
  | {
    readonly kind: "value"
    readonly op: ComparisonOp | SetOp
    readonly field: string
    /** raw; no bytes with "eq" or "ne" are a null test, or the empty string */
    readonly value: Uint8Array
    /** of "in" and "not_in": where each value starts in `value` */
    readonly offsets?: Float64Array
  }

const combinations = literal({ and: 0, or: 1, not: 2 }, "combination")
const comparisonCodes = { lt: 0, le: 1, gt: 2, ge: 3, eq: 4, ne: 5, always_true: 253, always_false: 254 } as const
const setCodes = { in: 6, not_in: 7 } as const
const comparisons = literal({ ...comparisonCodes, ...setCodes }, "comparison")
const name = utf8(u32)
const value = bytes(u64)

const isSet = (op: ComparisonOp | SetOp): op is SetOp => op === "in" || op === "not_in"

/** Deeper trees are refused: nobody writes them, and recursion must end before the stack does. */
const DEEPEST = 500

const get = (c: Cursor, depth: number): ConditionNode => {
  const at = c.take(1)
  const kind = c.bytes[at]
  if (kind > 1) throw new BinaryIssue(at, `${kind} is no kind of condition node`)
  if (kind === 1) {
    const op = comparisons.get(c, undefined)
    const field = name.get(c, undefined)
    const bytes = value.get(c, undefined)
    return isSet(op)
      ? { kind: "value", op, field, value: bytes, offsets: u64ColumnByBytes.get(c, undefined) }
      : { kind: "value", op, field, value: bytes }
  }
  if (depth >= DEEPEST) throw new BinaryIssue(at, `conditions nested deeper than ${DEEPEST} are not read`)
  const op = combinations.get(c, undefined)
  const count = u64.get(c, undefined)
  c.checkCount(count, 10)
  const children: Array<ConditionNode> = []
  for (let i = 0; i < count; i++) {
    try {
      children.push(get(c, depth + 1))
    } catch (error) {
      if (error instanceof BinaryIssue) error.path.unshift("children", i)
      throw error
    }
  }
  return { kind: "expression", op, children }
}

const put = (s: Sink, node: ConditionNode): void => {
  s.append(Uint8Array.of(node.kind === "expression" ? 0 : 1))
  if (node.kind === "value") {
    comparisons.put(s, node.op, undefined)
    name.put(s, node.field, undefined)
    value.put(s, node.value, undefined)
    if (isSet(node.op)) u64ColumnByBytes.put(s, node.offsets ?? new Float64Array(0), undefined)
  } else {
    combinations.put(s, node.op, undefined)
    u64.put(s, node.children.length, undefined)
    for (const child of node.children) put(s, child)
  }
}

const fit = (node: ConditionNode, version: number): ConditionNode =>
  node.kind === "expression"
    ? { ...node, children: node.children.map((child) => fit(child, version)) }
    : { ...node, field: name.fit(node.field, version, undefined) }

const operators = <T extends string>(codes: Record<T, number>) =>
  Schema.Literal(...(Object.keys(codes) as [T, ...Array<T>]))

const schema = (): Schema.Schema<ConditionNode> => {
  const valueNode = { kind: Schema.Literal("value"), field: Schema.String, value: Schema.Uint8ArrayFromSelf }
  return Schema.Union(
    Schema.Struct({ ...valueNode, op: operators(comparisonCodes) }),
    Schema.Struct({ ...valueNode, op: operators(setCodes), offsets: u64ColumnByBytes.schema }),
    Schema.Struct({
      kind: Schema.Literal("expression"),
      op: combinations.schema,
      children: Schema.Array(Schema.suspend((): Schema.Schema<ConditionNode> => Condition.schema)),
    }),
  ) as unknown as Schema.Schema<ConditionNode>
}

/**
 * A tree of conditions, at most 500 deep. Format: `delete_commit_file.md`.
 *
 * ```ts
 * import { Condition, type ConditionNode, decode, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const condition: ConditionNode = {
 *   kind: "expression",
 *   op: "and",
 *   children: [
 *     { kind: "value", op: "gt", field: "n", value: Uint8Array.of(3) },
 *     { kind: "value", op: "in", field: "place", value: new TextEncoder().encode("FijiTonga"), offsets: Float64Array.of(0, 4) },
 *   ],
 * }
 * assertEquals(decode(Condition, encode(Condition, condition, 22), 22, "mem://a"), condition)
 * ```
 */
export const Condition: Codec<ConditionNode> = codec<ConditionNode>(field({
  schema,
  least: 10,
  get: (c) => get(c, 0),
  put,
  fit,
}))

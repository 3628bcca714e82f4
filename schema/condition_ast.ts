/**
 * The conditions on cells in delete and update commits.
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

/** The operator that combines the children of an expression. */
export type CombinationOp = "and" | "or" | "not"
/** The operator that compares a cell with a value. */
export type ComparisonOp = "lt" | "le" | "gt" | "ge" | "eq" | "ne" | "always_true" | "always_false"
/** The operator that tests whether a cell is in a set of values. */
export type SetOp = "in" | "not_in"

/** A node of a condition tree. */
export type ConditionNode =
  | { readonly kind: "expression"; readonly op: CombinationOp; readonly children: ReadonlyArray<ConditionNode> }
  | {
    readonly kind: "value"
    readonly op: ComparisonOp | SetOp
    readonly field: string
    /** The raw value. An empty value with "eq" or "ne" is a null test, or the empty string. */
    readonly value: Uint8Array
    /** For "in" and "not_in": the start of each value in `value`. */
    readonly offsets?: Float64Array
  }

const combinations = literal({ and: 0, or: 1, not: 2 }, "combination")
const comparisonCodes = { lt: 0, le: 1, gt: 2, ge: 3, eq: 4, ne: 5, always_true: 253, always_false: 254 } as const
const setCodes = { in: 6, not_in: 7 } as const
const comparisons = literal({ ...comparisonCodes, ...setCodes }, "comparison")
const name = utf8(u32)
const value = bytes(u64)

const isSet = (op: ComparisonOp | SetOp): op is SetOp => op === "in" || op === "not_in"

/** The maximum depth: deeper trees are rejected before the recursion overflows the stack. */
const MAX_DEPTH = 500

const get = (c: Cursor, depth: number): ConditionNode => {
  const at = c.take(1)
  const kind = c.bytes[at]
  if (kind > 1) throw new BinaryIssue(at, `unknown kind of condition node ${kind}`)
  if (kind === 1) {
    const op = comparisons.get(c, undefined)
    const field = name.get(c, undefined)
    const bytes = value.get(c, undefined)
    return isSet(op)
      ? { kind: "value", op, field, value: bytes, offsets: u64ColumnByBytes.get(c, undefined) }
      : { kind: "value", op, field, value: bytes }
  }
  if (depth >= MAX_DEPTH) throw new BinaryIssue(at, `conditions nested deeper than ${MAX_DEPTH} are not supported`)
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
 * The codec of a condition tree, at most 500 levels deep. Format: `delete_commit_file.md`.
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
  minBytes: 10,
  get: (c) => get(c, 0),
  put,
  fit,
}))

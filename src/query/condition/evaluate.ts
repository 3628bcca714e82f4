/**
 * Evaluates conditions on columns. A comparison with null is false, as in the engine.
 *
 * The tree is evaluated block by block. The results of its children stay in the processor's cache, and memory use does
 * not grow with the size of the tree.
 */
import type { ConditionNode } from "../../../schema/condition_ast.ts"
import { arrayOf, sizeOf, viewAs } from "../../../schema/array/datatype.ts"
import { compareByteCells, compareHalves, compareNumbers, type Outcome } from "../../kernel/match/compare_value.ts"
import { byteCellsIn, byteTable, halvesIn, numbersIn, numberTable } from "../../kernel/match/member_of.ts"
import { type CellBlocks, cellBlocks } from "./column_blocks.ts"
import type { Predicate } from "../../condition/predicate.ts"
import type { Column } from "../column/column.ts"

type ValueNode = ConditionNode & { readonly kind: "value" }

/** Tests the cells from `from` on; writes 1 or 0 to each byte of `out`. */
type Test = (from: number, out: Uint8Array) => void

/** Number of cells per block. */
const BLOCK_CELLS = 8192

/** Returns one byte per cell: 1 where the condition is true. */
export const evaluate = (
  node: Predicate,
  columns: ReadonlyMap<string, Column>,
  length: number,
): Uint8Array => {
  const out = new Uint8Array(length)
  const blocks = new Map<string, CellBlocks>()
  for (const [name, column] of columns) blocks.set(name, cellBlocks(column, BLOCK_CELLS))
  const test = testOf(node, blocks, [], 0)
  for (let from = 0; from < length; from += BLOCK_CELLS) {
    test(from, out.subarray(from, Math.min(from + BLOCK_CELLS, length)))
  }
  return out
}

const always = (value: number): Test => (_, out) => void out.fill(value)

/**
 * Compiles a node. `spare[depth]` is scratch memory for the second and later children of an expression at that depth.
 */
const testOf = (
  node: Predicate,
  blocks: ReadonlyMap<string, CellBlocks>,
  spare: Array<Uint8Array>,
  depth: number,
): Test => {
  if (node.kind === "value") return valueTest(node, blocks)
  if (node.kind === "null") return nullTest(blocks.get(node.field)!.column.validity, node.op)
  const tests = node.children.map((child) => testOf(child, blocks, spare, depth + 1))
  if (node.op === "not") {
    const [child] = tests
    return (from, out) => {
      child(from, out)
      for (let i = 0; i < out.length; i++) out[i] ^= 1
    }
  }
  const decisive = node.op === "and" ? 0 : 1
  if (tests.length === 0) return always(decisive ^ 1)
  const mask = spare[depth] ??= new Uint8Array(BLOCK_CELLS)
  return (from, out) => {
    const bytes = mask.subarray(0, out.length)
    tests[0](from, out)
    for (let t = 1; t < tests.length; t++) {
      // stop when no later child can change a result
      if (!out.includes(decisive ^ 1)) return
      tests[t](from, bytes)
      if (decisive === 0) { for (let i = 0; i < out.length; i++) out[i] &= bytes[i] }
      else for (let i = 0; i < out.length; i++) out[i] |= bytes[i]
    }
  }
}

type Comparison = "lt" | "le" | "gt" | "ge" | "eq" | "ne"

/** Results of comparisons. NaN is unequal to everything; all other comparisons with it are false. */
const outcomes: Record<Comparison, Outcome> = {
  lt: { less: 1, equal: 0, greater: 0 },
  le: { less: 1, equal: 1, greater: 0 },
  gt: { less: 0, equal: 0, greater: 1 },
  ge: { less: 0, equal: 1, greater: 1 },
  eq: { less: 0, equal: 1, greater: 0 },
  ne: { less: 1, equal: 0, greater: 1 },
}

const nullTest = (validity: Uint8Array | undefined, op: "eq" | "ne"): Test => {
  const requested = op === "eq" ? 0 : 1
  if (validity === undefined) return always(requested)
  return (from, out) => {
    for (let i = 0; i < out.length; i++) out[i] = (validity[from + i] === 0 ? 0 : 1) === requested ? 1 : 0
  }
}

const valueTest = (node: ValueNode, blocks: ReadonlyMap<string, CellBlocks>): Test => {
  if (node.op === "always_true") return always(1)
  if (node.op === "always_false") return always(0)
  const cells = blocks.get(node.field)!
  const { validity, offsets } = cells.column
  if (node.value.byteLength === 0 && offsets === undefined && (node.op === "eq" || node.op === "ne")) {
    // a comparison of a fixed-size field with an empty value is a null test
    return nullTest(validity, node.op)
  }
  const test = node.op === "in" || node.op === "not_in"
    ? setTest(membersOf(node), node.op === "not_in", cells)
    : comparisonTest(node.value, outcomes[node.op], cells)
  if (validity === undefined) return test
  return (from, out) => {
    test(from, out)
    for (let i = 0; i < out.length; i++) if (validity[from + i] === 0) out[i] = 0
  }
}

const membersOf = (node: ValueNode): ReadonlyArray<Uint8Array> => {
  const { value, offsets = new Float64Array(0) } = node
  return Array.from(offsets, (at, k) => value.subarray(at, k + 1 < offsets.length ? offsets[k + 1] : value.byteLength))
}

/** Returns the test of a comparison. It is false if the value and the cells differ in size. */
const comparisonTest = (value: Uint8Array, outcome: Outcome, cells: CellBlocks): Test => {
  const { type } = cells.column
  if (cells.kind === "bytes") return (from, out) => compareByteCells(cells.bytes, from, value, outcome, out)
  if (value.byteLength !== sizeOf(type)) return always(0)
  const requested = viewAs(type, value)
  if (cells.kind === "numbers") {
    const number = requested[0] as number
    return (from, out) => compareNumbers(cells.at(from), number, outcome, out)
  }
  const words = new Int32Array(requested.buffer, requested.byteOffset, 2)
  return (from, out) => compareHalves(cells.halves, from, words, outcome, out)
}

const setTest = (members: ReadonlyArray<Uint8Array>, negated: boolean, cells: CellBlocks): Test => {
  const test = memberTest(members, cells)
  if (!negated) return test
  return (from, out) => {
    test(from, out)
    for (let i = 0; i < out.length; i++) out[i] ^= 1
  }
}

const memberTest = (members: ReadonlyArray<Uint8Array>, cells: CellBlocks): Test => {
  const { type } = cells.column
  if (cells.kind === "bytes") {
    const table = byteTable(members)
    return (from, out) => byteCellsIn(cells.bytes, from, table, out)
  }
  const size = sizeOf(type)
  const fitting = members.filter((m) => m.byteLength === size)
  const values = new (arrayOf(type))(fitting.length)
  const bytes = new Uint8Array(values.buffer)
  fitting.forEach((m, k) => bytes.set(m, k * size))
  if (cells.kind === "numbers") {
    const table = numberTable(Float64Array.from(values as Float64Array))
    return (from, out) => numbersIn(cells.at(from), table, out)
  }
  values.sort()
  const table = new Int32Array(values.buffer, values.byteOffset, 2 * values.length)
  return (from, out) => halvesIn(cells.halves, from, table, out)
}

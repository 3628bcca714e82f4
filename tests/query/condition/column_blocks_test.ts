/** Conditions with large sets, many cells and many children, compared with a test of every member of every set. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import type { ConditionNode } from "../../../schema/condition_ast.ts"
import { arrayOf, type Datatype } from "../../../schema/array/datatype.ts"
import { type Scalar, scalarBytes } from "../../../schema/array/scalar.ts"
import type { Column } from "../../../src/query/column/column.ts"
import { evaluate } from "../../../src/query/condition/evaluate.ts"
import { join } from "../../support/build_array.ts"

/** More than two blocks of cells. */
const CELL_COUNT = 20_011

/** Returns a set in the form of stored conditions. */
const setNode = (op: "in" | "not_in", members: ReadonlyArray<Uint8Array>): ConditionNode => {
  const offsets = new Float64Array(members.length)
  for (let k = 1; k < members.length; k++) offsets[k] = offsets[k - 1] + members[k - 1].length
  return { kind: "value", op, field: "f", value: join(...members), offsets }
}

const one = (f: Column): ReadonlyMap<string, Column> => new Map([["f", f]])

/** Strings that have common prefixes, or differ only in length or in the last byte. */
const text = fc.constantFrom("", "a", "a\0", "aa", "aaaaaaaaaa", "aaaaaaaaab", "b", "\x80", "\xff\xff", "\xff")
const encodeText = (t: string): Uint8Array => Uint8Array.from(t, (c) => c.charCodeAt(0))
const nullable = fc.option(fc.array(fc.nat(1), { minLength: 9, maxLength: 9 }).map((v) => Uint8Array.from(v)), {
  nil: undefined,
})
const setOp = fc.constantFrom("in" as const, "not_in" as const)

describe("sets", () => {
  it("of strings match cells with the same bytes", () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 9, maxLength: 9 }),
        fc.array(text, { maxLength: 6 }),
        setOp,
        nullable,
        (texts, set, op, validity) => {
          const offsets = new Uint32Array(10)
          texts.forEach((t, i) => offsets[i + 1] = offsets[i] + t.length)
          const values = encodeText(texts.join(""))
          const f: Column = { name: "f", type: "string_ascii", cellValNum: "var", length: 9, values, offsets, validity }
          assertEquals(
            [...evaluate(setNode(op, set.map(encodeText)), one(f), 9)],
            texts.map((t, i) => validity?.[i] !== 0 && set.includes(t) === (op === "in") ? 1 : 0),
          )
        },
      ),
      { seed: 1, numRuns: 300 },
    )
  })

  it("of cells with several values of two bytes match cells with the same bytes", () => {
    const cell = fc.array(fc.constantFrom(0, 1, 255, 256), { minLength: 2, maxLength: 2 })
    const bytesOf = (c: ReadonlyArray<number>): Uint8Array => new Uint8Array(Uint16Array.from(c).buffer)
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 9, maxLength: 9 }),
        fc.array(cell, { maxLength: 6 }),
        setOp,
        fc.boolean(),
        (cells, set, op, inRuns) => {
          const values = Uint16Array.from(cells.flat())
          const offsets = Uint32Array.from({ length: 10 }, (_, i) => 2 * i)
          const f: Column = inRuns
            ? { name: "f", type: "uint16", cellValNum: "var", length: 9, values, offsets }
            : { name: "f", type: "uint16", cellValNum: 2, length: 9, values }
          assertEquals(
            [...evaluate(setNode(op, set.map(bytesOf)), one(f), 9)],
            cells.map((c) => set.some((s) => s.join() === c.join()) === (op === "in") ? 1 : 0),
          )
        },
      ),
      { seed: 2, numRuns: 300 },
    )
  })

  it("ignore members whose size differs from the cells' size", () => {
    const f: Column = { name: "f", type: "int32", cellValNum: 1, length: 3, values: Int32Array.of(1, 2, 3) }
    const members = [Uint8Array.of(1), scalarBytes("int32", 3), new Uint8Array(0)]
    assertEquals([...evaluate(setNode("in", members), one(f), 3)], [0, 0, 1])
    assertEquals([...evaluate(setNode("not_in", members), one(f), 3)], [1, 1, 0])
  })

  it("of ten thousand members test a million cells with one or two lookups per cell", () => {
    const N = 1_000_000
    const types: ReadonlyArray<readonly [Datatype, (k: number) => Scalar]> = [
      ["float64", (k) => k / 7],
      ["int64", (k) => BigInt(k) * 2n ** 31n - 2n ** 43n],
      ["uint32", (k) => k * 400_000],
    ]
    for (const [type, valueOf] of types) {
      const values = new (arrayOf(type))(N)
      for (let i = 0; i < N; i++) values[i] = valueOf((i * 7919) % 20_000 >> 1) as never
      const members = Array.from({ length: 10_000 }, (_, k) => scalarBytes(type, valueOf((9_999 - k) >> 1)))
      const start = performance.now()
      const out = evaluate(setNode("in", members), one({ name: "f", type, cellValNum: 1, length: N, values }), N)
      // testing every member for every cell takes a hundred times as long
      assert(performance.now() - start < 8_000, type)
      for (let i = 0; i < N; i += 997) assertEquals(out[i], ((i * 7919) % 20_000) >> 1 < 5_000 ? 1 : 0)
    }
  })
})

describe("many cells", () => {
  const cells = (type: Datatype, valueOf: (k: number) => Scalar): Column => {
    const values = new (arrayOf(type))(CELL_COUNT)
    for (let i = 0; i < CELL_COUNT; i++) values[i] = valueOf(i % 251) as never
    const validity = Uint8Array.from({ length: CELL_COUNT }, (_, i) => i % 17 === 0 ? 0 : 1)
    return { name: "f", type, cellValNum: 1, length: CELL_COUNT, values, validity }
  }
  const types: ReadonlyArray<readonly [Datatype, (k: number) => Scalar]> = [
    ["int8", (k) => k - 125],
    ["uint16", (k) => k * 261],
    ["float32", (k) => k === 3 ? NaN : k / 2],
    ["float64", (k) => k === 3 ? NaN : k === 4 ? -0 : k / 3],
    ["int64", (k) => BigInt(k - 125) * 2n ** 40n],
    ["uint64", (k) => BigInt(k) * 2n ** 56n],
  ]
  for (const [type, valueOf] of types) {
    it(`of ${type} are compared by their values and validity`, () => {
      const f = cells(type, valueOf)
      for (const k of [0, 3, 4, 100, 250]) {
        const operand = f.values[k] as Scalar
        const value = scalarBytes(type, valueOf(k))
        for (const [op, holds] of [["lt", (a: Scalar) => a < operand], ["ge", (a: Scalar) => a >= operand]] as const) {
          assertEquals(
            [...evaluate({ kind: "value", op, field: "f", value }, one(f), CELL_COUNT)],
            Array.from(f.values as ArrayLike<Scalar>, (v, i) => f.validity![i] === 1 && holds(v) ? 1 : 0),
          )
        }
        assertEquals(
          [...evaluate(setNode("not_in", [value]), one(f), CELL_COUNT)],
          Array.from(f.values as ArrayLike<Scalar>, (v, i) => f.validity![i] === 1 && v !== operand ? 1 : 0),
        )
      }
    })
  }

  it("are tested with many children, one child at a time", () => {
    // a mask for each child would take 10^9 bytes
    const N = 100_000
    const values = Int32Array.from({ length: N }, (_, i) => i % 1000)
    const f: Column = { name: "f", type: "int32", cellValNum: 1, length: N, values }
    const children = Array.from({ length: 10_000 }, (_, k): ConditionNode => ({
      kind: "value",
      op: k % 2 === 0 ? "ne" : "eq",
      field: "f",
      value: scalarBytes("int32", k % 2 === 0 ? 2 * (k % 500) : k % 1000),
    }))
    const nots = children.filter((_, k) => k % 2 === 0)
    const eqs = children.filter((_, k) => k % 2 === 1)
    const node: ConditionNode = {
      kind: "expression",
      op: "and",
      children: [{ kind: "expression", op: "and", children: nots }, { kind: "expression", op: "or", children: eqs }],
    }
    const out = evaluate(node, one(f), N)
    const without = new Set(nots.map((_, k) => 2 * ((2 * k) % 500)))
    for (let i = 0; i < N; i++) {
      if (out[i] !== (!without.has(i % 1000) && i % 2 === 1 ? 1 : 0)) throw new Error(`cell ${i}`)
    }
  })

  it("are tested with a deep tree", () => {
    const values = Uint8Array.from({ length: CELL_COUNT }, (_, i) => i % 251)
    const f: Column = { name: "f", type: "uint8", cellValNum: 1, length: CELL_COUNT, values }
    let node: ConditionNode = { kind: "value", op: "lt", field: "f", value: Uint8Array.of(100) }
    let truth = (v: number): boolean => v < 100
    for (let k = 0; k < 400; k++) {
      const leaf: ConditionNode = { kind: "value", op: "eq", field: "f", value: Uint8Array.of(k % 251) }
      const before = truth
      const or = k % 3 === 0
      if (k % 7 === 6) {
        node = { kind: "expression", op: "not", children: [node] }
        truth = (v) => !before(v)
      } else {
        node = { kind: "expression", op: or ? "or" : "and", children: or ? [leaf, node] : [node, notOf(leaf)] }
        truth = (v) => or ? v === k % 251 || before(v) : before(v) && v !== k % 251
      }
    }
    assertEquals([...evaluate(node, one(f), CELL_COUNT)], Array.from(values, (v) => truth(v) ? 1 : 0))
  })
})

const notOf = (node: ConditionNode): ConditionNode => ({ kind: "expression", op: "not", children: [node] })

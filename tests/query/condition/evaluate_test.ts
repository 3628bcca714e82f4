/** Stored conditions, compared with an evaluation value by value. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import type { ConditionNode } from "../../../schema/condition_ast.ts"
import { arrayOf, type Datatype, viewAs } from "../../../schema/array/datatype.ts"
import { readScalar, type Scalar, scalarBytes } from "../../../schema/array/scalar.ts"
import type { Column } from "../../../src/query/column/column.ts"
import { conditionFields } from "../../../src/condition/predicate.ts"
import { evaluate } from "../../../src/query/condition/evaluate.ts"

const N = 12
type Comparison = "lt" | "le" | "gt" | "ge" | "eq" | "ne"

const types: ReadonlyArray<readonly [Datatype, ReadonlyArray<Scalar>]> = [
  ["int8", [-128, -1, 0, 1, 127]],
  ["uint8", [0, 1, 128, 255]],
  ["int32", [-(2 ** 31), -1, 0, 7, 2 ** 31 - 1]],
  ["uint32", [0, 1, 2 ** 31, 2 ** 32 - 1]],
  ["int64", [-(2n ** 63n), -1n, 0n, 2n ** 32n, 2n ** 63n - 1n]],
  ["uint64", [0n, 1n, 2n ** 63n, 2n ** 64n - 1n]],
  ["float32", [NaN, -0, 0, 1, -1, Infinity]],
  ["float64", [NaN, -0, 0, 5e-324, -Infinity, Infinity]],
  ["datetime_ns", [-(2n ** 63n), -5n, 0n, 5n]],
]

const holds = (op: Comparison, a: Scalar | string, b: Scalar | string): boolean =>
  op === "lt"
    ? a < b
    : op === "le"
    ? a <= b
    : op === "gt"
    ? a > b
    : op === "ge"
    ? a >= b
    : op === "eq"
    ? a === b
    : a !== b

const column = (
  name: string,
  type: Datatype,
  values: ReadonlyArray<Scalar>,
  validity: Uint8Array | undefined,
): Column => {
  const array = new (arrayOf(type))(values.length)
  values.forEach((v, i) => array[i] = v as never)
  return { name, type, cellValNum: 1, length: values.length, values: array, validity }
}

const valuesOf = (column: Column): ReadonlyArray<Scalar> => [...column.values] as ReadonlyArray<Scalar>

const ops: ReadonlyArray<Comparison> = ["lt", "le", "gt", "ge", "eq", "ne"]
const comparison = fc.constantFrom(...ops)
const validity = fc.option(fc.array(fc.nat(1), { minLength: N, maxLength: N }).map((v) => Uint8Array.from(v)), {
  nil: undefined,
})

describe("comparisons", () => {
  for (const [type, some] of types) {
    it(`of ${type} match like comparisons of single values, and never match nulls`, () => {
      const value = fc.constantFrom(...some)
      const values = fc.array(value, { minLength: N, maxLength: N })
      fc.assert(
        fc.property(values, value, comparison, validity, (values, operand, op, validity) => {
          const node: ConditionNode = { kind: "value", op, field: "f", value: scalarBytes(type, operand) }
          const target = readScalar(type, scalarBytes(type, operand))
          const f = column("f", type, values, validity)
          assertEquals(
            [...evaluate(node, new Map([["f", f]]), N)],
            valuesOf(f).map((v, i) => validity?.[i] === 0 ? 0 : holds(op, v, target) ? 1 : 0),
          )
        }),
        { seed: 1 },
      )
    })

    it(`of ${type} with a set match like comparisons with each member`, () => {
      const value = fc.constantFrom(...some)
      const values = fc.array(value, { minLength: N, maxLength: N })
      const set = fc.array(value, { maxLength: 4 })
      fc.assert(
        fc.property(
          values,
          set,
          fc.constantFrom("in" as const, "not_in" as const),
          validity,
          (values, set, op, validity) => {
            const parts = set.map((v) => scalarBytes(type, v))
            const bytes = Uint8Array.from(parts.flatMap((p) => [...p]))
            const offsets = Float64Array.from(parts, (p, i) => i * p.byteLength)
            const node: ConditionNode = { kind: "value", op, field: "f", value: bytes, offsets }
            const f = column("f", type, values, validity)
            const members = [...viewAs(type, bytes)] as ReadonlyArray<Scalar>
            assertEquals(
              [...evaluate(node, new Map([["f", f]]), N)],
              valuesOf(f).map((v, i) =>
                validity?.[i] === 0 ? 0 : members.some((w) => w === v) === (op === "in") ? 1 : 0
              ),
            )
          },
        ),
        { seed: 2 },
      )
    })
  }

  it("of strings compare bytes, a prefix first", () => {
    const text = fc.constantFrom("", "a", "a\0", "aa", "b", "\x80", "\xff")
    fc.assert(
      fc.property(
        fc.array(text, { minLength: N, maxLength: N }),
        text,
        comparison,
        validity,
        (texts, operand, op, validity) => {
          const encode = (t: string) => Uint8Array.from(t, (c) => c.charCodeAt(0))
          const offsets = new Uint32Array(N + 1)
          texts.forEach((t, i) => offsets[i + 1] = offsets[i] + t.length)
          const values = encode(texts.join(""))
          const f: Column = { name: "f", type: "string_ascii", cellValNum: "var", length: N, values, offsets, validity }
          const node: ConditionNode = { kind: "value", op, field: "f", value: encode(operand) }
          assertEquals(
            [...evaluate(node, new Map([["f", f]]), N)],
            texts.map((t, i) => validity?.[i] === 0 ? 0 : holds(op, t, operand) ? 1 : 0),
          )
        },
      ),
      { seed: 3 },
    )
  })

  it("with an empty value are null tests of fixed-size fields", () => {
    const valid = Uint8Array.of(1, 0, 1)
    const none = new Uint8Array(0)
    for (const [op, expected] of [["eq", [0, 1, 0]], ["ne", [1, 0, 1]]] as const) {
      const node: ConditionNode = { kind: "value", op, field: "f", value: none }
      assertEquals([...evaluate(node, new Map([["f", column("f", "int32", [1, 2, 3], valid)]]), 3)], [...expected])
      const never = column("f", "int32", [1, 2, 3], undefined)
      assertEquals([...evaluate(node, new Map([["f", never]]), 3)], op === "eq" ? [0, 0, 0] : [1, 1, 1])
    }
  })

  it("with a value of another size match no cell", () => {
    for (const op of ops) {
      const node: ConditionNode = { kind: "value", op, field: "f", value: new Uint8Array(3) }
      assertEquals([...evaluate(node, new Map([["f", column("f", "int32", [0, 1], undefined)]]), 2)], [0, 0])
    }
  })
})

describe("trees", () => {
  const leaf = fc.tuple(fc.constantFrom("f", "g"), comparison, fc.nat(4)).map(([field, op, value]): ConditionNode => ({
    kind: "value",
    op,
    field,
    value: scalarBytes("uint8", value),
  }))
  const constant = fc.constantFrom("always_true" as const, "always_false" as const).map((op): ConditionNode => ({
    kind: "value",
    op,
    field: "",
    value: new Uint8Array(0),
  }))
  const tree = (depth: number): fc.Arbitrary<ConditionNode> =>
    depth === 0 ? fc.oneof(leaf, leaf, constant) : fc.oneof(
      leaf,
      tree(depth - 1).map((child): ConditionNode => ({ kind: "expression", op: "not", children: [child] })),
      fc.tuple(
        fc.constantFrom("and" as const, "or" as const),
        fc.array(tree(depth - 1), { minLength: 1, maxLength: 3 }),
      )
        .map(([op, children]): ConditionNode => ({ kind: "expression", op, children })),
    )
  const truth = (node: ConditionNode, cell: Readonly<Record<string, number>>): boolean =>
    node.kind === "value"
      ? node.op === "always_true" || (node.op !== "always_false" &&
        holds(node.op as Comparison, cell[node.field], node.value[0]))
      : node.op === "not"
      ? !truth(node.children[0], cell)
      : node.op === "and"
      ? node.children.every((c) => truth(c, cell))
      : node.children.some((c) => truth(c, cell))

  it("combine with and, or and not, and list their fields", () => {
    const values = fc.array(fc.nat(4), { minLength: N, maxLength: N })
    fc.assert(
      fc.property(tree(3), values, values, (node, f, g) => {
        const columns = new Map([
          ["f", column("f", "uint8", f, undefined)],
          ["g", column("g", "uint8", g, undefined)],
        ])
        assertEquals([...evaluate(node, columns, N)], f.map((_, i) => truth(node, { f: f[i], g: g[i] }) ? 1 : 0))
        const named = JSON.stringify(node)
        for (const field of ["f", "g"]) {
          assertEquals(conditionFields(node).has(field), named.includes(`"field":"${field}"`))
        }
      }),
      { seed: 4, numRuns: 200 },
    )
  })
})

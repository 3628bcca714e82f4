import { assert } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { describe, it } from "node:test"
import { type Datatype, viewAs } from "../../../schema/array/datatype.ts"
import { scalarBytes } from "../../../schema/array/scalar.ts"
import type { Column } from "../../../src/query/column/column.ts"
import type { Predicate } from "../../../src/condition/predicate.ts"
import { evaluate } from "../../../src/query/condition/evaluate.ts"
import { type KnownCells, mayMatch } from "../../../src/query/condition/may_match.ts"

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

/** Returns the statistics that engines store: the bounds of the non-null cells, and the number of nulls. */
const knownOf = (type: Datatype, text: boolean, cells: ReadonlyArray<Uint8Array | null>): KnownCells => {
  const nonNull = cells.filter((cell) => cell !== null)
  const sorted = text
    ? nonNull.toSorted((a, b) => {
      for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i]
      return a.length - b.length
    })
    : nonNull.toSorted((a, b) => {
      const [x, y] = [viewAs(type, a)[0], viewAs(type, b)[0]]
      return x < y ? -1 : x > y ? 1 : 0
    })
  const nan = nonNull.some((cell) => !text && viewAs(type, cell)[0] !== viewAs(type, cell)[0])
  return {
    type,
    text,
    bounds: nonNull.length === 0 || nan ? undefined : { low: sorted[0], high: sorted[sorted.length - 1] },
    nulls: cells.length - nonNull.length,
    cells: cells.length,
  }
}

const columnOf = (type: Datatype, text: boolean, cells: ReadonlyArray<Uint8Array | null>): Column => {
  const size = text ? 0 : scalarBytes(type, type.includes("64") ? 0n : 0).length
  const bytes = cells.map((cell) => cell ?? new Uint8Array(size))
  const validity = Uint8Array.from(cells, (cell) => cell === null ? 0 : 1)
  const base = { name: "f", type, length: cells.length, values: viewAs(type, join(bytes)), validity }
  if (!text) return { ...base, cellValNum: 1 }
  const offsets = new Uint32Array(cells.length + 1)
  bytes.forEach((cell, i) => offsets[i + 1] = offsets[i] + cell.length)
  return { ...base, cellValNum: "var", offsets }
}

const kinds = [
  { type: "int8", text: false, value: FastCheck.integer({ min: -3, max: 3 }).map((n) => scalarBytes("int8", n)) },
  { type: "uint64", text: false, value: FastCheck.bigInt({ min: 0n, max: 5n }).map((n) => scalarBytes("uint64", n)) },
  {
    type: "float64",
    text: false,
    value: FastCheck.constantFrom(-Infinity, -1, -0, 0, 1, 2, NaN, Infinity).map((n) => scalarBytes("float64", n)),
  },
  {
    type: "string_ascii",
    text: true,
    value: FastCheck.array(FastCheck.constantFrom(0, 97, 98), { maxLength: 3 }).map((b) => Uint8Array.from(b)),
  },
] as const

const predicates = (value: FastCheck.Arbitrary<Uint8Array>): FastCheck.Arbitrary<Predicate> => {
  const leaf = FastCheck.oneof(
    FastCheck.record({
      kind: FastCheck.constant("value" as const),
      op: FastCheck.constantFrom("lt", "le", "gt", "ge", "eq", "ne", "always_true", "always_false"),
      field: FastCheck.constant("f"),
      value,
    }),
    FastCheck.tuple(FastCheck.constantFrom("in" as const, "not_in" as const), FastCheck.array(value, { maxLength: 3 }))
      .map(
        ([op, members]): Predicate => {
          const offsets = new Float64Array(members.length)
          for (let i = 1; i < members.length; i++) offsets[i] = offsets[i - 1] + members[i - 1].length
          return { kind: "value", op, field: "f", value: join(members), offsets }
        },
      ),
    FastCheck.record({
      kind: FastCheck.constant("null" as const),
      op: FastCheck.constantFrom("eq", "ne"),
      field: FastCheck.constant("f"),
    }),
  ) as FastCheck.Arbitrary<Predicate>
  const { tree } = FastCheck.letrec((tie) => ({
    tree: FastCheck.oneof(
      { depthSize: "small" },
      leaf,
      FastCheck.record({
        kind: FastCheck.constant("expression"),
        op: FastCheck.constantFrom("and", "or"),
        children: FastCheck.array(tie("tree"), { minLength: 1, maxLength: 3 }),
      }),
      FastCheck.record({
        kind: FastCheck.constant("expression"),
        op: FastCheck.constant("not"),
        children: FastCheck.array(tie("tree"), { minLength: 1, maxLength: 1 }),
      }),
    ),
  }))
  return tree as FastCheck.Arbitrary<Predicate>
}

describe("tiles that statistics rule out", () => {
  for (const { type, text, value } of kinds) {
    it(`contain no matching cell: ${type}`, () => {
      let skipped = 0
      FastCheck.assert(
        FastCheck.property(
          FastCheck.array(FastCheck.option(value as FastCheck.Arbitrary<Uint8Array>, { freq: 4 }), {
            minLength: 1,
            maxLength: 6,
          }),
          predicates(value as FastCheck.Arbitrary<Uint8Array>),
          (cells, predicate) => {
            const column = columnOf(type, text, cells)
            const mask = evaluate(predicate, new Map([["f", column]]), cells.length)
            if (!mayMatch(predicate, () => knownOf(type, text, cells))) {
              skipped++
              assert(!mask.includes(1))
            }
            assert(mayMatch(predicate, () => undefined) || !mask.includes(1))
          },
        ),
        { numRuns: 2000 },
      )
      assert(skipped > 100, `${skipped} tiles were ruled out`)
    })
  }
})

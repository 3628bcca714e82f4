/** Deletes at several timestamps over several fragments, compared with a test of each cell. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { encode } from "../../../schema/binary/mod.ts"
import { DeleteCondition } from "../../../schema/commit/delete_condition.ts"
import type { ConditionNode } from "../../../schema/condition_ast.ts"
import { scalarBytes } from "../../../schema/array/scalar.ts"
import * as build from "../../support/build_array.ts"
import { answerOf } from "../../support/run_bytes.ts"

interface Cell {
  readonly x: number
  /** `undefined` is null. */
  readonly v: number | undefined
}

const cells = fc.uniqueArray(fc.record({ x: fc.nat(9), v: fc.option(fc.nat(5), { nil: undefined }) }), {
  minLength: 1,
  maxLength: 7,
  selector: (c) => c.x,
}).map((list) => list.sort((a, b) => a.x - b.x))

const remove = fc.record({
  /** Fragments are written at 10, 20 and 30. */
  time: fc.constantFrom(5, 10, 15, 20, 25, 40),
  field: fc.constantFrom("x" as const, "v" as const),
  op: fc.constantFrom("lt" as const, "ge" as const, "ne" as const, "in" as const),
  value: fc.nat(9),
})
type Remove = typeof remove extends fc.Arbitrary<infer T> ? T : never

const schema = build.arraySchema({
  arrayType: "sparse",
  dimensions: [build.dimension("x", "int32", 0, 9, 10)],
  attributes: [build.attribute("v", "int32", { nullable: true }), build.attribute("w", "int32")],
  capacity: 3,
})

const fragmentOf = (cells: ReadonlyArray<Cell>, time: number): build.FragmentParts => {
  const tiles: Array<ReadonlyArray<Cell>> = []
  for (let i = 0; i < cells.length; i += schema.capacity) tiles.push(cells.slice(i, i + schema.capacity))
  const numbers = (of: (c: Cell) => number) =>
    tiles.map((t) => build.join(...t.map((c) => scalarBytes("int32", of(c)))))
  const xs = cells.map((c) => c.x)
  return {
    time,
    domain: build.rangesOf(schema.dimensions, [[Math.min(...xs), Math.max(...xs)]]),
    tileCount: tiles.length,
    lastTileCells: tiles[tiles.length - 1].length,
    fields: {
      x: { fixed: numbers((c) => c.x) },
      v: {
        fixed: numbers((c) => c.v ?? 7),
        validity: tiles.map((t) => Uint8Array.from(t, (c) => c.v === undefined ? 0 : 1)),
      },
      w: { fixed: numbers((c) => time * 100 + c.x) },
    },
    mbrs: {
      count: tiles.length,
      dimensions: [{ kind: "fixed", values: Int32Array.from(tiles.flatMap((t) => [t[0].x, t[t.length - 1].x])) }],
    },
  }
}

/** Returns the condition of the remaining cells. */
const nodeOf = ({ field, op, value }: Remove): ConditionNode => {
  const bytes = scalarBytes("int32", value)
  return op === "in"
    ? { kind: "value", op, field, value: build.join(bytes, scalarBytes("int32", 2)), offsets: Float64Array.of(0, 4) }
    : { kind: "value", op, field, value: bytes }
}

const stays = ({ field, op, value }: Remove, cell: Cell): boolean => {
  const operand = cell[field]
  if (operand === undefined) return false
  return op === "lt"
    ? operand < value
    : op === "ge"
    ? operand >= value
    : op === "ne"
    ? operand !== value
    : operand === value || operand === 2
}

describe("deletes", () => {
  it("remove the newest cell at a coordinate if it is not newer than the delete, and do not restore older cells", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(cells, { maxLength: 3 }),
        fc.array(remove, { maxLength: 4 }),
        fc.constantFrom("row" as const, "unordered" as const, "global" as const),
        fc.option(fc.tuple(fc.nat(4), fc.integer({ min: 5, max: 9 })), { nil: undefined }),
        async (fragments, removes, order, range) => {
          const files = build.buildArray("a", schema, fragments.map((list, i) => fragmentOf(list, 10 * (i + 1))))
          removes.forEach((r, i) => {
            const name = `__${r.time}_${r.time}_${`${i + 1}`.padStart(32, "0")}_22.del`
            files.set(`a/__commits/${name}`, build.genericTile(encode(DeleteCondition, nodeOf(r), 22)))
          })
          const newest = new Map<number, { readonly cell: Cell; readonly time: number }>()
          fragments.forEach((list, i) => list.forEach((cell) => newest.set(cell.x, { cell, time: 10 * (i + 1) })))
          const remaining = [...newest.values()]
            .filter(({ cell }) => range === undefined || (range[0] <= cell.x && cell.x <= range[1]))
            .filter(({ cell, time }) => removes.every((r) => time > r.time || stays(r, cell)))
            .sort((a, b) => a.cell.x - b.cell.x)
          const { columns } = await answerOf(files, "a", { order, ...range && { region: { x: [range] } } })
          const { x, v, w } = columns
          const answer = Array.from(
            x.values as Int32Array,
            (at, i) => [at, v.validity![i] === 0 ? undefined : v.values[i], w.values[i]],
          )
          if (order === "unordered") answer.sort((a, b) => (a[0] as number) - (b[0] as number))
          assertEquals(answer, remaining.map(({ cell, time }) => [cell.x, cell.v, time * 100 + cell.x]))
        },
      ),
      { seed: 1, numRuns: 300 },
    )
  })
})

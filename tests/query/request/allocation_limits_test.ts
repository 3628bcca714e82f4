/** Reads of hostile files and queries: nothing is planned or allocated beyond the size of the input. */
import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert"
import { encode } from "../../../schema/binary/mod.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { DeleteCondition } from "../../../schema/commit/delete_condition.ts"
import type { ConditionNode } from "../../../schema/condition_ast.ts"
import { SelectionError } from "../../../src/array/open/errors.ts"
import { parseSelection } from "../../../src/query/selection/selection.ts"
import * as build from "../../support/build_array.ts"
import { answerOf, refusalOf } from "../../support/run_bytes.ts"

describe("validity bytes", () => {
  it("other than 0 mean non-null, in dense and in sparse arrays", async () => {
    const n = build.attribute("n", "int32", { nullable: true })
    const x = build.dimension("x", "int32", 0, 3, 4)
    const parts = {
      time: 1,
      domain: build.rangesOf([x], [[0, 3]]),
      tileCount: 1,
      lastTileCells: 4,
      fields: {
        n: { fixed: [build.countingTile("int32", 4)], validity: [Uint8Array.of(0, 1, 2, 255)] },
        x: { fixed: [build.countingTile("int32", 4)] },
      },
      mbrs: { count: 1, dimensions: [{ kind: "fixed", values: Int32Array.of(0, 3) }] },
    } as const
    for (const arrayType of ["dense", "sparse"] as const) {
      const schema = build.arraySchema({ arrayType, dimensions: [x], attributes: [n] })
      const { x: _, ...attributes } = parts.fields
      const fields = arrayType === "dense" ? attributes : parts.fields
      const files = build.buildArray("a", schema, [{ ...parts, fields }])
      const { columns } = await answerOf(files, "a", { select: ["n"] })
      assertEquals([...columns.n.validity!], [0, 1, 1, 1])
    }
  })
})

describe("dense selections", () => {
  const schema = build.arraySchema({
    arrayType: "dense",
    dimensions: [build.dimension("x", "int64", 0n, 2n ** 32n, 1n)],
    attributes: [build.attribute("a", "uint8")],
  })

  it("of too many tiles are rejected before planning", async () => {
    const files = build.buildArray("a", schema, [])
    const message = await refusalOf(files, "a", "ResultTooLarge", { region: { x: [0n, 2n ** 31n] } })
    assertStringIncludes(message, "the selection touches 2147483649 tiles")
  })

  it("of too many tiles are rejected without selected fields too", async () => {
    const files = build.buildArray("a", schema, [])
    await refusalOf(files, "a", "ResultTooLarge", { region: { x: [0n, 2n ** 31n] }, select: [] })
  })

  it("of few tiles in a large domain return fill values", async () => {
    const files = build.buildArray("a", schema, [])
    const { columns } = await answerOf(files, "a", { region: { x: [2n ** 31n, 2n ** 31n + 2n] } })
    assertEquals([...columns.a.values], [255, 255, 255])
  })

  it("reject var-sized cells that start inside a value", async () => {
    const v = build.arraySchema({
      arrayType: "dense",
      dimensions: [build.dimension("x", "int32", 0, 1, 2)],
      attributes: [build.attribute("v", "int32", { cellValNum: VAR })],
    })
    const tile = build.varTile([new Uint8Array(6), new Uint8Array(2)])
    const domain = build.rangesOf(v.dimensions, [[0, 1]])
    const fields = { v: { fixed: [tile.fixed], var: [tile.var] } }
    const files = build.buildArray("a", v, [{ time: 1, domain, tileCount: 1, fields }])
    assertStringIncludes(await refusalOf(files, "a", "FormatError"), "inside a value of 4 bytes")
  })
})

describe("delete conditions", () => {
  const x = build.dimension("x", "int32", 0, 3, 4)
  const schema = build.arraySchema({ arrayType: "sparse", dimensions: [x], attributes: [] })
  const files = (condition: ConditionNode): Map<string, Uint8Array> => {
    const out = build.buildArray("a", schema, [{
      time: 1,
      domain: build.rangesOf([x], [[0, 3]]),
      tileCount: 1,
      lastTileCells: 4,
      fields: { x: { fixed: [build.countingTile("int32", 4)] } },
      mbrs: { count: 1, dimensions: [{ kind: "fixed", values: Int32Array.of(0, 3) }] },
    }])
    const name = `__5_5_${"ab".repeat(16)}_22.del`
    return out.set(`a/__commits/${name}`, build.genericTile(encode(DeleteCondition, condition, 22)))
  }
  const below: ConditionNode = { kind: "value", op: "lt", field: "x", value: Uint8Array.of(2, 0, 0, 0) }

  it("match the remaining cells", async () => {
    assertEquals([...(await answerOf(files(below), "a")).columns.x.values], [0, 1])
    const not: ConditionNode = { kind: "expression", op: "not", children: [below] }
    assertEquals([...(await answerOf(files(not), "a")).columns.x.values], [2, 3])
  })

  it("are rejected if a negation has no child, at any depth", async () => {
    const emptyNot: ConditionNode = { kind: "expression", op: "not", children: [] }
    await refusalOf(files(emptyNot), "a", "FormatError")
    await refusalOf(files({ kind: "expression", op: "and", children: [below, emptyNot] }), "a", "FormatError")
  })

  it("are rejected if the array has no such field", async () => {
    await refusalOf(files({ ...below, field: "y" } as ConditionNode), "a", "FormatError")
  })
})

describe("bounds of ranges", () => {
  it("are rejected if they are invalid Dates", () => {
    const schema = build.arraySchema({
      arrayType: "sparse",
      dimensions: [build.dimension("t", "datetime_ms", 0n, 10n ** 15n, 1000n)],
      attributes: [],
    })
    const ranges = { t: [new Date(0), new Date(NaN)] } as const
    assertThrows(() => parseSelection("mem://a", schema, ranges, "error"), SelectionError, "invalid Date")
  })
})

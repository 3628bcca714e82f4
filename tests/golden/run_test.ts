import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes } from "@std/assert"
import * as Data from "effect/Data"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Column } from "../../src/query/column/column.ts"
import type { Engine, ReadRequest } from "./check_case.ts"
import { run, summary } from "./run.ts"

const test = { field: "a", op: "ge", value: 1 }
const array = {
  kind: "array",
  schema: { array_type: "sparse", allows_dups: false, dimensions: [{ name: "x" }, { name: "y" }] },
  non_empty_domain: [[1, 2], [1, 2]],
  metadata: [],
  enumerations: { e: { values: ["a"] } },
  fragments: [{ name: "f" }],
  reads: [
    { name: "full", layout: "row-major", cells: 2, columns: { a: [1, 2] } },
    { name: "until 5", layout: "row-major", cells: 2, columns: { a: [1, 2] }, timestamp_end: "5" },
    { name: "part", layout: "col-major", cells: 2, columns: { a: [1, 2] }, ranges: [null, [[1, 1], [3, 4]]] },
    { name: "condition", layout: "row-major", cells: 2, columns: { a: [1, 2] }, condition: [test] },
    { name: "hopeless", layout: "row-major", error: "unreadable" },
  ],
}
const group = { kind: "group", metadata: [], members: [{ uri: "a", type: "array", name: null }] }
const refused = { kind: "array", error: "too new" }

class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

const column: Column = { name: "a", type: "int8", cellValNum: 1, length: 2, values: Int8Array.of(1, 2) }

/** An engine that returns the expected results, except those in `wrong`. */
const engine = (
  wrong: Record<string, unknown> = {},
  requests: Array<ReadRequest | { end?: number; key?: string }> = [],
) => {
  const answer = (name: string, right: unknown) => () => Promise.resolve(name in wrong ? wrong[name] : right)
  return {
    openArray: (uri, options) => {
      requests.push(options)
      if (uri.endsWith("refused")) {
        return "refused" in wrong
          ? wrong.refused as Promise<never>
          : Promise.reject(new Refused({ message: "too new" }))
      }
      if ("open" in wrong) return Promise.reject(new Refused({ message: "does not open" }))
      return Promise.resolve({
        schema: answer("schema", array.schema),
        nonEmptyDomain: answer("ned", array.non_empty_domain),
        metadata: answer("metadata", []),
        enumerations: answer("enumerations", array.enumerations),
        fragments: answer("fragments", array.fragments),
        read: (request) => {
          requests.push(request)
          return "column" in wrong
            ? Promise.resolve({ cells: 2, columns: { a: wrong.column as Column } })
            : Promise.resolve({ cells: 2, columns: { a: column } })
        },
      })
    },
    openGroup: () =>
      Promise.resolve({ metadata: answer("group metadata", []), members: answer("members", group.members) }),
  } satisfies Engine as Engine
}

const withCase = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-golden-"))
  try {
    mkdirSync(join(folder, "v22", "case"), { recursive: true })
    const objects = { array, group, refused }
    const expected = { case: "case", encryption_key: "k", objects }
    writeFileSync(join(folder, "v22", "case", "expected.json"), JSON.stringify(expected))
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const outcome = (wrong: Record<string, unknown>, only?: RegExp) =>
  withCase(async (folder) => {
    const lines: Array<string> = []
    const totals = await run([folder], engine(wrong), { print: (line) => lines.push(line), only })
    return { line: summary(totals), lines: lines.map((line) => line.replace(folder, "")) }
  })

describe("the golden runner", () => {
  it("counts each comparison once", async () => {
    const { line, lines } = await outcome({})
    // 5 of the array itself, 5 reads, 2 of the group, 1 refusal
    assertEquals(line, "13 passed, 0 failed, 0 skipped")
    assertEquals(lines, [])
  })

  it("fails on each wrong result, with its path", async () => {
    const cases: ReadonlyArray<[Record<string, unknown>, string]> = [
      [{ schema: { ...array.schema, allows_dups: true } }, "array: schema: allows_dups: expected false, got true"],
      [{ ned: null }, "array: non_empty_domain: expected [[1,2],[1,2]], got null"],
      [{ fragments: [] }, 'array: fragments: [0]: expected {"name":"f"}, got nothing'],
      [{ metadata: [1] }, "array: metadata: [0]: expected nothing, got 1"],
      [{ enumerations: {} }, "array: enumerations: e: expected"],
      [{ members: [] }, "group: members: [0]"],
      [{ "group metadata": [1] }, "group: metadata: [0]"],
    ]
    for (const [wrong, text] of cases) {
      const { line, lines } = await outcome(wrong)
      assertEquals(line, "12 passed, 1 failed, 0 skipped")
      assertStringIncludes(lines[0], `FAILED /v22/case/${text}`)
    }
    const { line, lines } = await outcome({ column: { ...column, values: Int8Array.of(1, 3) } })
    assertEquals(line, "9 passed, 4 failed, 0 skipped")
    assertEquals(lines[0], "FAILED /v22/case/array: read full: a[1]: expected 2, got 3")
  })

  it("fails all comparisons of an array that cannot be opened", async () => {
    const { line, lines } = await outcome({ open: true })
    assertEquals(line, "3 passed, 10 failed, 0 skipped")
    assertEquals(lines[0], "FAILED /v22/case/array: schema: Refused: does not open")
  })

  it("requires a tagged error if opening is rejected", async () => {
    const open = await outcome({ refused: Promise.resolve({}) })
    assertStringIncludes(open.lines.join("\n"), "refused: open: expected an error, got an open array")
    const rejected = Promise.reject(new RangeError("oops"))
    const defect = await outcome({ refused: rejected })
    assertStringIncludes(defect.lines.join("\n"), "refused: open: expected a tagged error, got RangeError: oops")
  })

  it("passes on key, time, order and ranges", async () => {
    const requests: Array<ReadRequest | { end?: number; key?: string }> = []
    await withCase((folder) => run([folder], engine({}, requests)))
    assertEquals(requests, [
      { key: "k" },
      { order: "row-major", ranges: {}, where: undefined },
      { key: "k", end: 5 },
      { order: "row-major", ranges: {}, where: undefined },
      { order: "col-major", ranges: { y: [[1, 1], [3, 4]] }, where: undefined },
      { order: "row-major", ranges: {}, where: [test] },
      { order: "row-major", ranges: {}, where: undefined },
      { key: "k" },
    ])
  })

  it("runs only matching comparisons", async () => {
    assertEquals((await outcome({}, /group: /)).line, "2 passed, 0 failed, 0 skipped")
    assertEquals((await outcome({}, /read (full|condition)$/)).line, "2 passed, 0 failed, 0 skipped")
  })
})

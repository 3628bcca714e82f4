import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes } from "@std/assert"
import { createHash } from "node:crypto"
import type { Column } from "../../src/query/column/column.ts"
import { type Cells, differenceOfColumn, differenceOfJson, differenceOfRead } from "./compare.ts"
import type { ExpectedRead } from "./expected.ts"

const ints = (name: string, ...values: ReadonlyArray<number>): Column => ({
  name,
  type: "int32",
  cellValNum: 1,
  length: values.length,
  values: Int32Array.from(values),
})
const nullable = (column: Column, ...validity: ReadonlyArray<number>): Column => ({
  ...column,
  validity: Uint8Array.from(validity),
})
const texts = (name: string, ...cells: ReadonlyArray<string>): Column => {
  const offsets = [0]
  for (const cell of cells) offsets.push(offsets[offsets.length - 1] + cell.length)
  return {
    name,
    type: "string_ascii",
    cellValNum: "var",
    length: cells.length,
    values: new TextEncoder().encode(cells.join("")),
    offsets: Uint32Array.from(offsets),
  }
}
const got = (...columns: ReadonlyArray<Column>): Cells => ({
  cells: columns[0].length,
  columns: Object.fromEntries(columns.map((column) => [column.name, column])),
})
const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const read = (more: Partial<ExpectedRead>): ExpectedRead => ({
  name: "full",
  layout: "row-major",
  cells: 3,
  columns: {},
  ...more,
})
const plain = { dimensions: ["x"], allowsDuplicates: false }
const dups = { dimensions: ["x"], allowsDuplicates: true }

const differs = (difference: string | undefined, includes: string) => {
  if (difference === undefined) throw new Error(`found no difference; expected one with ${includes}`)
  assertStringIncludes(difference, includes)
}

describe("comparing JSON", () => {
  it("finds the first path that differs", () => {
    const value = { a: [1, { b: "x" }], n: null, z: [0.5] }
    assertEquals(differenceOfJson(value, structuredClone(value)), undefined)
    assertEquals(differenceOfJson({ a: 1, b: 2 }, { b: 2, a: 1 }), undefined)
    differs(differenceOfJson(value, { ...value, a: [1, { b: "y" }] }), 'a[1].b: expected "x", got "y"')
    differs(differenceOfJson(value, { ...value, n: 0 }), "n: expected null, got 0")
    differs(differenceOfJson(value, { ...value, z: [] }), "z[0]: expected 0.5, got nothing")
    differs(differenceOfJson(value, { ...value, q: false }), "q: expected nothing, got false")
    differs(differenceOfJson([0], { 0: 0 }), "expected [0]")
    differs(differenceOfJson("1", 1), 'expected "1", got 1')
    differs(differenceOfJson(0, -0), "got -0")
    differs(differenceOfJson(null, undefined), "got nothing")
  })
})

describe("comparing columns", () => {
  it("finds the first cell that differs in a list", () => {
    assertEquals(differenceOfColumn("a", [1, 2, 3], ints("a", 1, 2, 3)), undefined)
    differs(differenceOfColumn("a", [1, 2, 3], ints("a", 1, 5, 6)), "a[1]: expected 2, got 5")
    differs(differenceOfColumn("a", [1, 2, 3], ints("a", 1, 2)), "a: expected 3 cells, got 2")
    differs(differenceOfColumn("s", ["a", ""], texts("s", "a", "b")), 's[1]: expected "", got "b"')
    differs(differenceOfColumn("a", ["1"], ints("a", 1)), 'a[0]: expected "1", got 1')
  })

  it("ignores the values of null cells, but not the validity", () => {
    assertEquals(differenceOfColumn("a", [1, null], nullable(ints("a", 1, 99), 1, 0)), undefined)
    differs(differenceOfColumn("a", [1, null], ints("a", 1, 99)), "a[1]: expected null, got 99")
    differs(differenceOfColumn("a", [1, 2], nullable(ints("a", 1, 2), 1, 0)), "a[1]: expected 2, got null")
  })

  it("compares digests by bytes, offsets and validity", () => {
    const values = Array.from({ length: 20 }, (_, i) => i)
    const column = ints("a", ...values)
    const digest = {
      cells: 20,
      bytes: 80,
      sha256: sha(new Uint8Array(column.values.buffer as ArrayBuffer)),
      head: values.slice(0, 8),
      tail: values.slice(-8),
    }
    const change = (at: number) => ints("a", ...values.map((v, i) => i === at ? -1 : v))
    assertEquals(differenceOfColumn("a", digest, column), undefined)
    differs(differenceOfColumn("a", digest, change(3)), "a[3]: expected 3, got -1")
    differs(differenceOfColumn("a", digest, change(19)), "a[19]: expected 19, got -1")
    differs(differenceOfColumn("a", digest, change(10)), "the values differ (SHA-256)")
    differs(differenceOfColumn("a", digest, ints("a", ...values, 20)), "expected 20 cells, got 21")

    const validity = Uint8Array.from(values, (v) => v % 2)
    const masked = { ...digest, validity_sha256: sha(validity) }
    assertEquals(differenceOfColumn("a", masked, { ...column, validity }), undefined)
    differs(differenceOfColumn("a", masked, column), "expected nulls")
    differs(
      differenceOfColumn("a", masked, { ...column, validity: validity.map((v) => 1 - v) }),
      "other cells are null",
    )

    const text = texts("s", "ab", "", "c")
    const offsets = new Uint8Array(new BigUint64Array([0n, 2n, 2n]).buffer)
    const ofText = { cells: 3, bytes: 3, sha256: sha(new TextEncoder().encode("abc")), offsets_sha256: sha(offsets) }
    assertEquals(differenceOfColumn("s", ofText, text), undefined)
    differs(differenceOfColumn("s", ofText, texts("s", "a", "b", "c")), "the offsets differ")
    differs(differenceOfColumn("s", ofText, texts("s", "ab", "", "d")), "the values differ")
    differs(differenceOfColumn("s", ofText, texts("s", "ab", "", "cd")), "expected 3 bytes of values, got 4")
    // the same cells in the middle of a larger buffer
    const wide = texts("s", "zz", "ab", "", "c")
    assertEquals(differenceOfColumn("s", ofText, { ...wide, length: 3, offsets: wide.offsets!.subarray(1) }), undefined)
  })

  it("counts offsets of wide values in bytes", () => {
    const column: Column = {
      name: "v",
      type: "int16",
      cellValNum: "var",
      length: 2,
      values: Int16Array.of(1, 2, 3),
      offsets: Uint32Array.of(0, 2, 3),
    }
    const digest = {
      cells: 2,
      bytes: 6,
      sha256: sha(new Uint8Array(column.values.buffer as ArrayBuffer)),
      offsets_sha256: sha(new Uint8Array(new BigUint64Array([0n, 4n]).buffer)),
    }
    assertEquals(differenceOfColumn("v", digest, column), undefined)
  })
})

describe("comparing reads", () => {
  const expected = read({ columns: { x: [1, 2, 3], a: [7, 8, 9] } })

  it("requires the same columns and cells", () => {
    assertEquals(differenceOfRead(expected, got(ints("x", 1, 2, 3), ints("a", 7, 8, 9)), plain), undefined)
    differs(differenceOfRead(expected, got(ints("x", 1, 2, 3), ints("a", 7, 8, 0)), plain), "a[2]: expected 9, got 0")
    differs(differenceOfRead(expected, got(ints("x", 1, 2, 3)), plain), "a: expected a column")
    differs(
      differenceOfRead(expected, got(ints("x", 1, 2, 3), ints("a", 7, 8, 9), ints("b", 1, 2, 3)), plain),
      "b: expected no such column",
    )
    differs(differenceOfRead(expected, got(ints("x", 1, 2), ints("a", 7, 8)), plain), "expected 3 cells, got 2")
    differs(differenceOfRead(expected, got(ints("x", 1, 2, 3), ints("a", 7, 8)), plain), "a: expected 3 cells, got 2")
  })

  it("compares the order of rows, unless it is unordered", () => {
    const turned = got(ints("x", 3, 1, 2), ints("a", 9, 7, 8))
    differs(differenceOfRead(expected, turned, plain), "x[0]")
    const unordered = { ...expected, layout: "unordered" as const }
    assertEquals(differenceOfRead(unordered, turned, plain), undefined)
    differs(differenceOfRead(unordered, got(ints("x", 3, 1, 2), ints("a", 9, 8, 7)), plain), "unordered")
    // a multiset, not a set
    const twice = read({ layout: "unordered", columns: { x: [1, 1, 2] } })
    assertEquals(differenceOfRead(twice, got(ints("x", 2, 1, 1)), plain), undefined)
    differs(differenceOfRead(twice, got(ints("x", 2, 1, 2)), plain), "expected the row {x: 1}, got {x: 2}")
  })

  it("allows duplicates to be in any order", () => {
    const same = read({ columns: { x: [1, 1, 2], a: [7, 8, 9] } })
    const swapped = got(ints("x", 1, 1, 2), ints("a", 8, 7, 9))
    assertEquals(differenceOfRead(same, swapped, dups), undefined)
    differs(differenceOfRead(same, swapped, plain), "a[0]: expected 7, got 8")
    differs(differenceOfRead(same, got(ints("x", 1, 1, 2), ints("a", 8, 9, 7)), dups), "unordered")
    differs(differenceOfRead(same, got(ints("x", 1, 2, 1), ints("a", 7, 9, 8)), dups), "x[1]: expected 1, got 2")
  })

  it("accepts any contents of unreadable columns, but they must exist", () => {
    const broken = read({ columns: { x: [1, 2, 3] }, error: "failed", column_errors: { a: "failed" } })
    assertEquals(differenceOfRead(broken, got(ints("x", 1, 2, 3), ints("a", 5, 5, 5)), plain), undefined)
    differs(differenceOfRead(broken, got(ints("x", 1, 2, 3)), plain), "a: expected a column")
    differs(differenceOfRead(broken, got(ints("x", 1, 2, 4), ints("a", 5, 5, 5)), plain), "x[2]")
    differs(differenceOfRead(broken, got(ints("x", 1, 2, 3), ints("a", 5)), plain), "a: expected 3 cells, got 1")
  })
})

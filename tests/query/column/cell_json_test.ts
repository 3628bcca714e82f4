import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import type { Datatype, TypedArray } from "../../../schema/array/datatype.ts"
import { cellJson, columnJson } from "../../../src/query/column/cell_json.ts"
import type { Column } from "../../../src/query/column/column.ts"

const column = (
  type: Datatype,
  cellValNum: number | "var",
  values: TypedArray,
  more: { offsets?: Array<number>; validity?: Array<number> } = {},
): Column => ({
  name: "a",
  type,
  cellValNum,
  length: more.offsets !== undefined ? more.offsets.length - 1 : values.length / (cellValNum as number),
  values,
  ...(more.offsets === undefined ? {} : { offsets: Uint32Array.from(more.offsets) }),
  ...(more.validity === undefined ? {} : { validity: Uint8Array.from(more.validity) }),
})

const check = (input: Column, expected: ReadonlyArray<unknown>) => {
  assertEquals(columnJson(input) as ReadonlyArray<unknown>, expected)
  for (let i = 0; i < input.length; i++) assertEquals(cellJson(input, i) as unknown, expected[i])
}

describe("cells as JSON", () => {
  it("are numbers, or strings for 64-bit integers and non-finite floats", () => {
    check(column("int16", 1, Int16Array.of(1, -2)), [1, -2])
    check(column("bool", 1, Uint8Array.of(1, 0)), [1, 0])
    check(column("float64", 1, Float64Array.of(0.5, NaN, -Infinity)), [0.5, "NaN", "-Infinity"])
    check(column("float32", 1, Float32Array.of(0.1)), [0.10000000149011612])
    check(column("datetime_ms", 1, BigInt64Array.of(-5n)), ["-5"])
    check(column("uint64", 1, BigUint64Array.of(2n ** 64n - 1n)), ["18446744073709551615"])
  })

  it("are null for null cells", () => {
    check(column("int16", 1, Int16Array.of(1, -2), { validity: [0, 1] }), [null, -2])
    check(column("string_utf8", "var", new TextEncoder().encode("abc"), { offsets: [0, 2, 3], validity: [1, 0] }), [
      "ab",
      null,
    ])
  })

  it("are lists for several values, and text or hex for several characters", () => {
    check(column("float64", 2, Float64Array.of(1, NaN, 3, 4)), [[1, "NaN"], [3, 4]])
    check(column("uint64", 2, BigUint64Array.of(1n, 2n)), [["1", "2"]])
    check(column("blob", 2, Uint8Array.of(1, 2, 3, 4)), [[1, 2], [3, 4]])
    check(column("char", 3, Int8Array.of(97, 98, 99, -1, 98, 99)), ["abc", { hex: "ff6263" }])
  })

  it("are lists, text or hex for var-sized cells", () => {
    check(column("int32", "var", Int32Array.of(1, 2, 3), { offsets: [0, 0, 1, 3] }), [[], [1], [2, 3]])
    check(column("string_utf16", "var", Uint16Array.of(97, 0x20ac), { offsets: [0, 2] }), [[97, 0x20ac]])
    check(column("blob", "var", Uint8Array.of(255, 0), { offsets: [0, 1, 1, 2] }), [
      { hex: "ff" },
      { hex: "" },
      { hex: "00" },
    ])
    check(column("char", "var", Int8Array.of(97, 98), { offsets: [0, 0, 2] }), ["", "ab"])
  })

  it("are read from views into larger buffers", () => {
    const buffer = new TextEncoder().encode("..abc").buffer
    check(column("char", "var", new Int8Array(buffer, 2), { offsets: [0, 1, 3] }), ["a", "bc"])
  })
})

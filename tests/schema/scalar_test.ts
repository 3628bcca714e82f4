import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import { type Datatype, datatypes, sizeOf, storageOf } from "../../schema/array/datatype.ts"
import {
  boundJson,
  cellBytesJson,
  parseBound,
  parseScalar,
  readScalar,
  scalarBytes,
  ScalarError,
  type ScalarInput,
  scalarJson,
  textJson,
} from "../../schema/array/scalar.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)

describe("scalars", () => {
  it("convert bytes of any type to a value, to JSON and back", () => {
    for (const type of datatypes) {
      FastCheck.assert(
        FastCheck.property(FastCheck.uint8Array({ minLength: sizeOf(type), maxLength: sizeOf(type) }), (bytes) => {
          const value = readScalar(type, bytes)
          const again = parseScalar(type, scalarJson(value))
          assertEquals(again, value)
          // a NaN has many bit patterns
          if (!Number.isNaN(value)) assertEquals(scalarBytes(type, again), Uint8Array.from(bytes))
        }),
      )
    }
  })

  it("are read at any alignment", () => {
    const bytes = new Uint8Array(17)
    bytes.set(scalarBytes("int64", -5n), 3)
    assertEquals(readScalar("int64", bytes, 3), -5n)
    assertEquals(readScalar("datetime_ns", bytes.subarray(1), 2), -5n)
  })

  it("are strings in JSON if JSON cannot represent them", () => {
    assertEquals([NaN, Infinity, -Infinity, 1.5, -1n, 2n ** 64n - 1n].map(scalarJson), [
      "NaN",
      "Infinity",
      "-Infinity",
      1.5,
      "-1",
      "18446744073709551615",
    ])
    assertEquals(scalarJson(readScalar("float32", scalarBytes("float32", 0.1))), 0.10000000149011612)
  })

  it("are parsed from user input", () => {
    const cases: ReadonlyArray<[Datatype, ScalarInput, number | bigint]> = [
      ["int32", "-7", -7],
      ["int32", 7, 7],
      ["uint8", "+255", 255],
      ["int64", "-9223372036854775808", -9223372036854775808n],
      ["int64", 12, 12n],
      ["uint64", 18446744073709551615n, 18446744073709551615n],
      ["float64", "1e3", 1000],
      ["float64", "-.5", -0.5],
      ["float64", "-Infinity", -Infinity],
      ["float32", 0.1, 0.10000000149011612],
      ["bool", "true", 1],
      ["datetime_day", "2024-02-29", 19782n],
      ["datetime_day", "19782", 19782n],
      ["time_sec", "01:00", 3600n],
      ["int16", { hex: "00ff" }, -256],
    ]
    for (const [type, input, value] of cases) assertEquals(parseScalar(type, input), value, `${type} ${input}`)
  })

  it("are rejected if the type cannot represent them, with the reason", () => {
    const cases: ReadonlyArray<[Datatype, ScalarInput, string]> = [
      ["int8", 128, "128 does not fit into int8 (-128 to 127)"],
      ["uint64", "-1", "does not fit into uint64"],
      ["int64", "9223372036854775808", "does not fit"],
      ["int32", 1.5, "1.5 is not an integer"],
      ["int32", "x", '"x" is not an integer'],
      ["int32", "", "is not an integer"],
      ["int64", 2 ** 53, "use a string"],
      ["float64", "1.2.3", '"1.2.3" is not a number'],
      ["float64", "", "is not a number"],
      ["datetime_ms", "yesterday", "ISO date"],
      ["int32", { hex: "00" }, "1 bytes are not one value of int32"],
      ["int32", { hex: "0g" }, "is not hex"],
    ]
    for (const [type, input, reason] of cases) {
      const error = assertThrows(() => parseScalar(type, input), ScalarError, reason)
      assertEquals(error.reason, error.message)
    }
    for (const input of [null, undefined, [], true]) {
      assertThrows(() => parseScalar("int32", input as unknown as ScalarInput), ScalarError)
      assertThrows(() => parseBound("string_ascii", "var", input as unknown as ScalarInput), ScalarError)
    }
    assertThrows(() => parseBound("string_ascii", "var", "grün"), ScalarError, "not ASCII")
    assertThrows(() => parseBound("string_ascii", "var", 5), ScalarError, "not a text")
  })
})

describe("text", () => {
  it("is a string if it is printable UTF-8, hex if not", () => {
    const long = "x".repeat(100)
    for (const text of ["", "a\tb\n", long, "grüße", "日本", "😀", "\ufeffbom", "\x7f", long + "é"]) {
      assertEquals(textJson(utf8(text)), text)
    }
    assertEquals(textJson(Uint8Array.of(0x61, 0)), { hex: "6100" })
    assertEquals(textJson(Uint8Array.of(13)), { hex: "0d" })
    assertEquals(textJson(Uint8Array.of(0x80)), { hex: "80" })
    assertEquals(textJson(Uint8Array.of(0xed, 0xa0, 0x80)), { hex: "eda080" })
    assertEquals(textJson(Uint8Array.of(0xc0, 0xaf)), { hex: "c0af" })
  })

  it("is a dimension's bound, there and back", () => {
    FastCheck.assert(FastCheck.property(FastCheck.uint8Array(), (bytes) => {
      const json = boundJson("string_utf8", "var", bytes)
      assertEquals(Uint8Array.from(parseBound("string_utf8", "var", json)), Uint8Array.from(bytes))
    }))
  })
})

describe("cells from bytes", () => {
  it("are text, hex, a list or a value by type and number", () => {
    const ab = utf8("ab")
    assertEquals(cellBytesJson("char", 2, ab), "ab")
    assertEquals(cellBytesJson("any", "var", ab), "ab")
    assertEquals(cellBytesJson("geom_wkt", "var", ab), "ab")
    assertEquals(cellBytesJson("blob", "var", ab), { hex: "6162" })
    assertEquals(cellBytesJson("geom_wkb", "var", ab), { hex: "6162" })
    assertEquals(cellBytesJson("blob", 2, ab), [97, 98])
    assertEquals(cellBytesJson("string_utf16", "var", Uint8Array.of(1, 2, 3, 4)), [0x201, 0x403])
    assertEquals(cellBytesJson("uint8", "var", Uint8Array.of(9)), [9])
    assertEquals(cellBytesJson("uint8", 1, Uint8Array.of(9)), 9)
    assertEquals(cellBytesJson("int64", "var", new Uint8Array(0)), [])
  })

  it("have a value for every type", () => {
    for (const type of datatypes) {
      const json = cellBytesJson(type, 1, new Uint8Array(sizeOf(type)))
      if (storageOf(type).endsWith("64") && type !== "float64") assertEquals(json, "0", type)
      else assertStringIncludes(JSON.stringify(json), "0", type)
    }
  })
})

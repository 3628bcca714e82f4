/** Datatypes of CSV columns, inferred from their cells. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { inferType } from "../../../src/transfer/csv/csv_types.ts"

const inferred = (...cells: ReadonlyArray<string | null>): string => {
  const { type, nullable } = inferType(cells.map((cell) => [cell]), 0)
  return nullable ? `${type}?` : type
}

describe("a column", () => {
  it("has numbers if all of its cells are numbers", () => {
    assertEquals(inferred("1", "-2", "0"), "int64")
    assertEquals(inferred("9223372036854775807", "-9223372036854775808"), "int64")
    assertEquals(inferred("1", "9223372036854775808", "18446744073709551615"), "uint64")
    assertEquals(inferred("9007199254740993", "0"), "int64")
    assertEquals(inferred("9007199254740992", "0.5"), "float64")
    assertEquals(inferred("1", "2.5"), "float64")
    assertEquals(inferred("1e3", ".5", "5.", "-0.25E-7"), "float64")
    assertEquals(inferred("1", "NaN", "-inf", "Infinity"), "float64")
  })

  it("is text if numbers would lose digits", () => {
    assertEquals(inferred("18446744073709551616"), "float64")
    assertEquals(inferred("18446744073709551617"), "string_utf8")
    assertEquals(inferred("18446744073709551615", "-1"), "string_utf8")
    assertEquals(inferred("9007199254740993", "0.5"), "string_utf8")
    assertEquals(inferred("1e400"), "string_utf8")
    assertEquals(inferred("1e300", "12345678901234567890123"), "string_utf8")
  })

  it("is text if numbers are codes", () => {
    assertEquals(inferred("007", "1"), "string_utf8")
    assertEquals(inferred("+49", "1"), "string_utf8")
    assertEquals(inferred("1 ", "1"), "string_utf8")
    assertEquals(inferred("0x10"), "string_utf8")
    assertEquals(inferred("1,5"), "string_utf8")
    assertEquals(inferred("1", ""), "string_utf8")
  })

  it("has booleans, dates or times if all of its cells have them", () => {
    assertEquals(inferred("true", "False", "TRUE"), "bool")
    assertEquals(inferred("true", "1"), "string_utf8")
    assertEquals(inferred("2024-02-29", "2024-02-29T12:30:00.25+01:00", "2024-02-29 12:30"), "datetime_ms")
    assertEquals(inferred("2024-02-29T12:30:00.000001"), "datetime_us")
    assertEquals(inferred("2024-02-29T12:30:00.000001", "2024-02-29T12:30:00.000000001"), "datetime_ns")
    assertEquals(inferred("NaT", "2024-02-29"), "datetime_ms")
    assertEquals(inferred("2024-02-30"), "string_utf8")
    assertEquals(inferred("2024-02-29T12:30:00.000000001", "1500-01-01"), "string_utf8")
    assertEquals(inferred("1500-01-01"), "datetime_ms")
    assertEquals(inferred("2024-02"), "string_utf8")
    assertEquals(inferred("2024-02-29", "yesterday"), "string_utf8")
    assertEquals(inferred("2024-02-29", "5"), "string_utf8")
  })

  it("is nullable if a cell is null, and text if all cells are null", () => {
    assertEquals(inferred("1", null), "int64?")
    assertEquals(inferred(null, "a", null), "string_utf8?")
    assertEquals(inferred(null), "string_utf8?")
    assertEquals(inferred(), "string_utf8")
  })
})

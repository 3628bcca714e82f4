import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as FastCheck from "effect/FastCheck"
import type { Datatype } from "../../schema/array/datatype.ts"
import { formatDatetime, formatTime, parseDatetime, parseTime } from "../../schema/array/datetime.ts"

const reason = (result: unknown) => (result as { reason: string }).reason

describe("datetimes", () => {
  it("count their unit since 1970", () => {
    const cases: ReadonlyArray<[Datatype, string, bigint]> = [
      ["datetime_year", "2024-05", 54n],
      ["datetime_year", "1969-12-31", -1n],
      ["datetime_month", "1970-02", 1n],
      ["datetime_month", "1969-12-31", -1n],
      ["datetime_week", "1970-01-07", 0n],
      ["datetime_week", "1970-01-08", 1n],
      ["datetime_week", "1969-12-31", -1n],
      ["datetime_day", "2000-03-01", 11017n],
      ["datetime_hr", "1970-01-02T01", 25n],
      ["datetime_min", "1970-01-01T01:01", 61n],
      ["datetime_sec", "1970-01-01 00:01:01", 61n],
      ["datetime_ms", "2024-02-29T12:30:00.25Z", 1709209800250n],
      ["datetime_ms", "2024-02-29T12:30:00.25+01:00", 1709206200250n],
      ["datetime_ms", "2024-02-29T12:30-0130", 1709215200000n],
      ["datetime_us", "1969-12-31T23:59:59.999999", -1n],
      ["datetime_ns", "2262-04-11T23:47:16.854775807", 9223372036854775807n],
      ["datetime_as", "1970-01-01T00:00:01.000000000000000001", 1000000000000000001n],
      ["datetime_day", "-0001-03-01", -719834n],
      ["datetime_day", "+12345-01-01", 3789391n],
    ]
    for (const [type, text, value] of cases) {
      assertEquals(parseDatetime(type, text), value, `${type} ${text}`)
    }
  })

  it("agree with Date", () => {
    FastCheck.assert(FastCheck.property(FastCheck.integer({ min: -62167219200000, max: 253402300799999 }), (ms) => {
      const text = new Date(ms).toISOString()
      assertEquals(parseDatetime("datetime_ms", text), BigInt(ms))
      assertEquals(formatDatetime("datetime_ms", BigInt(ms)), text.slice(0, -1))
      assertEquals(formatDatetime("datetime_day", BigInt(Math.floor(ms / 86400000))), text.slice(0, 10))
    }))
  })

  it("are rejected if invalid, or finer than the unit", () => {
    assertEquals(reason(parseDatetime("datetime_day", "2023-02-29")), "is not a valid calendar date")
    assertEquals(reason(parseDatetime("datetime_day", "2023-13-01")), "is not a valid calendar date")
    assertEquals(reason(parseDatetime("datetime_ms", "2023-01-01T24:00")), "is not a valid time of day")
    assertEquals(reason(parseDatetime("datetime_ms", "2023-01-01T12:00+99:00")), "has no valid offset from UTC")
    assertEquals(reason(parseDatetime("datetime_day", "2023-01-01T12:00")), "is finer than its unit (day)")
    assertEquals(reason(parseDatetime("datetime_ms", "2023-01-01T12:00:00.0001")), "is finer than its unit (ms)")
    assertEquals(reason(parseDatetime("datetime_month", "2023-01-01T12:00")), "is finer than its unit (month)")
  })

  it("are formatted with the precision of the unit, and parsed again", () => {
    const units = ["week", "day", "hr", "min", "sec", "ms", "us", "ns", "ps", "fs", "as"]
    for (const unit of units) {
      const type = `datetime_${unit}` as Datatype
      FastCheck.assert(FastCheck.property(FastCheck.bigInt({ min: -(10n ** 6n), max: 10n ** 6n }), (value) => {
        assertEquals(parseDatetime(type, formatDatetime(type, value)), value)
      }))
    }
    assertEquals(formatDatetime("datetime_year", 54n), "2024")
    assertEquals(formatDatetime("datetime_month", -1n), "1969-12")
    assertEquals(formatDatetime("datetime_year", 2n ** 62n), String(2n ** 62n))
    assertEquals(formatDatetime("datetime_day", 2n ** 62n), String(2n ** 62n))
    assertEquals(formatDatetime("datetime_day", -(2n ** 63n)), "NaT")
    assertEquals(formatDatetime("datetime_day", 3789391n), "+012345-01-01")
  })
})

describe("times", () => {
  it("count their unit since midnight", () => {
    assertEquals(parseTime("time_hr", "23:00"), 23n)
    assertEquals(parseTime("time_us", "00:00:01.5"), 1500000n)
    assertEquals(reason(parseTime("time_hr", "23:30")), "is finer than its unit (hr)")
    assertEquals(reason(parseTime("time_hr", "24:00")), "is not a valid time of day")
    assertEquals(formatTime("time_ms", 45296789n), "12:34:56.789")
    assertEquals(formatTime("time_ms", -1n), "-1")
    assertEquals(formatTime("time_hr", 24n), "24")
  })
})

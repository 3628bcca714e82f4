import { describe, it } from "node:test"
import { assertEquals, assertMatch, assertThrows } from "@std/assert"
import type { Datatype } from "../../../schema/array/datatype.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { parseRanges, parseSelect } from "../../../src/cli/parse/ranges.ts"
import { UsageError } from "../../../src/cli/parse/usage_error.ts"
import { cli, weather } from "../run_cli.ts"

const schema = (dimensions: Readonly<Record<string, Datatype>>): ArraySchema =>
  ({
    dimensions: Object.entries(dimensions).map(([name, type]) => ({
      name,
      type,
      cellValNum: type === "string_ascii" ? VAR : 1,
    })),
    dimensionLabels: [{ name: "height", type: "float32", cellValNum: 1 }],
  }) as unknown as ArraySchema

const all = schema({
  x: "int32",
  f: "float64",
  s: "string_ascii",
  d: "datetime_ms",
  day: "datetime_day",
  t: "time_min",
  "x=y": "int8",
})
const parsed = (...texts: ReadonlyArray<string>) => parseRanges(all, texts)
const refused = (text: string, message: RegExp) => {
  const error = assertThrows(() => parsed(text), UsageError)
  assertMatch(error.message, message)
}

describe("--range", () => {
  it("is a range, a point, or open at one end", () => {
    assertEquals(parsed("x=1:5"), { x: [["1", "5"]] })
    assertEquals(parsed("x=-5:-1"), { x: [["-5", "-1"]] })
    assertEquals(parsed("x=-5"), { x: [["-5", "-5"]] })
    assertEquals(parsed("x=1:"), { x: [["1", null]] })
    assertEquals(parsed("x=:-1"), { x: [[null, "-1"]] })
    assertEquals(parsed("f=-1e-3:Infinity"), { f: [["-1e-3", "Infinity"]] })
    assertEquals(parsed("s=a:b"), { s: [["a", "b"]] })
    assertEquals(parsed("s="), { s: [["", ""]] })
    // a range of a dimension label
    assertEquals(parsed("height=-0.5:2"), { height: [["-0.5", "2"]] })
  })

  it("accumulates when it is repeated", () => {
    assertEquals(parsed("x=1:2", "s=a", "x=9"), { x: [["1", "2"], ["9", "9"]], s: [["a", "a"]] })
  })

  it("accepts JSON for values with a colon", () => {
    assertEquals(parsed('s=["a:b","c:d"]'), { s: [["a:b", "c:d"]] })
    assertEquals(parsed('s="a:b"'), { s: [["a:b", "a:b"]] })
    assertEquals(parsed("x=[1, 5]"), { x: [[1, 5]] })
    assertEquals(parsed('x=["9007199254740993", null]'), { x: [["9007199254740993", null]] })
    assertEquals(parsed('s=[{"hex":"00ff"},"z"]'), { s: [[{ hex: "00ff" }, "z"]] })
    refused("s=a:b:c", /several colons; write s=\["lo","hi"\]/)
    refused("s=[a", /invalid JSON range/)
    refused("x=[1,2,3]", /a list of two values/)
    refused("x=[[1],2]", /a list of two values/)
    refused("x=[true,2]", /a list of two values/)
  })

  it("finds the colon between dates", () => {
    assertEquals(parsed("d=2024-01-01T12:30"), { d: [["2024-01-01T12:30", "2024-01-01T12:30"]] })
    assertEquals(parsed("d=2024-01-01T12:30:2024-02-01T00:00:00"), { d: [["2024-01-01T12:30", "2024-02-01T00:00:00"]] })
    assertEquals(parsed("d=2024-01-01:2024-02-01"), { d: [["2024-01-01", "2024-02-01"]] })
    assertEquals(parsed("day=2024-01-01:"), { day: [["2024-01-01", null]] })
    assertEquals(parsed("d=-5:7"), { d: [["-5", "7"]] })
    assertEquals(parsed("t=12:30"), { t: [["12", "30"]] })
    assertEquals(parsed("t=12:30:13:45"), { t: [["12:30", "13:45"]] })
    refused("d=yesterday", /neither a value nor a range of datetime_ms/)
    refused("day=2024-01-01T12:30", /neither a value nor a range of datetime_day/)
  })

  it("matches the longest name", () => {
    assertEquals(parsed("x=y=3"), { "x=y": [["3", "3"]] })
    refused("z=3", /no dimension "z"; the array has "x", "f"/)
    refused("3", /a range is DIM=LO:HI/)
    refused("x=", /there is no value; the dimension is of type int32/)
    refused("x= : ", /there is no value/)
    assertEquals(Object.keys(parseRanges(schema({ ["__proto__"]: "int8", q: "int8" }), ["q=1"])), ["q"])
  })

  it("is checked against the array", async () => {
    const line = async (...args: ReadonlyArray<string>) => {
      const { code, err } = await cli(["read", weather, ...args])
      assertEquals([code, err.split("\n").length], [2, 2])
      return err
    }
    assertMatch(await line("--range", "day=0:5"), /day: the range \[0, 5\] is outside the domain \[1, 366\].*--clip/)
    // the hint names no option that the command lacks
    const { err } = await cli(["copy", weather, "mem://copy", "--range", "day=0:5"])
    assertMatch(err, /day: the range \[0, 5\] is outside the domain \[1, 366\].*; select cells inside the domain\n$/)
    assertMatch(await line("--range", "day=5:1"), /is empty/)
    assertMatch(await line("--range", "day=a"), /"a" is not an integer, which int32 needs/)
    assertMatch(await line("--range", "day=1.5"), /"1.5" is not an integer/)
    assertMatch(await line("--range", "day=9999999999"), /does not fit into int32/)
    assertMatch(await line("--range", "-day=-3:2"), /no dimension "-day"/)
    const { out } = await cli(["read", weather, "--range", "day=-3:2", "--range=day=57", "--clip", "--json"])
    assertEquals(JSON.parse(out).shape, [3, 4])
  })
})

describe("--select", () => {
  const known = new Set(["a", "b", "b,c", "d"])
  it("splits names at commas, except in names that contain commas", () => {
    assertEquals(parseSelect(known, []), undefined)
    assertEquals(parseSelect(known, ["a,b"]), ["a", "b"])
    assertEquals(parseSelect(known, ["a,b,c", "d"]), ["a", "b,c", "d"])
    assertEquals(parseSelect(known, ["a, d"]), ["a", "d"])
    assertEquals(parseSelect(known, ["a,e"]), ["a", "e"])
    assertThrows(() => parseSelect(known, ["a", "a"]), UsageError)
  })
})

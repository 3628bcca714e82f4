/** Dates, times and truth values in CSV, JSON and NDJSON. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { printedCells } from "../../../src/cli/print/cell_encoder.ts"
import { inFolder } from "../folder.ts"
import { cli } from "../run_cli.ts"

const NAT = -(2n ** 63n)

const out = async (args: ReadonlyArray<string>, input?: string): Promise<string> => {
  const { code, out, err } = await cli(args, input === undefined ? {} : { input })
  assertEquals(code, 0, err)
  return out
}

const csv = "x,day,at,flag,year\n1,2024-02-29,12:30:00,true,54\n2,NaT,00:00:01,false,55\n3,,,,\n"
const types = "day=date?,at=time_sec?,flag=bool?,year=datetime_year?"

/** Runs with an array of dates, times, truth values and nulls. */
const withArray = (run: (array: string, folder: string) => Promise<void>) =>
  inFolder(async (folder) => {
    const array = join(folder, "array")
    await out(["import", "-", array, "--sparse", "--dims", "x", "--types", types], csv)
    await run(array, folder)
  })

describe("printed values", () => {
  it("are ISO text, truth values and null", () =>
    withArray(async (array) => {
      assertEquals(
        await out(["read", array, "--format", "csv"]),
        "x,day,at,flag,year\n1,2024-02-29,12:30:00,true,2024\n2,,00:00:01,false,2025\n3,,,,\n",
      )
      assertEquals(
        (await out(["read", array, "--format", "ndjson"])).trim().split("\n").map((line) => JSON.parse(line)),
        [
          { x: "1", day: "2024-02-29", at: "12:30:00", flag: true, year: "2024" },
          { x: "2", day: null, at: "00:00:01", flag: false, year: "2025" },
          { x: "3", day: null, at: null, flag: null, year: null },
        ],
      )
      assertEquals(JSON.parse(await out(["read", array, "--json"])).columns, {
        x: ["1", "2", "3"],
        day: ["2024-02-29", null, null],
        at: ["12:30:00", "00:00:01", null],
        flag: [true, false, null],
        year: ["2024", "2025", null],
      })
    }))

  it("are counts and numbers with --raw", () =>
    withArray(async (array) => {
      assertEquals(
        await out(["read", array, "--format", "csv", "--raw"]),
        `x,day,at,flag,year\n1,19782,45000,1,54\n2,${NAT},1,0,55\n3,,,,\n`,
      )
      assertEquals(JSON.parse(await out(["read", array, "--json", "--raw", "--limit", "1"])).columns.day, ["19782"])
      assertEquals(
        JSON.parse(await out(["read", array, "--json", "--agg", "min(at),max(day)", "--where", "day > '2024-01-01'"])),
        { columns: { "min(at)": ["12:30:00"], "max(day)": ["2024-02-29"] } },
      )
      assertEquals(
        JSON.parse(await out(["read", array, "--json", "--raw", "--agg", "min(at)", "--by", "flag"])).columns.flag,
        [0, 1, null],
      )
      assertEquals(JSON.parse(await out(["read", array, "--json", "--agg", "count", "--by", "flag"])).columns.flag, [
        false,
        true,
        null,
      ])
    }))

  it("are exported in a form that import reads", () =>
    withArray(async (array, folder) => {
      const [file, again] = [join(folder, "cells.csv"), join(folder, "again")]
      await out(["export", array, file])
      assertEquals(
        readFileSync(file, "utf8"),
        "x,day,at,flag,year\n1,2024-02-29,12:30:00,true,54\n2,,00:00:01,false,55\n3,,,,\n",
      )
      await out(["import", file, again, "--sparse", "--dims", "x", "--types", types])
      assertEquals(await out(["read", again, "--format", "csv"]), await out(["read", array, "--format", "csv"]))
      await out(["export", array, file, "--raw"])
      await out(["import", file, again, "--sparse", "--dims", "x", "--types", types, "--overwrite"])
      assertEquals(await out(["read", again, "--json", "--raw"]), await out(["read", array, "--json", "--raw"]))
      assertEquals(
        (await out(["export", array, "-", "--format", "ndjson", "--limit", "1"])).trim(),
        '{"x":"1","day":"2024-02-29","at":"12:30:00","flag":true,"year":"2024"}',
      )
    }))

  it("are lists in cells of several values", () => {
    const days = { name: "d", type: "datetime_day", length: 2, values: BigInt64Array.of(0n, NAT, 1n, 2n) } as const
    assertEquals([0, 1].map(printedCells({ ...days, cellValNum: 2 })), [["1970-01-01", null], [
      "1970-01-02",
      "1970-01-03",
    ]])
    const varSized = { ...days, cellValNum: "var", offsets: Uint32Array.of(0, 1, 4) } as const
    assertEquals(printedCells(varSized)(0), ["1970-01-01"])
    const flags = { name: "f", type: "bool", cellValNum: 1, length: 3, values: Uint8Array.of(0, 1, 7) } as const
    assertEquals([0, 1, 2].map(printedCells(flags)), [false, true, 7])
  })
})

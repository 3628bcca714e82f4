import { describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import { VERSION } from "../../../src/cli/mod.ts"
import { commands } from "../../../src/cli/command_table.ts"
import { cli, MONDAY, weather } from "../run_cli.ts"
import denoJson from "../../../deno.json" with { type: "json" }

/** Fails with exit code 2 and one line that matches; nothing is printed. */
const refused = async (args: ReadonlyArray<string>, line: RegExp): Promise<void> => {
  const { code, out, err } = await cli(args)
  assertEquals([code, out, err.split("\n").length], [2, "", 2], `${args.join(" ")}: ${err}`)
  assertMatch(err, line)
  assertMatch(err, /^tessera: /)
}

describe("usage", () => {
  it("errors print one line and exit with code 2", async () => {
    await refused(["reed", "x"], /no command "reed"; did you mean .*read/)
    await refused(["constructor", "x"], /no command "constructor"; there are ls, tree/)
    await refused(["read"], /read: name an array/)
    await refused(["read", ""], /read: name an array/)
    await refused(["read", "a", "b"], /takes one URI, not 2: "a", "b"/)
    await refused(["read", weather, "--limt", "3"], /no option --limt; did you mean --limit\?/)
    await refused(["read", weather, "-x"], /no option -x; see tessera read --help/)
    await refused(["read", weather, "--constructor"], /no option --constructor/)
    await refused(["read", weather, "--Limit", "3"], /no option --Limit/)
    await refused(["ls", weather, "--select", "a"], /no option --select/)
    await refused(["read", weather, "--select"], /--select needs a value: --select NAMES/)
    await refused(["read", weather, "--range="], /--range needs a value/)
    await refused(["read", weather, "--limit", "1.5"], /--limit: give a whole number/)
    await refused(["read", weather, "--limit", "-1"], /--limit: give a whole number/)
    await refused(["read", weather, "--limit", "3", "--limit", "4"], /--limit is given twice/)
    await refused(["read", weather, "--order", "diagonal"], /--order: give one of row, col, global, unordered/)
    await refused(["read", weather, "--format", "xml"], /--format: give one of table, json, ndjson, csv/)
    await refused(["read", weather, "--format", "csv", "--json"], /--json is --format json, not csv/)
    await refused(["read", weather, "--codes=yes"], /--codes takes no value/)
    await refused(["read", weather, "--at", "noon"], /--at: "noon" is not a time/)
    await refused(["read", weather, "--at", "-5"], /--at: "-5" is not a time/)
    await refused(["read", weather, "--at", "5", "--to", "6"], /--at cannot be combined/)
    await refused(["read", weather, "--from", "6", "--to", "5"], /--from is after --to/)
    await refused(["read", weather, "--select", "nope"], /nope: there is no such attribute or dimension/)
    await refused(["read", weather, "--select", "note,note"], /"note" is named twice/)
  })

  it("accepts options anywhere, with = or without, and a URI after --", async () => {
    const expected = (await cli(["read", weather, "--limit", "2", "--format", "csv"])).out
    assertEquals(expected, 'temperature,note\n4.5,""\n5,""\n')
    for (
      const args of [
        ["read", "--limit=2", weather, "--format=csv"],
        ["read", "--format", "csv", "--limit", "2", "--", weather],
      ]
    ) assertEquals((await cli(args)).out, expected)
    // a word after a switch is not its value
    assertEquals(
      (await cli(["ls", "--json", "y"])).err,
      "tessera: y: there is nothing here; check the path and the permission to list it\n",
    )
  })

  it("is printed by --help, in 80 columns", async () => {
    const ofCommands = Object.keys(commands).map((name) => [name, "--help"])
    for (const args of [[], ["--help"], ["-h"], ["help", "read"], ["ls", weather, "-h"], ...ofCommands]) {
      const { code, out, err } = await cli(args)
      assertEquals([code, err], [0, ""])
      assertMatch(out, /^tessera/)
      assertEquals(out.split("\n").filter((line) => line.length > 80), [])
    }
    assertMatch((await cli(["read", "--help"])).out, /--range DIM=LO:HI/)
    assertEquals((await cli(["--version"])).out, `tessera ${denoJson.version}\n`)
    assertEquals(VERSION, denoJson.version)
  })

  it("accepts times as milliseconds and as dates", async () => {
    const at = async (...args: ReadonlyArray<string>) => {
      const { out } = await cli(["read", weather, "--range", "day=60", "--range", "station=1", "--json", ...args])
      return JSON.parse(out).columns.temperature
    }
    assertEquals(await at(), [7.5])
    assertEquals(await at("--at", String(MONDAY)), [99])
    assertEquals(await at("--at", "2024-03-04T08:00Z"), [99])
    assertEquals(await at("--at", "2024-03-04T09:00:00+01:00"), [99])
    assertEquals(await at("--at", "2024-03-05"), [99])
    assertEquals(await at("--to", "2024-03-06", "--from", "2024-03-05"), [7.5])
    assertEquals(await at("--at", "18446744073709551615"), [7.5])
    // a time before the first write
    assertEquals(await at("--at", "5"), ["NaN"])
  })
})

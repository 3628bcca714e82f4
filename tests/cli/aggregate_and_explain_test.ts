/** `tessera read --agg`, `tessera read --explain` and `tessera delete`. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { join } from "node:path"
import { makeCounters } from "../../platform/mod.ts"
import { parseAggregates } from "../../src/cli/parse/parse_aggregates.ts"
import { inFolder } from "./folder.ts"
import { packedCase } from "./packed_files.ts"
import { cli, MONDAY, weather } from "./run_cli.ts"

const quakes = join(import.meta.dirname!, "../support/quakes")

/** Fails with exit code 2 and one line that matches; nothing is printed. */
const refused = async (args: ReadonlyArray<string>, line: RegExp): Promise<void> => {
  const { code, out, err } = await cli(args)
  assertEquals([code, out, err.split("\n").length], [2, "", 2], `${args.join(" ")}: ${err}`)
  assertMatch(err, line)
}

describe("read --agg", () => {
  it("prints aggregates in one row, in every format", async () => {
    const args = ["read", weather, "--agg", "count,sum(temperature)", "--agg", "min(note)"]
    assertEquals(
      await cli(args),
      {
        code: 0,
        err: "",
        out: "count  sum(temperature)  min(note)\n" +
          "──────────────────────────────────\n" +
          "   28             144.5\n",
      },
    )
    const row = { count: 28, "sum(temperature)": 144.5, "min(note)": "" }
    assertEquals(JSON.parse((await cli([...args, "--format", "ndjson"])).out), row)
    assertEquals((await cli([...args, "--format", "csv"])).out, 'count,sum(temperature),min(note)\n28,144.5,""\n')
    assertEquals(JSON.parse((await cli([...args, "--json"])).out), {
      columns: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, [value]])),
    })
  })

  it("aggregates cells in ranges, by a condition and at a time", async () => {
    const answer = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await cli(["read", ...args, "--format", "ndjson"])).out)
    assertEquals(
      await answer(
        weather,
        "--agg",
        "mean(temperature)",
        "--range",
        "day=60",
        "--range",
        "station=1",
        "--at",
        String(MONDAY),
      ),
      {
        "mean(temperature)": 99,
      },
    )
    assertEquals(await answer(weather, "--agg", "count,max(temperature)", "--where", "temperature < 3"), {
      count: 3,
      "max(temperature)": 2.5,
    })
    assertEquals(await answer(quakes, "--agg", "count,min(time),max(place)", "--range", "lat=36:"), {
      count: 2,
      // dates are ISO text, as in cells
      "min(time)": "2011-03-11T05:46:24",
      "max(place)": "Tōhoku",
    })
    assertEquals(await answer(quakes, "--agg", "count,mean(depth),max(place)", "--where", "depth > 1000"), {
      count: 0,
      "mean(depth)": null,
      "max(place)": null,
    })
    assertMatch((await cli(["read", quakes, "--agg", "min(time)"])).out, /2011-03-11T05:46:24\n$/)
  })

  it("prints one row per group", async () => {
    const { code, out, err } = await cli(["read", quakes, "--by", "scale", "--agg", "count,max(depth)"])
    assertEquals([code, err], [0, ""])
    assertEquals(
      out,
      "scale │ count  max(depth)\n──────┼──────────────────\nmw    │     2          29\nml    │     1        33.5\n",
    )
    const csv = async (...args: ReadonlyArray<string>) => (await cli(["read", ...args, "--format", "csv"])).out
    assertEquals(
      await csv(weather, "--by", "day,note", "--agg", "count", "--range", "day=59:60"),
      'day,note,count\n59,"",4\n60,"",2\n60,corrected,2\n',
    )
    assertEquals(await csv(quakes, "--by", "place", "--range", "lat=36:"), "place\nNiigata\nTōhoku\n")
    const none = await cli(["read", quakes, "--by", "place", "--where", "depth > 1000"])
    assertEquals([none.code, none.err], [0, "no cells\n"])
    await refused(["read", quakes, "--by", "plaec"], /plaec: there is no such attribute or dimension/)
    await refused(["read", quakes, "--by", "place,place"], /--by: "place" is named twice/)
    await refused(["read", quakes, "--by", "place", "--codes"], /--codes and --by cannot be combined/)
  })

  it("is rejected with the position, and together with options for cells", async () => {
    await refused(
      ["read", weather, "--agg", "count,median(note)"],
      /character 7: there is no "median"; there are count/,
    )
    await refused(
      ["read", weather, "--agg", "count,,count"],
      /character 7: there is no ""/,
    )
    await refused(["read", weather, "--agg", "sum"], /character 4: name the field: sum\(FIELD\)/)
    await refused(["read", weather, "--agg", "max(note"], /character 4: the parenthesis is not closed/)
    await refused(["read", weather, "--agg", "max()"], /character 5: a field is missing/)
    await refused(["read", weather, "--agg", "max(note)x"], /character 10: a comma should stand here/)
    await refused(["read", weather, "--agg", "count,count"], /count is repeated/)
    await refused(["read", weather, "--agg", "sum(noe)"], /sum\(noe\): there is no such attribute or dimension/)
    await refused(["read", weather, "--agg", "sum(note)"], /sum does not support string_ascii/)
    await refused(["read", weather, "--agg", "count", "--limit", "3"], /--limit and --agg cannot be combined/)
    await refused(["read", weather, "--agg", "count", "--select", "note"], /--select and --agg cannot be combined/)
  })

  it("parses names with commas and parentheses", () => {
    const known = new Set(["a", "a),max(b", "x,y"])
    assertEquals(Object.entries(parseAggregates(known, ["sum(a),max(b)", "null_count(x,y)"])), [
      ["sum(a),max(b)", { kind: "sum", field: "a),max(b" }],
      ["null_count(x,y)", { kind: "nullCount", field: "x,y" }],
    ])
    // unknown fields are rejected later, by the array
    assertEquals(parseAggregates(known, ["count, sum( a )"]), {
      count: { kind: "count", field: "" },
      "sum( a )": { kind: "sum", field: "a" },
    })
    assertEquals(parseAggregates(known, ["sum(nope, a)"]), { "sum(nope, a)": { kind: "sum", field: "nope, a" } })
  })
})

describe("read --explain", () => {
  it("prints the plan and reads no tile", async () => {
    const trace = makeCounters()
    const { code, out, err } = await cli(["read", quakes, "--explain", "--where", "depth > 20", "--select", "place"], {
      trace,
    })
    assertEquals([code, err], [0, ""])
    assertMatch(
      out,
      /^tiles {2}in ranges {2}ruled out {2}read {2}fragment\n─+\n {4}1 {10}1 {10}0 {5}1 {2}__1709539200000_/,
    )
    assertMatch(out, /\nfields {4}lat, lon, depth, place\n/)
    assertMatch(out, /\nresult {4}at most \d+ bytes\n {10}place \d+ bytes\n$/)
    const opening = makeCounters()
    await cli(["schema", quakes, "--json"], { trace: opening })
    const { bytes } = JSON.parse((await cli(["read", quakes, "--explain", "--json"])).out)
    assert(trace.bytesRead < opening.bytesRead + 10_000 && bytes > 0)
  })

  it("prints JSON", async () => {
    const { out } = await cli(["read", weather, "--explain", "--json", "--range", "day=60", "--select", "temperature"])
    const { fragments, ...plan } = JSON.parse(out)
    assertEquals(plan.fields, ["temperature"])
    assertEquals(plan.cells, 4)
    assertEquals(
      fragments.map(({ name: _, ...fragment }: { readonly name: string }) => fragment),
      [{ tiles: 1, in_ranges: 1, ruled_out: 0, read: 1 }, { tiles: 1, in_ranges: 1, ruled_out: 0, read: 1 }],
    )
  })

  it("is rejected like the read", async () => {
    await refused(
      ["read", weather, "--explain", "--where", "temprature > 5"],
      /temprature: the array has no such field/,
    )
    await refused(["read", weather, "--explain", "--agg", "count"], /--explain and --agg cannot be combined/)
  })
})

describe("read --matching", () => {
  it("omits cells of dense arrays that do not match the condition, and unwritten cells", async () => {
    const args = ["read", weather, "--where", "temperature < 3", "--matching"]
    assertEquals(
      (await cli(args)).out,
      "day  station │ temperature  note\n─────────────┼──────────────────\n" +
        " 61        3 │         2.5  snow\n 62        1 │         2.5\n 62        3 │         1.5\n",
    )
    const json = await cli([...args, "--json", "--limit", "2"])
    assertEquals(JSON.parse(json.out).columns.day, [61, 62])
    const written = await cli(["read", weather, "--range", "day=1:366", "--matching", "--format", "ndjson"])
    assertEquals(written.out.split("\n").length, 29)
    await refused([...args, "--order", "col"], /--matching answers cells row by row; leave --order out/)
  })
})

describe("read --timestamps", () => {
  it("adds the timestamp of each cell", async () => {
    const table = (await cli(["read", quakes, "--timestamps", "--select", "place"])).out
    assertMatch(table, /^place {4}__timestamps\n─+\nCrete {4}2024-03-04T08:00:00Z\n/)
    const { columns } = JSON.parse((await cli(["read", quakes, "--timestamps", "--json"])).out)
    assertEquals([Object.keys(columns).length, columns.__timestamps], [7, Array(3).fill("2024-03-04T08:00:00Z")])
    const raw = JSON.parse((await cli(["read", quakes, "--timestamps", "--json", "--raw"])).out)
    assertEquals(raw.columns.__timestamps, Array(3).fill(String(MONDAY)))
    const named = JSON.parse((await cli(["read", quakes, "--json", "--select", "__timestamps", "--timestamps"])).out)
    assertEquals(Object.keys(named.columns), ["__timestamps"])
    await refused(["read", weather, "--timestamps"], /__timestamps: only the cells of sparse arrays have write times/)
  })
})

describe("domain", () => {
  it("shows the domain and the non-empty domain", async () => {
    const { code, out } = await cli(["domain", quakes])
    assertEquals(code, 0)
    assertMatch(out, /\nlat {8}float64 {2}-90 … 90 {20}35\.2 … 38\.3\n/)
    const at = (...args: ReadonlyArray<string>) => cli(["domain", weather, "--json", ...args])
    const days = (out: string) => JSON.parse(out)[0]
    assertEquals(days((await at()).out), {
      name: "day",
      type: "int32",
      domain: [1, 366],
      current_domain: null,
      non_empty_domain: [57, 63],
    })
    assertEquals(days((await at("--at", "5")).out).non_empty_domain, null)
    assertMatch((await cli(["domain", weather, "--at", "5"])).out, /no cells\n/)
    const { folder, files } = packedCase("v22/current_domain_dense")
    const current = JSON.parse((await cli(["domain", `mem://${folder}/array`, "--json"], { files })).out)
    assertEquals(current.every((fragment: Record<string, unknown>) => Array.isArray(fragment.current_domain)), true)
  })
})

describe("delete", () => {
  const cells = async (uri: string) =>
    JSON.parse((await cli(["read", uri, "--json", "--select", "place"])).out).columns.place

  it("deletes the cells that match a condition, and prints the commit", () =>
    inFolder(async (folder) => {
      const copy = join(folder, "copy")
      await cli(["copy", quakes, copy])
      const { code, out, err } = await cli(["delete", copy, "--where", "depth > 30"])
      assertEquals(code, 0)
      assertMatch(out, /^__\d+_\d+_[0-9a-f]{32}_22\n$/)
      assertMatch(err, /^the matching cells are deleted; /)
      assertEquals((await cells(copy)).length, (await cells(quakes)).length - 1)
      const again = await cli(["delete", copy, "--where", 'place == "Niigata"', "--json"])
      assertEquals([again.code, again.err], [0, ""])
      const { uri, commit } = JSON.parse(again.out)
      assertEquals([uri, /^__\d+/.test(commit)], [copy, true])
      // at a time before the cells were written, no cell is deleted
      const quiet = await cli(["delete", copy, "--where", "depth > 0", "--at", "1970-01-02", "--quiet"])
      assertEquals([quiet.code, quiet.err, quiet.out.startsWith("__86400000_86400000_")], [0, "", true])
      assertEquals((await cells(copy)).length, (await cells(quakes)).length - 2)
    }))

  it("is rejected without changing the array", () =>
    inFolder(async (folder) => {
      const copy = join(folder, "copy")
      await cli(["copy", quakes, copy])
      await refused(["delete", copy], /delete: select the cells: --where CONDITION/)
      await refused(["delete", copy, "--where", "depht > 5"], /depht: the array has no such field; it has/)
      await refused(["delete", copy, "--where", "depth >"], /character 8 of "depth >"/)
      await refused(["delete", copy, "--where", "depth > 5", "--at", "noon"], /--at: "noon" is not a time/)
      const dense = await cli(["delete", weather, "--where", "temperature > 5"])
      assertEquals([dense.code, dense.out], [5, ""])
      assertMatch(dense.err, /the array is dense; only sparse arrays support deletes by a condition/)
      assertEquals((await cli(["delete", join(folder, "none"), "--where", "a > 5"])).code, 3)
      assertEquals(await cells(copy), await cells(quakes))
    }))
})

import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { cellJsonText } from "../../src/cli/print/cell_formats.ts"
import { packedCase } from "./packed_files.ts"
import { cli, weather, weatherExpected } from "./run_cli.ts"

const slice = ["read", weather, "--range", "day=59:60", "--range", "station=1:2"]
const packed = (folder: string) => ({ ...packedCase(folder), uri: `mem://${folder}/array` })

describe("read", () => {
  it("prints one object of columns", async () => {
    const { code, out, err } = await cli(["read", weather, "--format", "json"])
    assertEquals([code, err], [0, ""])
    const full = weatherExpected.reads.find((r: { name: string }) => r.name === "full")
    assertEquals(JSON.parse(out), { columns: full.columns, shape: [7, 4] })
    assertEquals(out.split("\n").length, 2)
  })

  it("prints lines of JSON", async () => {
    const { out } = await cli([...slice, "--format", "ndjson", "--select", "note,day,temperature"])
    assertEquals(out.trimEnd().split("\n").map((line) => JSON.parse(line)), [
      { note: "", day: 59, temperature: 6 },
      { note: "", day: 59, temperature: 7 },
      { note: "corrected", day: 60, temperature: 7.5 },
      { note: "corrected", day: 60, temperature: 8 },
    ])
    assertMatch(out, /^\{"note":"","day":59,"temperature":6\}\n/)
  })

  it("prints a table with the coordinates of dense cells", async () => {
    const { out } = await cli(slice)
    assertEquals(
      out,
      "day  station │ temperature  note\n" +
        "─────────────┼───────────────────────\n" +
        " 59        1 │           6\n" +
        " 59        2 │           7\n" +
        " 60        1 │         7.5  corrected\n" +
        " 60        2 │           8  corrected\n",
    )
    // only the selected fields are printed
    assertEquals((await cli([...slice, "--select", "temperature"])).out.split("\n")[0], "temperature")
  })

  it("accepts ranges of labels instead of their dimension", async () => {
    const { uri, files } = packed("v22/dimension_labels")
    const read = (...ranges: ReadonlyArray<string>) =>
      cli(["read", uri, "--format", "csv", ...ranges.flatMap((range) => ["--range", range])], { files })
    // 6.75 and 24 are the labels of 9 and 10, 5 is the label of 2
    const byLabel = await read("lab_inc=1:", "lab_dec=3:6")
    assertEquals([byLabel.code, byLabel.err], [0, ""])
    assertEquals(byLabel.out, (await read("x=9:10", "y=2")).out)
    assertEquals((await read("lab_str=k256:k308", "y=2")).out, (await read("x=6:7", "y=2")).out)
    assertEquals((await read("lab_inc=1:2")).out.trim(), "a")
    const both = await read("lab_inc=1:", "x=1")
    assertEquals(both.code, 2)
    assertMatch(both.err, /lab_inc: it belongs to the same dimension as "x"/)
  })

  it("orders cells", async () => {
    const values = async (order: string) =>
      JSON.parse((await cli([...slice, "--order", order, "--json", "--select", "temperature"])).out).columns.temperature
    assertEquals(await values("row"), [6, 7, 7.5, 8])
    assertEquals(await values("col"), [6, 7.5, 7, 8])
    assertEquals((await values("unordered")).length, 4)
    assertEquals((await values("global")).length, 4)
  })

  it("stops at a limit, and prints a note to stderr for a table", async () => {
    const limited = await cli(["read", weather, "--limit", "3"])
    assertEquals(limited.out.split("\n").length, 6)
    assertEquals(limited.err, "the first 3 of 28 cells\n")
    for (const order of ["row", "col", "global", "unordered"]) {
      const args = ["read", weather, "--json", "--select", "day,station,temperature", "--order", order]
      const all = JSON.parse((await cli(args)).out)
      for (const limit of [0, 1, 4, 5, 27, 28, 100]) {
        const { out, err } = await cli([...args, "--limit", String(limit)])
        const columns = Object.fromEntries(
          Object.entries(all.columns as Record<string, Array<unknown>>).map(([n, c]) => [n, c.slice(0, limit)]),
        )
        assertEquals(JSON.parse(out), { columns, shape: [7, 4] })
        assertEquals(err, "")
      }
    }
    const empty = await cli(["read", weather, "--limit", "0"])
    assertEquals([empty.code, empty.out.split("\n").length], [0, 3])
  })

  it("prints values of enumerations, or their codes", async () => {
    const { uri, files } = packed("v22/enumerations")
    const columns = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await cli(["read", uri, "--json", ...args], { files })).out).columns
    const [codes, values] = [await columns("--codes"), await columns()]
    const { enumerations, attributes } = JSON.parse((await cli(["schema", uri, "--json"], { files })).out)
    let missing = 0
    for (const { name, enumeration } of attributes) {
      if (enumeration === undefined) {
        assertEquals(values[name], codes[name])
        continue
      }
      const known = enumerations[enumeration].values
      codes[name].forEach((code: number | string | null, i: number) => {
        const expected = code === null ? null : known[Number(code)] ?? null
        if (expected === null) missing++
        assertEquals(values[name][i], expected)
      })
    }
    assert(missing > 0, "there is a null among them")
    assertMatch((await cli(["read", uri], { files })).out, /\bnull\b/)
  })

  it("opens encrypted arrays with the key from a file or the environment", async () => {
    const { uri, files, key } = packed("v22/encrypted_dense")
    const withFile = new Map([...files, ["keys/good", new TextEncoder().encode(`${key}\n`)], [
      "keys/bad",
      new Uint8Array(5),
    ]])
    const plain = await cli(["read", uri, "--format", "csv"], { files, key })
    assertEquals([plain.code, plain.err], [0, ""])
    assertEquals(
      (await cli(["read", uri, "--format", "csv", "--key-file", "mem://keys/good"], { files: withFile })).out,
      plain.out,
    )
    const codes = [
      await cli(["read", uri], { files }),
      await cli(["read", uri], { files, key: "0".repeat(32) }),
      await cli(["read", uri], { files, key: "short" }),
      await cli(["read", uri, "--key-file", "mem://keys/bad"], { files: withFile }),
      await cli(["read", weather], { key }),
    ]
    assertEquals(codes.map(({ code, out }) => [code, out]), codes.map(() => [4, ""]))
    assertMatch(codes[0].err, /it is encrypted; provide its key with --key-file, or set TESSERA_KEY\n$/)
    assertEquals(codes.some(({ err }) => err.includes("short")), false)
    assertEquals((await cli(["read", uri, "--key-file", "mem://keys/none"], { files })).code, 3)
  })
})

describe("CSV", () => {
  it("distinguishes null, empty text and quotes", async () => {
    const { uri, files } = packed("v22/sparse_nullable")
    const csv = (await cli(["read", uri, "--format", "csv"], { files })).out.trimEnd().split("\n")
    const { columns } = JSON.parse((await cli(["read", uri, "--format", "json"], { files })).out)
    const names = Object.keys(columns)
    assertEquals(csv[0], names.join(","))
    assertEquals(csv.length, columns[names[0]].length + 1)
    for (const [i, line] of csv.slice(1).entries()) {
      const cells = line.match(/("(?:[^"]|"")*"|[^,]*)(,|$)/g)!.slice(0, names.length).map((c) => c.replace(/,$/, ""))
      names.forEach((name, c) => {
        const value = columns[name][i]
        if (value === null) assertEquals(cells[c], "")
        else if (typeof value === "number") assertEquals(cells[c], String(value))
        else if (value === "") assertEquals(cells[c], '""')
      })
    }
    assert(csv.some((line) => /(^|,)(,|$)/.test(line)), "there are nulls")
  })
})

describe("cells as JSON text", () => {
  it("is exact", () => {
    assertEquals(cellJsonText(-0), "-0")
    assertEquals(cellJsonText([1, -0, "NaN"]), '[1,-0,"NaN"]')
    assertEquals(cellJsonText({ hex: "00" }), '{"hex":"00"}')
    assertEquals(cellJsonText('a"\n'), '"a\\"\\n"')
    assertEquals(cellJsonText(null), "null")
    assertEquals(cellJsonText("9007199254740993"), '"9007199254740993"')
  })
})

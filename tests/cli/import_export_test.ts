/** `tessera import` and `tessera export`. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { ArraySchema, Attr, Dense, Dim, layerDefault, Sparse, TileArray } from "../../mod.ts"
import { createLike } from "../../src/array/create/create.ts"
import { inFolder } from "./folder.ts"
import { packedCases } from "./packed_files.ts"
import { cli, MONDAY, weather } from "./run_cli.ts"

const csv = `place,lat,lon,depth,at,felt
Tōhoku,38.3,142.4,29,2011-03-11T05:46:24.500,true
"Valdivia, Chile",-38.1,-73.4,,1960-05-22,false
`

const json = async (args: ReadonlyArray<string>) => {
  const { code, out, err } = await cli([...args, "--json"])
  assertEquals([code, err], [0, ""])
  return JSON.parse(out)
}

describe("import", () => {
  it("creates a sparse array from a file, and prints a summary", () =>
    inFolder(async (folder) => {
      const [file, uri] = [join(folder, "quakes.csv"), join(folder, "quakes")]
      writeFileSync(file, csv)
      const { code, out, err } = await cli(["import", file, uri, "--sparse", "--dims", "lat,lon"])
      assertEquals([code, out], [0, `${uri}\n`])
      assertMatch(err, /^2 rows in 1 fragment of \d+ bytes, delimiter comma \(detected\)\n$/)
      assertEquals(
        (await cli(["read", uri, "--format", "csv", "--select", "place,depth"])).out,
        'place,depth\n"Valdivia, Chile",\nTōhoku,29\n',
      )
      assertEquals(readdirSync(folder).sort(), ["quakes", "quakes.csv"])
    }))

  it("accepts all settings as options, and the text from standard input", () =>
    inFolder(async (folder) => {
      const uri = join(folder, "a")
      const args = [
        ...[
          "--sparse",
          "--dims",
          "t",
          "--columns",
          "t,name,n",
          "--delimiter",
          "tab",
          "--null",
          "NA",
          "--types",
          "t=date,n=int?",
        ],
        ...[
          "--domain",
          't=["2000-01-01","2030-12-31"]',
          "--tile",
          "t=7",
          "--filter",
          "bitshuffle,zstd:5",
          "--filter",
          "name=rle",
        ],
        ...[
          "--order",
          "hilbert",
          "--capacity",
          "5",
          "--duplicates",
          "keep",
          "--format-version",
          "20",
          "--at",
          "1000",
          "--json",
        ],
      ]
      const input = "2024-02-29\tb\tNA\n2023-01-01\ta\t7\n2023-01-01\t\t8\n"
      const { code, out, err } = await cli(["import", "-", uri, ...args], { input })
      assertEquals([code, err], [0, ""])
      const { rows, fragments } = JSON.parse(out)
      assertEquals([rows, fragments.length], [3, 1])
      assertMatch(fragments[0], /^__1000_1000_/)
      const schema = await json(["schema", uri])
      assertEquals([schema.version, schema.capacity, schema.allows_dups, schema.cell_order], [20, "5", true, "hilbert"])
      const [{ domain, type }] = schema.dimensions
      assertEquals([type, domain], ["datetime_day", ["10957", "22279"]])
      const [name, n] = schema.attributes
      assertEquals([name.filters[0].type, n.type, n.nullable, n.filters.map((f: { type: string }) => f.type)], [
        "rle",
        "int64",
        true,
        ["bitshuffle", "zstd"],
      ])
      assertEquals((await cli(["read", uri, "--format", "ndjson"])).out.split("\n").sort().slice(1), [
        '{"t":"2023-01-01","name":"","n":"8"}',
        '{"t":"2023-01-01","name":"a","n":"7"}',
        '{"t":"2024-02-29","name":"b","n":null}',
      ])
    }))

  it("appends rows to an array", () =>
    inFolder(async (folder) => {
      const [file, uri] = [join(folder, "a.csv"), join(folder, "a")]
      writeFileSync(file, "a,b\n1,x\n2,y\n")
      await cli(["import", file, uri])
      assertEquals((await cli(["import", file, uri, "--append", "--quiet"])).code, 0)
      assertEquals(
        (await cli(["read", uri, "--format", "csv", "--select", "row,a,b"])).out,
        "row,a,b\n0,1,x\n1,2,y\n2,1,x\n3,2,y\n",
      )
    }))

  it("prints a warning to stderr if the array is slightly ahead of the clock, and is rejected if it is far ahead", () =>
    inFolder(async (folder) => {
      const file = join(folder, "more.csv")
      writeFileSync(file, "x,a\n1,1\n")
      for (const [ahead, code] of [[600_000, 0], [7_200_000, 2]] as const) {
        const uri = join(folder, `${ahead}`)
        const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 9]) }, attrs: { a: Attr.int32() } })
        const made = Effect.flatMap(
          TileArray.create(uri, Points),
          (array) => Sparse.write(array, { x: [2], a: [2] }, { at: Date.now() + ahead }),
        )
        await Effect.runPromise(Effect.provide(made, layerDefault))
        const run = await cli(["import", file, uri, "--append", "--json"])
        assertEquals(run.code, code, run.err)
        assertMatch(run.err, code === 0 ? /^tessera: .*: the clock says / : /^tessera: .* ms ahead of the clock/)
        if (code === 0) assertEquals(JSON.parse(run.out).rows, 1)
      }
    }))

  it("is rejected with the exit code of the error, and leaves no files", () =>
    inFolder(async (folder) => {
      const [file, uri] = [join(folder, "a.csv"), join(folder, "a")]
      const refused = async (text: string, args: ReadonlyArray<string>, code: number, line: RegExp): Promise<void> => {
        writeFileSync(file, text)
        const run = await cli(["import", file, uri, ...args])
        assertEquals([run.code, run.out, run.err.split("\n").length], [code, "", 2], run.err)
        assertMatch(run.err, line)
        assertEquals(readdirSync(folder), ["a.csv"])
      }
      await refused("a,b\n1,2\n3\n", [], 5, /a.csv: row 3: it has 1 cells, and there are 2 columns/)
      await refused("a\n300\n", ["--types", "a=uint8"], 5, /a.csv: row 2: a: "300" does not fit into uint8/)
      await refused("a\n1\n", ["--sparse"], 2, /dims: specify the columns that contain coordinates/)
      await refused("a\n1\n", ["--types", "a=int9"], 2, /--types "a=int9": "int9" is not a datatype/)
      await refused("a\n1\n", ["--types", "a"], 2, /--types "a": write COLUMN=VALUE/)
      await refused("a\n1\n", ["--types", "b=int8"], 2, /types: there is no column "b"/)
      await refused(
        "a\n1\n",
        ["--filter", "zip"],
        2,
        /--filter "zip": "zip" is not a filter; there are bzip2\[:LEVEL\]/,
      )
      await refused("a\n1\n", ["--filter", "rle:5"], 2, /"rle:5" is not a filter/)
      await refused("a\n1\n", ["--dims", "a", "--domain", "a=1:2:3"], 2, /--domain "a=1:2:3": write DIM=LOW:HIGH/)
      await refused("a\n1\n", ["--dims", "a", "--tile", "a=x"], 2, /tile: a: "x" is invalid; expected a number above 0/)
      await refused("a\n1\n", ["--delimiter", "::"], 2, /--delimiter: give one character/)
      await refused("a\n1\n", ["--append"], 3, /there is no array here/)
      await refused(
        "a\n1\n",
        ["--append", "--dims", "a"],
        2,
        /--dims is for new arrays, and --append for an existing array/,
      )
      assertEquals((await cli(["import", join(folder, "none.csv"), uri])).code, 3)
      assertEquals((await cli(["import", "-", uri])).code, 2)
      assertEquals((await cli(["import", file])).code, 2)
      await cli(["import", file, uri])
      const again = await cli(["import", file, uri])
      assertEquals(again.code, 2)
      assertMatch(again.err, /there is an array here already; add --overwrite, or choose another target/)
    }))
})

describe("export", () => {
  it("writes cells with their coordinates; dates and booleans as text", () =>
    inFolder(async (folder) => {
      const [file, uri] = [join(folder, "quakes.csv"), join(folder, "quakes")]
      writeFileSync(file, csv)
      await cli(["import", file, uri, "--sparse", "--dims", "lat,lon"])
      const out = join(folder, "out.csv")
      const run = await cli(["export", uri, out])
      assertEquals([run.code, run.out], [0, `${out}\n`])
      assertMatch(run.err, /^2 cells, 1\d\d bytes\n$/)
      assertEquals(
        readFileSync(out, "utf8"),
        "lat,lon,place,depth,at,felt\n" +
          '-38.1,-73.4,"Valdivia, Chile",,1960-05-22T00:00:00.000,false\n' +
          "38.3,142.4,Tōhoku,29,2011-03-11T05:46:24.500,true\n",
      )
    }))

  it("accepts ranges, columns, a time, a delimiter and a text for null, as CSV or NDJSON", () =>
    inFolder(async (folder) => {
      const lines = join(folder, "out.ndjson")
      const options = [
        "--range",
        "day=59:60",
        "--where",
        "temperature > 6",
        "--range",
        "station=1",
        "--at",
        `${MONDAY}`,
      ]
      await cli(["export", weather, lines, ...options, "--select", "day,temperature", "--quiet"])
      const expected =
        (await cli(["read", weather, ...options, "--select", "day,temperature", "--format", "ndjson"])).out
      assertEquals(readFileSync(lines, "utf8"), expected)
      assert(expected.includes('{"day":60,'))
      const { out } = await cli([
        "export",
        weather,
        "-",
        "--range",
        "day=60",
        "--delimiter",
        ";",
        "--null",
        "NA",
        "--limit",
        "2",
      ])
      assertEquals(out, "day;station;temperature;note\n60;1;7.5;corrected\n60;2;8;corrected\n")
      const { out: names } = await cli(["export", weather, "-", "--format", "ndjson", "--limit", "1"])
      assertEquals(names, '{"day":57,"station":1,"temperature":4.5,"note":""}\n')
    }))

  it("leaves no new file and keeps the existing file when it fails", () =>
    inFolder(async (folder) => {
      const file = join(folder, "out.csv")
      writeFileSync(file, "kept")
      assertEquals((await cli(["export", weather, file, "--where", "nope > 1"])).code, 2)
      assertEquals((await cli(["export", join(folder, "none"), file])).code, 3)
      assertEquals((await cli(["export", weather, join(file, "below", "x.csv")])).code, 1)
      assertEquals((await cli(["export", weather])).code, 2)
      assertEquals([readdirSync(folder), readFileSync(file, "utf8")], [["out.csv"], "kept"])
    }))
})

describe("exported files", () => {
  it("are imported unchanged into an array with the same schema", () =>
    inFolder(async (folder) => {
      let compared = 0
      for (const { folder: name, key, objects, files } of packedCases("v22")) {
        if (key !== undefined || !/types|var|null|enum|date|evolved|string|hetero|fuzz|fill|float/.test(name)) continue
        for (const [path, bytes] of files) {
          mkdirSync(dirname(join(folder, path)), { recursive: true })
          writeFileSync(join(folder, path), bytes)
        }
        for (const [object, { kind, schema, error }] of Object.entries(objects)) {
          if (kind !== "array" || error !== undefined) continue
          // a column needs a name; images are lossy; labels are stored elsewhere; duplicates have no defined order
          const unnamed = schema.attributes.some((attribute: { name: string }) => attribute.name === "")
          if (
            unnamed || schema.dimension_labels.length > 0 || /webp|dups|strings_sparse|hilbert_mixed/.test(name)
          ) continue
          const [uri, copy] = [join(folder, name, object), join(folder, `${name}_${object}`.replaceAll("/", "_"))]
          const nullOption = ["--null", "\u0001"]
          const exported = await cli(["export", uri, "-", ...nullOption])
          assertEquals([exported.code, exported.err], [0, ""], uri)
          await Effect.runPromise(Effect.provide(
            Effect.flatMap(Effect.flatMap(TileArray.open(uri), ArraySchema.of), (schema) => createLike(copy, schema)),
            layerDefault,
          ))
          const args = ["import", "-", copy, "--append", ...nullOption, "--quiet"]
          const imported = await cli(args, { input: exported.out })
          assertEquals([imported.code, imported.err], [0, ""], uri)
          assertEquals((await cli(["export", copy, "-", ...nullOption])).out, exported.out, uri)
          compared++
        }
      }
      assert(compared > 20, `${compared} arrays`)
    }))

  it("keep text with line breaks and with text that looks like bytes", () =>
    inFolder(async (folder) => {
      const [uri, copy] = [join(folder, "a"), join(folder, "b")]
      const texts = ["a\r\nb", '{"hex":"61"}', '{"hex": "ff00ff"}', '{"hex":"c3"}', "\ufeffx", "é", "\u0001", ""]
      const Texts = ArraySchema.dense({
        dims: { x: Dim.int32([0, texts.length]) },
        attrs: { t: Attr.utf8(), e: Attr.enumerated(Attr.uint8(), "e") },
        enumerations: { e: texts },
      })
      const bytes = new Uint8Array([...texts, ""].flatMap((text) => [...new TextEncoder().encode(text)].concat(0xff)))
      const offsets = new Uint32Array(texts.length + 2)
      texts.forEach((text, i) => offsets[i + 1] = offsets[i] + new TextEncoder().encode(text).length + 1)
      offsets[texts.length + 1] = bytes.length
      const written = Effect.gen(function* () {
        yield* Dense.write(yield* TileArray.create(uri, Texts), {}, {
          t: [...texts, "last"],
          e: [...texts.keys(), 0],
        })
        // invalid text: each string is followed by an invalid byte
        const array = yield* TileArray.reopen(yield* TileArray.create(join(folder, "bytes"), Texts))
        yield* Dense.write(array, {}, { t: { values: bytes, offsets }, e: new Uint8Array(texts.length + 1) })
        yield* TileArray.create(copy, Texts)
        yield* TileArray.create(`${copy}s`, Texts)
      })
      await Effect.runPromise(Effect.provide(written, layerDefault))
      const { out } = await cli(["export", uri, "-"])
      assertEquals(out.split("\n", 3), ["x,t,e", '0,"a\r', 'b","a\r'])
      assertEquals((await cli(["import", "-", copy, "--append"], { input: out })).code, 0)
      assertEquals(
        (await cli(["import", "-", `${copy}s`, "--append"], {
          input: (await cli(["export", join(folder, "bytes"), "-"])).out,
        })).code,
        0,
      )
      const read = (uri: string) =>
        Effect.map(Effect.flatMap(TileArray.open(uri), (a) => Dense.read(a)), (r) => r.columns)
      const columns = (uri: string) => Effect.runPromise(Effect.provide(read(uri), layerDefault))
      assertEquals(await columns(copy), await columns(uri))
      assertEquals(await columns(`${copy}s`), await columns(join(folder, "bytes")))
      assertEquals(JSON.parse((await cli(["export", uri, "-", "--format", "ndjson", "--limit", "1"])).out).t, texts[0])
    }))
})

/** Commands that change arrays: metadata, schemas, format versions. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inFolder } from "../folder.ts"
import { packedCases } from "../packed_files.ts"
import { cli, type CliSettings, weather } from "../run_cli.ts"

/** Runs a command that succeeds, and returns its output. */
const out = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, out, err } = await cli(args)
  assertEquals(code, 0, `${args.join(" ")}: ${err}`)
  return out
}

const json = async (...args: ReadonlyArray<string>) => JSON.parse(await out(...args, "--json"))

/** Runs a command that fails with an exit code and one line. */
const refused = async (
  args: ReadonlyArray<string>,
  code: number,
  line: RegExp,
  settings: CliSettings = {},
): Promise<void> => {
  const run = await cli(args, settings)
  assertEquals([run.code, run.out, run.err.split("\n").length], [code, "", 2], `${args.join(" ")}: ${run.err}`)
  assertMatch(run.err, line)
}

const schema = JSON.stringify({
  arrayType: "sparse",
  dims: [{ name: "x", type: "uint32", domain: [0, 99] }],
  attrs: [{ name: "a", type: "int32" }],
})

/** Runs with an array in a folder. */
const withArray = (run: (array: string, folder: string) => Promise<void>, ...more: ReadonlyArray<string>) =>
  inFolder(async (folder) => {
    const [file, array] = [join(folder, "schema.json"), join(folder, "array")]
    writeFileSync(file, schema)
    assertEquals(await out("create", array, "--schema", file, ...more), `${array}\n`)
    await run(array, folder)
  })

describe("meta", () => {
  it("puts, gets, lists and removes values of arrays and groups", () =>
    withArray(async (array, folder) => {
      const group = join(folder, "group")
      await out("group", "create", group)
      for (const uri of [array, group]) {
        assertEquals(await out("meta", "put", uri, "title", "Rain, daily"), `${uri}\n`)
        assertEquals(await json("meta", "put", uri, "count", "9007199254740993"), { uri, put: ["count"] })
        await out("meta", "put", uri, "flag", "true")
        await out("meta", "put", uri, "scale", "0.5")
        await out("meta", "put", uri, "list", "[1,2]")
        await out("meta", "put", uri, "text", "42", "--type", "utf8")
        await out("meta", "put", uri, "short", "[1,-2]", "--type", "int8")
        await out("meta", "put", uri, "day", "2024-02-29", "--type", "date")
        await out("meta", "put", uri, "empty", "")
        assertEquals(
          (await json("meta", uri)).map(({ key, type, value }: Record<string, unknown>) => [key, type, value]),
          [
            ["count", "int64", ["9007199254740993"]],
            ["day", "datetime_day", ["19782"]],
            ["empty", "string_utf8", null],
            ["flag", "bool", [1]],
            ["list", "int64", ["1", "2"]],
            ["scale", "float64", [0.5]],
            ["short", "int8", [1, -2]],
            ["text", "string_utf8", "42"],
            ["title", "string_utf8", "Rain, daily"],
          ],
        )
        assertEquals(await out("meta", "list", uri), await out("meta", uri))
        assertEquals(await out("meta", "get", uri, "title"), "Rain, daily\n")
        assertEquals(await out("meta", "get", uri, "day"), "2024-02-29\n")
        assertEquals((await json("meta", "get", uri, "count")).type, "int64")
        assertEquals(await json("meta", "remove", uri, "count", "flag", "none"), {
          uri,
          removed: ["count", "flag", "none"],
        })
        assertEquals((await json("meta", uri)).length, 7)
        await refused(["meta", "get", uri, "count"], 2, /count.*the metadata has no such key/)
      }
    }))

  it("rejects wrong values and options", () =>
    withArray(async (array) => {
      await refused(["meta", "put", array, "a"], 2, /meta put: give 3 operands: tessera meta put URI KEY VALUE/)
      await refused(["meta", "put", array, "a", "300", "--type", "uint8"], 2, /"300" as uint8: .*does not fit/)
      await refused(["meta", "put", array, "a", "x", "--type", "int9"], 2, /"int9" is not a datatype/)
      await refused(["meta", "put", array, "a", "x", "--typ", "int8"], 2, /no option --typ; did you mean --type\?/)
      await refused(["meta", "put", `${array}/none`, "a", "x"], 3, /there is no array or group here/)
      await refused(["meta", "remove", array], 2, /meta remove: give 2 operands/)
      assertEquals(await json("meta", array), [])
    }))
})

describe("create", () => {
  it("creates an array from the output of schema --json", () =>
    inFolder(async (folder) => {
      let n = 0
      for (const { folder: name, files, objects, key } of ["v10", "v16", "v22"].flatMap(packedCases)) {
        for (const [path, object] of Object.entries(objects)) {
          if (object.schema === undefined) continue
          const { code, out: printed } = await cli(["schema", `mem://${name}/${path}`, "--json"], { files, key })
          if (code !== 0) continue
          const array = join(folder, String(n++))
          writeFileSync(`${array}.json`, printed)
          const created = await cli(["create", array, "--schema", `${array}.json`])
          assertEquals([created.code, created.err.split("\n").length], [0, 2], `${name}/${path}: ${created.err}`)
          const [before, after] = [JSON.parse(printed), await json("schema", array)]
          assertEquals({ ...after, version: 0 }, { ...before, version: 0 }, `${name}/${path}`)
        }
      }
      assert(n > 10, `${n} schemas`)
    }))

  it("reads standard input, and takes a version", () =>
    inFolder(async (folder) => {
      const array = join(folder, "array")
      const { code, err, out: printed } = await cli(
        ["create", array, "--schema", "-", "--format-version", "12", "--json"],
        { input: schema },
      )
      assertEquals([code, err, JSON.parse(printed)], [0, "", { uri: array, format_version: 12 }])
    }))

  it("rejects other files, and leaves no files", () =>
    inFolder(async (folder) => {
      const [array, file] = [join(folder, "array"), join(folder, "schema.json")]
      await refused(["create", array], 2, /name the schema: --schema FILE/)
      await refused(["create", array, "--schema", file], 3, /schema\.json/)
      for (
        const [text, line] of [
          ["{", /the file is not JSON/],
          ["[]", /Expected/],
          ['{"array_type": "sparse", "dimensions": 3}', /dimensions: expected a list of objects/],
          [schema.replace("uint32", "uint33"), /dims\.0\.type/],
        ] as const
      ) {
        writeFileSync(file, text)
        await refused(["create", array, "--schema", file], 2, line)
      }
      assertEquals(readdirSync(folder), ["schema.json"])
      writeFileSync(file, schema)
      await refused(["create", weather, "--schema", file], 2, /already/)
    }))
})

describe("evolve and upgrade", () => {
  it("add, fill and drop attributes", () =>
    withArray(async (array, folder) => {
      writeFileSync(join(folder, "a.csv"), "x,a\n1,10\n")
      await out("import", join(folder, "a.csv"), array, "--append")
      assertEquals(
        await json("evolve", array, "--add", "b=int16?,c=utf8", "--fill", "c=none", "--filter", "b=rle"),
        { uri: array, format_version: 22, attributes: ["a", "b", "c"] },
      )
      assertEquals(await out("read", array, "--format", "csv"), "x,a,b,c\n1,10,,none\n")
      const { code, out: uri, err } = await cli(["evolve", array, "--drop", "a,c"])
      assertEquals([code, uri, err], [0, `${array}\n`, "format version 22, attributes: b\n"])
    }))

  it("add and extend enumerations", () =>
    withArray(async (array) => {
      await out("evolve", array, "--add-enumeration", "colors=red,green", "--add", "c=uint8", "--codes-of", "c=colors")
      await out("evolve", array, "--extend-enumeration", 'colors=["dark, blue"]')
      assertEquals((await json("schema", array)).enumerations.colors.values, ["red", "green", "dark, blue"])
      await out("evolve", array, "--drop", "c")
      await out("evolve", array, "--drop-enumeration", "colors")
      assertEquals((await json("schema", array)).enumerations, {})
    }))

  it("expand the current domain", () =>
    withArray(async (array) => {
      await out("evolve", array, "--current-domain", "x=0:49")
      assertEquals((await json("domain", array))[0].current_domain, [0, 49])
    }))

  it("reject wrong changes", () =>
    withArray(async (array) => {
      await refused(["evolve", array], 2, /evolve: name a change: --add/)
      await refused(["evolve", array, "--add", "b"], 2, /--add "b": write COLUMN=VALUE/)
      await refused(["evolve", array, "--add", "b=int9"], 2, /"int9" is not a datatype/)
      await refused(["evolve", array, "--add", "b=int8", "--fill", "c=1"], 2, /--fill "c": --add does not name/)
      await refused(["evolve", array, "--add", "b=int8", "--fill", "b=300"], 2, /--fill "300": .*does not fit/)
      await refused(["evolve", array, "--drop", "b", "--fill", "a=3"], 2, /--fill requires --add/)
      await refused(["evolve", array, "--drop", "none"], 2, /none/)
      await refused(["evolve", array, "--ad", "b=int8"], 2, /did you mean .*--add/)
      assertEquals((await json("schema", array)).attributes.length, 1)
    }))

  it("upgrade the format version", () =>
    withArray(
      async (array) => {
        assertEquals((await json("schema", array)).version, 16)
        assertEquals((await json("upgrade", array, "--format-version", "18")).format_version, 18)
        assertEquals((await json("upgrade", array)).format_version, 22)
        await refused(["upgrade", array, "--format-version", "18"], 2, /18 is not a format version/)
      },
      "--format-version",
      "16",
    ))
})

describe("names of two words", () => {
  it("are listed and guessed", async () => {
    await refused(["meta", "putt", "a", "b", "c"], 2, /meta: takes one URI, not 4: .*; did you mean meta put\?/)
    await refused(["group"], 2, /there is no command "group"; give one of group create, group add/)
    await refused(["group", "creat", "x"], 2, /no command "group creat"; did you mean group create\?/)
    assertMatch(await out("group", "add", "--help"), /^tessera group add GROUP MEMBER… \[OPTION…\]\n\nadd arrays /)
    assertMatch(await out("help", "meta", "put"), /^tessera meta put URI KEY VALUE /)
  })
})

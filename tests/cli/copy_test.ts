/** `tessera copy`. */
import { describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import { copyFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ArraySchema, Attr, Dim, layerDefault, Sparse, TileArray } from "../../mod.ts"
import { inFolder } from "./folder.ts"
import { packedCase } from "./packed_files.ts"
import { cli, MONDAY, weather } from "./run_cli.ts"

const read = async (uri: string, ...more: ReadonlyArray<string>): Promise<string> => {
  const { code, out, err } = await cli(["read", uri, "--format", "csv", ...more])
  assertEquals([code, err], [0, ""])
  return out
}

describe("copy", () => {
  it("writes a new array, and prints a summary", () =>
    inFolder(async (folder) => {
      const copy = join(folder, "copy")
      const { code, out, err } = await cli(["copy", weather, copy])
      assertEquals([code, out], [0, `${copy}\n`])
      assertMatch(err, /^format version 22: 28 cells in 1 fragment of \d+ bytes, 2 entries of metadata\n$/)
      assertEquals(await read(copy), await read(weather))
    }))

  it("accepts a time, ranges, attributes and a format version, and prints JSON", () =>
    inFolder(async (folder) => {
      const copy = join(folder, "copy")
      const options = ["--at", `${MONDAY}`, "--range", "day=58:60", "--select", "temperature"]
      const { code, out, err } = await cli(["copy", weather, copy, ...options, "--format-version", "12", "--json"])
      assertEquals([code, err], [0, ""])
      const { uri, cells, format_version, metadata, fragments } = JSON.parse(out)
      assertEquals([uri, cells, format_version, metadata, fragments.length], [copy, 12, 12, 0, 1])
      assertEquals(await read(copy), await read(weather, ...options))
    }))

  it("encrypts with the same or another key, or decrypts", () =>
    inFolder(async (folder) => {
      const { folder: name, files, key } = packedCase("v22/encrypted_dense")
      const path = `mem://${name}/array`
      const settings = { files, key }
      const other = join(folder, "key")
      writeFileSync(other, "f".repeat(32))
      const [same, keyed, plain] = ["same", "keyed", "plain"].map((name) => join(folder, name))
      for (
        const args of [[same], [keyed, "--to-key-file", other], [plain, "--decrypt"]]
      ) assertEquals((await cli(["copy", path, ...args, "--quiet"], settings)).code, 0)
      const cells = (await cli(["read", path, "--format", "csv"], settings)).out
      assertEquals((await cli(["read", same, "--format", "csv"], settings)).out, cells)
      assertEquals((await cli(["read", keyed, "--format", "csv", "--key-file", other])).out, cells)
      assertEquals((await cli(["read", plain, "--format", "csv"])).out, cells)
      const { code, err } = await cli(["copy", path, join(folder, "x"), "--decrypt", "--to-key-file", other], settings)
      assertEquals(code, 2)
      assertMatch(err, /--decrypt and --to-key-file exclude each other/)
    }))

  it("handles cells that one fragment contains several times", () =>
    inFolder(async (folder) => {
      const create = (name: string, allowsDuplicates: boolean) =>
        Effect.gen(function* () {
          const dims = { x: Dim.int32([0, 99]) }
          const schema = ArraySchema.sparse({ dims, attrs: { v: Attr.int32() }, allowsDuplicates })
          const array = yield* TileArray.create(join(folder, name), schema)
          if (allowsDuplicates) yield* Sparse.write(array, { x: [5, 1, 5], v: [1, 2, 3] })
        })
      await Effect.runPromise(
        Effect.provide(Effect.zipRight(create("a", true), create("b", false)), layerDefault),
      )
      const schemas = (name: string) => join(folder, name, "__schema")
      const fileOf = (name: string) =>
        join(schemas(name), readdirSync(schemas(name)).find((file) => file.startsWith("__") && !file.endsWith("s"))!)
      copyFileSync(fileOf("b"), fileOf("a"))
      const source = join(folder, "a")
      assertEquals(await read(source), "x,v\n1,2\n5,1\n5,3\n")
      const copied = async (...args: ReadonlyArray<string>) => {
        const target = join(folder, `copy${args.join("")}`)
        const { code, err } = await cli(["copy", source, target, "--quiet", ...args])
        return code === 0 ? await read(target) : err
      }
      assertMatch(await copied(), /the array allows no duplicates/)
      assertEquals(await copied("--duplicates", "keep"), "x,v\n1,2\n5,1\n5,3\n")
      assertEquals(await copied("--duplicates", "first"), "x,v\n1,2\n5,1\n")
      assertEquals(await copied("--duplicates", "last"), "x,v\n1,2\n5,3\n")
      assertMatch(await copied("--duplicates", "none"), /duplicates/)

      // a group copies its other arrays as without the option
      const group = join(folder, "group")
      await Effect.runPromise(Effect.provide(create("c", true), layerDefault))
      for (const args of [["create", group], ...["a", "b", "c"].map((name) => ["add", group, join(folder, name)])]) {
        assertEquals((await cli(["group", ...args])).code, 0)
      }
      const refused = await cli(["group", "copy", group, join(folder, "refused"), "--quiet"])
      assertMatch(refused.err, /the array allows no duplicates/)
      const target = join(folder, "group copy")
      const made = await cli(["group", "copy", group, target, "--quiet", "--duplicates", "first"])
      assertEquals([made.code, made.err], [0, ""])
      assertEquals(await read(join(target, "a")), "x,v\n1,2\n5,1\n")
      assertEquals(await read(join(target, "b")), "x,v\n")
      assertEquals(await read(join(target, "c")), "x,v\n1,2\n5,1\n5,3\n")
    }))

  it("is rejected with the exit code of the error, and leaves no files", () =>
    inFolder(async (folder) => {
      const copy = join(folder, "copy")
      const refused = async (args: ReadonlyArray<string>, code: number, line: RegExp): Promise<void> => {
        const run = await cli(["copy", ...args])
        assertEquals([run.code, run.out, run.err.split("\n").length], [code, "", 2], run.err)
        assertMatch(run.err, line)
      }
      await refused([weather], 2, /copy: give 2 operands: tessera copy SOURCE TARGET/)
      await refused([weather, copy, copy], 2, /copy: takes SOURCE and TARGET, not 3/)
      await refused([weather, weather], 2, /there is an array here already; add --overwrite, or choose another target/)
      await refused([join(folder, "none"), copy], 3, /there is no array here/)
      await refused([weather, copy, "--format-version", "2"], 2, /2 is not a writable format version/)
      await refused([weather, copy, "--select", "day"], 2, /a dense array has at least one attribute/)
      await refused([weather, copy, "--range", "day=400"], 2, /day/)
      assertEquals(readdirSync(folder), [])
    }))
})

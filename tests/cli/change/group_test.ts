/** `tessera group …`. */
import { describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { inFolder } from "../folder.ts"
import { packedCase } from "../packed_files.ts"
import { cli, weather } from "../run_cli.ts"

const out = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, out, err } = await cli(args)
  assertEquals(code, 0, `${args.join(" ")}: ${err}`)
  return out
}
const json = async (...args: ReadonlyArray<string>) => JSON.parse(await out(...args, "--json"))

const refused = async (args: ReadonlyArray<string>, code: number, line: RegExp): Promise<void> => {
  const run = await cli(args)
  assertEquals([run.code, run.out, run.err.split("\n").length], [code, "", 2], `${args.join(" ")}: ${run.err}`)
  assertMatch(run.err, line)
}

const paths = (tree: ReadonlyArray<{ uri: string; name: string; children: [] }>, root: string): unknown =>
  tree.map(({ uri, name, children }) => [name, uri.replace(root, ""), paths(children, root)])

/** Creates a group with an array inside, one outside, a group inside, and a circle. */
const makeGroup = async (folder: string): Promise<string> => {
  const [group, outside] = [join(folder, "group"), join(folder, "outside")]
  mkdirSync(group)
  cpSync(weather, join(group, "weather"), { recursive: true })
  cpSync(weather, outside, { recursive: true })
  await out("group", "create", group)
  await out("group", "create", join(group, "inner"))
  await out("group", "add", group, join(group, "weather"), join(group, "inner"))
  await out("group", "add", group, outside, "--name", "far away")
  await out("group", "add", join(group, "inner"), group, "--name", "back")
  await out("group", "add", join(group, "inner"), outside, "--name", "again")
  await out("meta", "put", group, "title", "all")
  return group
}

describe("group", () => {
  it("creates a group, adds and removes members", () =>
    inFolder(async (folder) => {
      const group = await makeGroup(folder)
      assertEquals((await json("ls", group)).map(({ name, uri }: { name: string; uri: string }) => [name, uri]), [
        ["far away", `file://${join(folder, "outside")}`],
        [null, join(group, "inner")],
        [null, join(group, "weather")],
      ])
      assertEquals(await out("group", "tree", group), await out("tree", group))
      assertEquals(await json("group", "remove", group, "far away", "inner"), {
        uri: group,
        removed: ["far away", "inner"],
      })
      assertEquals((await json("ls", group)).length, 1)
      const later = ["group", "add", group, "later", "--relative", "--type", "array", "--name", "l"]
      assertEquals(await json(...later), { uri: group, added: ["later"] })
      assertEquals((await json("ls", group)).length, 2)
    }))

  it("rejects wrong members", () =>
    inFolder(async (folder) => {
      const group = join(folder, "group")
      await out("group", "create", group)
      await refused(["group", "create", group], 2, /already/)
      await refused(["group", "add", group], 2, /group add: give 2 operands: tessera group add GROUP MEMBER/)
      await refused(["group", "add", group, weather, weather, "--name", "a"], 2, /--name requires a single member/)
      await refused(["group", "add", group, join(folder, "none")], 5, /there is no array or group at/)
      await refused(["group", "add", group, weather, "--type", "file"], 2, /--type: give one of array, group/)
      await refused(["group", "add", weather, group], 3, /group/)
      await refused(["group", "remove", group, "none"], 5, /no member of this name or URI/)
    }))

  it("copies a group with members inside and outside of its folder, and circles", () =>
    inFolder(async (folder) => {
      const [group, copy] = [await makeGroup(folder), join(folder, "copy")]
      const { uri, arrays, groups, cells, references } = await json("group", "copy", group, copy)
      assertEquals([uri, arrays, groups, cells, references], [copy, 2, 2, 56, []])
      const cellsOf = (at: string) => out("read", at, "--format", "csv")
      assertEquals(await cellsOf(join(copy, "weather")), await cellsOf(weather))
      assertEquals(await cellsOf(join(copy, "far_away")), await cellsOf(weather))
      assertEquals(await out("meta", "get", copy, "title"), "all\n")
      assertEquals(paths(await json("tree", copy), copy), [
        ["far away", "/far_away", []],
        [null, "/inner", [["again", "file:///far_away", []], ["back", "file://", []]]],
        [null, "/weather", []],
      ])
    }))

  it("leaves no files if a copy fails", () =>
    inFolder(async (folder) => {
      const [group, copy] = [await makeGroup(folder), join(folder, "copy")]
      await out("group", "add", group, "later", "--relative", "--type", "array", "--name", "zlater")
      const before = readdirSync(folder)
      await refused(["group", "copy", group, copy], 3, /later: there is no array here/)
      assertEquals([readdirSync(folder), existsSync(copy)], [before, false])
      await refused(["group", "copy", group, weather], 2, /the target of the copy is not empty; choose another target/)
      await refused(["group", "copy", weather, copy], 3, /there is no group here/)
    }))

  it("copies encrypted arrays", () =>
    inFolder(async (folder) => {
      const { folder: name, files, key } = packedCase("v22/encrypted_dense")
      const [group, copy] = [join(folder, "group"), join(folder, "copy")]
      const settings = { files, key }
      const run = async (...args: ReadonlyArray<string>) => {
        const { code, out, err } = await cli(args, settings)
        assertEquals(code, 0, err)
        return out
      }
      await run("copy", `mem://${name}/array`, join(group, "array"))
      await out("group", "create", group)
      await run("group", "add", group, join(group, "array"))
      await run("group", "copy", group, copy, "--decrypt", "--quiet")
      assertEquals(
        await out("read", join(copy, "array"), "--format", "csv"),
        await run("read", join(group, "array"), "--format", "csv"),
      )
    }))
})

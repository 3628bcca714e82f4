/** Completion scripts, and the lines that they read from the command. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { commands } from "../../src/cli/command_table.ts"
import { inFolder } from "./folder.ts"
import { packedCase } from "./packed_files.ts"
import { cli, weather } from "./run_cli.ts"

/** Returns the candidates for the last word, without their descriptions, and the directive. */
const complete = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { code, out, err } = await cli(["complete", "--", ...words])
  assertEquals([code, err], [0, ""])
  return out.trimEnd().split("\n").map((line) => line.split("\t")[0])
}

describe("completion", () => {
  it("lists the commands, and the commands with a prefix", async () => {
    const words = new Set(Object.keys(commands).map((name) => name.split(" ")[0]))
    assertEquals((await complete("")).slice(0, -1), [...words, "complete", "help"])
    assertEquals((await complete("group", "")).slice(0, -1), ["create", "add", "remove", "copy", "tree"])
    assertEquals(await complete("meta", "p"), ["put", ":4"])
    assertEquals(await complete("ex"), ["export", ":4"])
  })

  it("lists the options of a command only", async () => {
    for (const [name, { options }] of Object.entries(commands)) {
      const expected = [...Object.keys(options), "help"].map((option) => `--${option}`)
      assertEquals((await complete(...name.split(" "), "uri", "--")).slice(0, -1), expected, name)
    }
    assertEquals(await complete("read", "uri", "--sel"), ["--select", ":4"])
  })

  it("lists the values of an option of the command", async () => {
    assertEquals(await complete("read", "uri", "--order", ""), ["row", "col", "global", "unordered", ":4"])
    assertEquals(await complete("import", "a.csv", "uri", "--order", "h"), ["hilbert", ":4"])
    assertEquals(await complete("read", "uri", "--quiet", "--format", "nd"), ["ndjson", ":4"])
    assertEquals(await complete("complete", "z"), ["zsh", ":4"])
  })

  it("leaves operands and other values to the file completion of the shell", async () => {
    assertEquals(await complete("read", ""), [":0"])
    assertEquals(await complete("read", "some/fol"), [":0"])
    assertEquals(await complete("read", "uri", "--key-file", ""), [":0"])
    assertEquals(await complete("read", "uri", "--nothing-like-it"), [":4"])
  })

  it("lists the fields of the array on the command line", async () => {
    assertEquals(await complete("read", weather, "--select", ""), ["day", "station", "temperature", "note", ":4"])
    assertEquals(await complete("read", weather, "--select", "t"), ["temperature", ":4"])
    assertEquals(await complete("read", weather, "--limit", "3", "--select=n"), ["--select=note", ":4"])
    assertEquals(await complete("read", weather, "--select", "note,day,"), [
      "note,day,station",
      "note,day,temperature",
      ":4",
    ])
    assertEquals(await complete("read", weather, "--range", ""), ["day=", "station=", ":6"])
    assertEquals(await complete("export", weather, "-", "--where", "te"), ["temperature", ":4"])
    assertEquals(await complete("read", weather, "--by", "st"), ["station", ":4"])
    assertEquals(await complete("copy", weather, "mem://copy", "--select", ""), ["temperature", "note", ":4"])
    assertEquals(await complete("evolve", weather, "--drop", ""), ["temperature", "note", ":4"])
  })

  it("lists no fields of arrays that cannot be opened, and prints nothing", async () => {
    assertEquals(await complete("read", "--select", ""), [":4"])
    assertEquals(await complete("read", "mem://none", "--select", ""), [":4"])
    assertEquals(await complete("read", weather, "--key-file", weather, "--select", ""), [":4"])
  })

  it("lists the fields of encrypted arrays, as of a time", async () => {
    const { folder, files, key } = packedCase("v22/encrypted_dense")
    const { out } = await cli(["complete", "--", "read", `mem://${folder}/array`, "--select", ""], { files, key })
    assert(out.split("\n").length > 2, out)
    assertEquals(await complete("read", weather, "--at", "never", "--select", ""), [":4"])
  })

  it("lists only names that no shell splits", () =>
    inFolder(async (folder) => {
      const [file, array] = [join(folder, "a.csv"), join(folder, "array")]
      writeFileSync(file, 'x y,$(reboot),plain,"a\nb"\n1,2,3,4\n')
      assertEquals((await cli(["import", file, array])).code, 0)
      assertEquals(await complete("read", array, "--select", ""), ["row", "plain", ":4"])
    }))

  it("prints a script for each shell, and nothing with console.log", async () => {
    const { log } = console
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      const { code, out, err } = await cli(["complete", shell])
      assertEquals([code, err], [0, ""])
      assertMatch(out, /tessera complete .?--/, shell)
    }
    assert(console.log === log)
  })

  it("rejects other shells", async () => {
    for (const args of [[], ["csh"], ["bash", "zsh"]]) {
      const { code, out, err } = await cli(["complete", ...args])
      assertEquals([code, out], [2, ""])
      assertMatch(err, /^tessera: complete: give one of bash, zsh, fish, powershell/)
    }
  })

  it("prints a script that runs in bash", async () => {
    const { out } = await cli(["complete", "bash"])
    const bash = spawnSync("bash", ["-c", `${out}\ncomplete -p tessera`], { encoding: "utf8" })
    if (bash.error === undefined) assertMatch(bash.stdout, /^complete .* tessera$/m, bash.stderr)
  })
})

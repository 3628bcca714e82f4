/** Completion scripts, and the lines that they read. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { spawnSync } from "node:child_process"
import { commands } from "../../src/cli/command_table.ts"
import { cli } from "./run_cli.ts"

/** The candidates for the last word, without their descriptions, and the directive. */
const complete = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { code, out, err } = await cli(["complete", "--", ...words])
  assertEquals([code, err], [0, ""])
  return out.trimEnd().split("\n").map((line) => line.split("\t")[0])
}

describe("completion", () => {
  it("lists the commands, and those that start with the word", async () => {
    const words = new Set(Object.keys(commands).map((name) => name.split(" ")[0]))
    assertEquals((await complete("")).slice(0, -1), [...words, "complete", "help"])
    assertEquals((await complete("group", "")).slice(0, -1), ["create", "add", "remove", "copy", "tree"])
    assertEquals(await complete("meta", "p"), ["put", ":4"])
    assertEquals(await complete("ex"), ["export", ":4"])
  })

  it("lists the options of the command alone", async () => {
    for (const [name, { options }] of Object.entries(commands)) {
      const expected = [...Object.keys(options), "help"].map((option) => `--${option}`)
      assertEquals((await complete(...name.split(" "), "uri", "--")).slice(0, -1), expected, name)
    }
    assertEquals(await complete("read", "uri", "--sel"), ["--select", ":4"])
  })

  it("lists the values of an option, which differ by command", async () => {
    assertEquals(await complete("read", "uri", "--order", ""), ["row", "col", "global", "unordered", ":4"])
    assertEquals(await complete("import", "a.csv", "uri", "--order", "h"), ["hilbert", ":4"])
    assertEquals(await complete("read", "uri", "--quiet", "--format", "nd"), ["ndjson", ":4"])
    assertEquals(await complete("complete", "z"), ["zsh", ":4"])
  })

  it("leaves operands and other values to the shell, as file names", async () => {
    assertEquals(await complete("read", ""), [":0"])
    assertEquals(await complete("read", "some/fol"), [":0"])
    assertEquals(await complete("read", "uri", "--key-file", ""), [":0"])
    assertEquals(await complete("read", "uri", "--nothing-like-it"), [":4"])
  })

  it("prints a script for each shell, and nothing with console.log", async () => {
    const { log } = console
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      const { code, out, err } = await cli(["complete", shell])
      assertEquals([code, err], [0, ""])
      assertMatch(out, /tessera complete .?--/, shell)
    }
    assert(console.log === log)
  })

  it("refuses other shells", async () => {
    for (const args of [[], ["csh"], ["bash", "zsh"]]) {
      const { code, out, err } = await cli(["complete", ...args])
      assertEquals([code, out], [2, ""])
      assertMatch(err, /^tessera: complete: give one of bash, zsh, fish, powershell/)
    }
  })

  it("prints a script that bash can run", async () => {
    const { out } = await cli(["complete", "bash"])
    const bash = spawnSync("bash", ["-c", `${out}\ncomplete -p tessera`], { encoding: "utf8" })
    if (bash.error === undefined) assertMatch(bash.stdout, /^complete .* tessera$/m, bash.stderr)
  })
})

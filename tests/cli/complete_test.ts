/** Completion scripts, and the lines that they read from the command. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { spawnSync } from "node:child_process"
import { commands } from "../../src/cli/parse/specs.ts"
import { cli } from "./run_cli.ts"

/** Returns the candidates for the last word, without their descriptions, and the directive. */
const complete = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { code, out, err } = await cli(["complete", "--", ...words])
  assertEquals([code, err], [0, ""])
  return out.trimEnd().split("\n").map((line) => line.split("\t")[0])
}

describe("completion", () => {
  it("lists the commands, and the commands with a prefix", async () => {
    assertEquals((await complete("")).slice(0, -1), [...Object.keys(commands), "complete", "help"])
    assertEquals(await complete("ex"), ["export", ":4"])
  })

  it("lists the options of a command only", async () => {
    for (const [name, { options }] of Object.entries(commands)) {
      const expected = [...Object.keys(options), "help"].map((option) => `--${option}`)
      assertEquals((await complete(name, "uri", "--")).slice(0, -1), expected, name)
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

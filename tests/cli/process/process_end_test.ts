/** How the process of the command line ends: repeated signals, closed pipes, colors, versions, completion in bash. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { spawnSync } from "node:child_process"
import process from "node:process"
import { fileURLToPath } from "node:url"
import denoJson from "../../../deno.json" with { type: "json" }
import { cli, weather } from "../run_cli.ts"
import { start } from "./start_process.ts"

const stuck = fileURLToPath(new URL("./stuck_process.ts", import.meta.url))

describe("a second signal", () => {
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    it(`exits at once with ${code}`, async () => {
      const { child, ended, until } = start(["ls", "mem://a"], { script: stuck })
      await until("waiting")
      process.kill(child.pid!, signal)
      // the clean-up does not end
      await until("repeat the signal to exit at once")
      const sent = Date.now()
      process.kill(child.pid!, signal)
      const { code: exit, err } = await ended
      assertEquals(exit, code, err)
      assert(Date.now() - sent < 2000)
    })
  }
})

describe("a closed pipe", () => {
  it("ends the command quietly", async () => {
    const box = ["--range", "day=1:366", "--range", "station=1:100", "--select", "day,station,temperature"]
    for (const args of [["read", weather, ...box, "--format", "csv"], ["export", weather, "-", ...box]]) {
      const { child, ended } = start(args)
      child.stdout!.once("data", () => child.stdout!.destroy())
      const { code, err } = await ended
      assertEquals([code, err], [0, ""])
    }
    const { child, ended } = start(["--help"])
    child.stdout!.destroy()
    assertEquals(await ended, { code: 0, out: "", err: "" })
    const failing = start(["schema", "no/such/array"])
    failing.child.stderr!.destroy()
    assertEquals((await failing.ended).code, 3)
  })
})

describe("output", () => {
  it("has no colors, with NO_COLOR or without", async () => {
    for (const name of ["NO_COLOR", "FORCE_COLOR"]) {
      for (const args of [["schema", weather], ["--help"], ["read", weather, "--limit", "2"], ["reed"]]) {
        const { out, err } = await start(args, { environment: { [name]: "1" } }).ended
        assert(!`${out}${err}`.includes("\x1b"), args.join(" "))
      }
    }
  })

  it("is the version after -V", async () => {
    const version = `tessera ${denoJson.version}\n`
    assertEquals(await start(["-V"]).ended, { code: 0, out: version, err: "" })
    assertEquals((await cli(["--version"])).out, version)
  })
})

describe("the script of bash", () => {
  it("completes the fields of the array", { skip: spawnSync("bash", ["--version"]).error !== undefined }, async () => {
    const { out } = await cli(["complete", "bash"])
    const main = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url))
    const program = [process.execPath, ..."Deno" in globalThis ? ["run", "-A"] : [], main].map((word) => `'${word}'`)
    const words = ["tessera", "read", weather, "--select", "te"]
    const script = `${out}
tessera() { ${program.join(" ")} "$@"; }
_get_comp_words_by_ref() { words=(${words.map((word) => `'${word}'`).join(" ")}); cword=4; cur=te; prev=--select; }
compopt() { :; }
__tessera_complete
printf '%s\\n' "\${COMPREPLY[@]}"`
    const bash = spawnSync("bash", ["-c", script], { encoding: "utf8" })
    assertMatch(bash.stdout, /^temperature *\n$/, bash.stderr)
  })
})

/** The command line as a process, in the runtime that runs this test. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { weather } from "./run_cli.ts"

const main = join(import.meta.dirname!, "../../src/cli/main.ts")
const runtime = "Deno" in globalThis ? ["run", "-A"] : []

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command line; the reader closes the pipe after `bytes` characters. */
const tessera = (
  args: ReadonlyArray<string>,
  environment: Record<string, string> = {},
  bytes = Infinity,
  permissions = runtime,
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...permissions, main, ...args], { env: { ...process.env, ...environment } })
    let [out, err] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text
      if (out.length >= bytes) child.stdout.destroy()
    })
    child.stderr.setEncoding("utf8").on("data", (text) => err += text)
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, out, err }))
  })

describe("the process", () => {
  it("prints data to stdout and messages to stderr, and exits with the code", async () => {
    const table = await tessera(["read", weather, "--limit", "1"])
    assertEquals([table.code, table.err], [0, "the first 1 of 28 cells\n"])
    assertEquals(table.out.split("\n")[0], "day  station │ temperature  note")
    const usage = await tessera(["read", weather, "--limit", "x"])
    assertEquals([usage.code, usage.out], [2, ""])
    assertEquals((await tessera(["schema", "no/such/array"])).code, 3)
  })

  it("takes the key from the environment", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tessera-"))
    try {
      const key = "0123456789abcdef0123456789abcdef"
      writeFileSync(join(folder, "key"), key)
      // the array is not encrypted, so that any key is an error
      assertEquals((await tessera(["schema", weather], { TESSERA_KEY: key })).code, 4)
      assertEquals((await tessera(["schema", weather, "--key-file", join(folder, "key")])).code, 4)
      assertEquals((await tessera(["schema", weather], { TESSERA_KEY: "" })).code, 0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("reads with permission to read only", { skip: !("Deno" in globalThis) }, async () => {
    const { code, out, err } = await tessera(["domain", weather], {}, Infinity, ["run", "--allow-read", "--no-prompt"])
    assertEquals([code, err], [0, ""])
    assert(out.includes("station"))
  })

  it("exits without an error when the reader closes the pipe", async () => {
    // a megabyte of cells: more than the buffer of a pipe
    const box = ["--range", "day=1:366", "--range", "station=1:100", "--select", "day,station,temperature"]
    const whole = await tessera(["read", weather, ...box, "--format", "ndjson"])
    assertEquals([whole.code, whole.err], [0, ""])
    assert(whole.out.length > 1_000_000)
    const { code, err } = await tessera(["read", weather, ...box, "--format", "ndjson"], {}, 100)
    assertEquals([code, err], [0, ""])
  })
})

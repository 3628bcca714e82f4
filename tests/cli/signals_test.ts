/** Signals that end the command line: the remaining files, and the exit code. */
import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes } from "@std/assert"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))

interface Ended {
  /**
   * The exit code; 128 plus the signal number for a process that was killed by a signal, which Deno reports in the same
   * way.
   */
  readonly code: number
  readonly err: string
}

/** Starts the command line in the runtime that runs the test. */
const start = (args: ReadonlyArray<string>): { readonly child: ChildProcess; readonly ended: Promise<Ended> } => {
  const before = "Deno" in globalThis ? ["run", "-A", main] : [main]
  const child = spawn(process.execPath, [...before, ...args], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["pipe", "ignore", "pipe"],
  })
  let err = ""
  child.stderr!.setEncoding("utf8").on("data", (text: string) => err += text)
  child.stdin!.on("error", () => {})
  const ended = new Promise<Ended>((resolve) =>
    child.on(
      "close",
      (code, signal) => resolve({ code: signal === null ? code ?? -1 : 128 + constants.signals[signal], err }),
    )
  )
  return { child, ended }
}

const until = async (ready: () => boolean): Promise<void> => {
  for (let tries = 0; !ready(); tries++) {
    if (tries > 1500) throw new Error("it does not start")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Runs a test in a folder with a file of another program. */
const inFolder = async (body: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-signals-"))
  try {
    mkdirSync(join(folder, "photos"))
    writeFileSync(join(folder, "photos/cat.jpg"), "a cat")
    await body(folder)
    assertEquals(readFileSync(join(folder, "photos/cat.jpg"), "utf8"), "a cat")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const rows = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `${from + i},name ${from + i}\n`).join("")

/** Imports rows from a pipe that stays open, and waits until the first rows are written. */
const startImport = async (target: string, more: ReadonlyArray<string> = []) => {
  const started = start(["import", "-", target, "--sparse", "--dims", "x", "--memory", "64KiB", ...more])
  started.child.stdin!.write(`x,name\n${rows(0, 30_000)}`)
  await until(() => {
    const fragments = join(target, "__fragments")
    return existsSync(fragments) && readdirSync(fragments).length > 0
  })
  return started
}

describe("the command line", () => {
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    it(`removes what it created and exits with ${code} at ${signal}`, () =>
      inFolder(async (folder) => {
        const target = join(folder, "target")
        const { child, ended } = await startImport(target)
        // Deno's own kill closes the pipes of the child, so that the import would end normally
        process.kill(child.pid!, signal)
        const { code: exit, err } = await ended
        assertEquals(exit, code, err)
        assertStringIncludes(err, "tessera: interrupted")
        assertEquals(readdirSync(folder), ["photos"])
      }))
  }

  it("leaves an unfinished array at SIGKILL, and resumes it", () =>
    inFolder(async (folder) => {
      const target = join(folder, "target")
      const { child, ended } = await startImport(target)
      process.kill(child.pid!, "SIGKILL")
      assertEquals((await ended).code, 137)
      const read = start(["read", target, "--agg", "count"])
      assertEquals((await read.ended).code, 3)
      const again = start(["import", "-", target, "--sparse", "--dims", "x"])
      again.child.stdin!.end(`x,name\n${rows(0, 40_000)}`)
      const refused = await again.ended
      assertEquals(refused.code, 2)
      assertStringIncludes(refused.err, "run the command again with --resume or --overwrite")
      const resumed = start(["import", "-", target, "--sparse", "--dims", "x", "--resume"])
      resumed.child.stdin!.end(`x,name\n${rows(0, 40_000)}`)
      const { code, err } = await resumed.ended
      assertEquals(code, 0, err)
      assertStringIncludes(err, "40,000 rows")
    }))
})

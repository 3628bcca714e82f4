/** Runs Python, Deno and Bun. */
import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import process from "node:process"

const root = join(import.meta.dirname!, "..", "..")

/** The exit code of a command, and its output. */
export interface Ended {
  readonly code: number
  readonly output: string
}

/** Runs a command; its standard error is inherited. */
export const start = (command: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => output += chunk)
    child.on("error", (error) => resolve({ code: 127, output: error.message }))
    child.on("close", (code) => resolve({ code: code ?? 1, output }))
  })

/** A runtime, and the command that runs a script in it. */
export interface Runtime {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

/** Returns Deno and Bun: the installed ones, otherwise through npx. */
export const runtimes = (): ReadonlyArray<Runtime> => {
  const bun = spawnSync("bun", ["--version"], { encoding: "utf8" }).status === 0 ? ["bun"] : ["npx", "-y", "bun@1.4.5"]
  const deno = "Deno" in globalThis ? [process.execPath] : ["npx", "-y", "deno@2.9.6"]
  return [{ name: "Deno", command: [...deno, "run", "-A"] }, { name: "Bun", command: bun }]
}

/** The numbers of passed, failed and skipped comparisons. */
export interface Totals {
  passed: number
  failed: number
  skipped: number
}

/** Runs a comparing script in each runtime; prints the failures and returns the arrays and files that they name. */
export const compareInAll = async (
  script: string,
  args: ReadonlyArray<string>,
  totals: Totals,
): Promise<ReadonlySet<string>> => {
  const compared = await Promise.all(
    runtimes().map(async ({ name, command }) => ({ name, ...await start([...command, script, ...args]) })),
  )
  const failures = new Set<string>()
  for (const { name, code, output } of compared) {
    const lines = output.trim().split("\n")
    const closing = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(lines.at(-1) ?? "")
    for (const line of lines) {
      const folder = /^FAILED (.+?):? /.exec(`${line} `)?.[1]
      if (folder === undefined) continue
      console.log(`${name}: ${line.length > 500 ? `${line.slice(0, 500)}…` : line}`)
      failures.add(folder)
    }
    totals.passed += Number(closing?.[1] ?? 0)
    totals.failed += Number(closing?.[2] ?? 0)
    totals.skipped += Number(closing?.[3] ?? 0)
    if (closing === null || (code !== 0 && closing[2] === "0")) {
      console.log(`FAILED ${name} ended with ${code}: ${lines.slice(-3).join(" | ")}`)
      totals.failed++
    }
  }
  return failures
}

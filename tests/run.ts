/**
 * `deno task test`: runs the tests in Deno and in Bun, samples of `deno task attack` and `deno task soak`, the site of the documents, the
 * packages in fresh projects, object-store servers, and the interop sample if it can run. Streams their output and ends with one line, `N
 * passed, N failed`, over all. A runner that died counts as a failure.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { type Counts, countsOf, type Runner } from "./support/summary.ts"

const BUN = "1.4.5"
const root = join(import.meta.dirname!, "..")

/** Runs a command and returns its output on both streams and its exit code. */
const stream = (command: ReadonlyArray<string>, prefix: string): Promise<{ output: string; code: number }> =>
  new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    const show = (to: { write: (text: string) => void }) => {
      let line = ""
      return (chunk: string): void => {
        output += chunk
        if (prefix === "") return to.write(chunk)
        const lines = (line + chunk).split("\n")
        line = lines.pop()!
        for (const whole of lines) to.write(`${prefix}${whole}\n`)
      }
    }
    child.stdout.setEncoding("utf8").on("data", show(process.stdout))
    child.stderr.setEncoding("utf8").on("data", show(process.stderr))
    child.on("error", (error) => {
      console.error(`cannot run ${command.join(" ")}: ${error.message}`)
      resolve({ output, code: 127 })
    })
    child.on("close", (code, signal) => resolve({ output, code: code ?? (signal === null ? 0 : 1) }))
  })

/** Returns the command of the required version of Bun: the installed one, or through npx. */
const bun = (): ReadonlyArray<string> => {
  const installed = spawnSync("bun", ["--version"], { encoding: "utf8" })
  return installed.status === 0 && installed.stdout.trim() === BUN ? ["bun"] : ["npx", "-y", `bun@${BUN}`]
}

interface Step {
  readonly name: string
  readonly runner: Runner
  readonly command: ReadonlyArray<string>
  /** Whether tests are skipped on purpose, in CI too. */
  readonly skips?: boolean
}

const interop = join(root, "tests", "interop", "run.ts")
// all recorded arrays, if they are available; a clone contains only the packed selection
const fixtures = join(root, "..", "shared", "fixtures")
const golden = join(root, "tests", "golden", "run.ts")
const attack = join(root, "tests", "attack", "run.ts")
const soak = join(root, "tests", "soak", "run.ts")
const packages = join(root, "tests", "packages", "run.ts")
const site = join(root, "bundle", "site.ts")
const stores = join(root, "tests", "stores", "run.ts")
const steps: ReadonlyArray<Step> = [
  { name: "Deno", runner: "deno", command: [process.execPath, "test", "-A", "tests"] },
  { name: "Bun", runner: "bun", command: [...bun(), "test", "--timeout", "120000", "tests"] },
  // a sample of the attacks
  { name: "attack", runner: "plain", command: [process.execPath, "run", "-A", "--no-check", attack, "--count", "200"] },
  // a sample of the soak: about a minute
  { name: "soak", runner: "plain", command: [process.execPath, "run", "-A", "--no-check", soak] },
  { name: "site", runner: "plain", command: [process.execPath, "run", "-A", "--no-check", site] },
  { name: "packages", runner: "plain", command: [process.execPath, "run", "-A", "--no-check", packages] },
  { name: "stores", runner: "plain", command: [process.execPath, "run", "-A", "--no-check", stores] },
  ...(existsSync(fixtures)
    ? [
      { name: "golden (Deno)", command: [process.execPath, "run", "-A", golden, "--quiet", fixtures] },
      { name: "golden (Bun)", command: [...bun(), golden, "--quiet", "--codecs", "portable", fixtures] },
    ].map((step) => ({ ...step, runner: "plain" as const, skips: true }))
    : []),
  ...(existsSync(interop)
    ? [{ name: "interop", runner: "plain" as const, command: [process.execPath, "run", "-A", interop] }]
    : []),
]

const total: { passed: number; failed: number } = { passed: 0, failed: 0 }
for (const { name, runner, command, skips } of steps) {
  console.log(`\n--- ${name}: ${command.join(" ")}`)
  const { output, code } = await stream(command, runner === "plain" ? `${name} | ` : "")
  const counts: Counts = countsOf(runner, output, code)
  let failed = counts.failed
  if (counts.skipped > 0 && process.env.CI === "true" && runner === "plain" && skips !== true) {
    console.log(`--- ${name}: ${counts.skipped} skipped, which CI does not allow`)
    failed += counts.skipped
  }
  console.log(`--- ${name}: ${counts.passed} ok, ${failed} not${counts.died ? " (the runner died)" : ""}`)
  total.passed += counts.passed
  total.failed += failed
}
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

/**
 * `deno task interop`: the real engine writes random arrays, and we read them. Prints what differs and closes with
 * `N passed, N failed, N skipped`; each compared thing counts one in each runtime.
 *
 *     --count N      how many cases (108; a case holds one to seven arrays)
 *     --seed S       another seed, other arrays (1)
 *     --from N       the first case's number (0)
 *     --full         the sweep: 3,240 cases with a seed of the day
 *     --only REGEX   compare only the things that match
 *     --defects      instead: shows the engine's own mistakes (known_engine_defects.ts), one line each
 *     --keep         keep what was written, also if all is well
 *
 * Cases that differ stay in `tests/.cache/interop/`. Without Python or the package the sample is skipped, out loud; where
 * `CI=true` that is a failure.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"
import { knownEngineDefects } from "./known_engine_defects.ts"
import { ensureVenv, PACKAGES } from "./venv.ts"

const here = import.meta.dirname!
const root = join(here, "..", "..")
const cache = join(here, "..", ".cache")
const FAMILIES = 54
const BATCH = 5 * FAMILIES

interface Ended {
  readonly code: number
  readonly output: string
}

/** Runs a command; its standard error goes to ours. */
const start = (command: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => output += chunk)
    child.on("error", (error) => resolve({ code: 127, output: error.message }))
    child.on("close", (code) => resolve({ code: code ?? 1, output }))
  })

interface Runtime {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

const runtimes = (): ReadonlyArray<Runtime> => {
  const compare = join(here, "compare.ts")
  const bun = spawnSync("bun", ["--version"], { encoding: "utf8" }).status === 0 ? ["bun"] : ["npx", "-y", "bun@1.4.5"]
  const deno = "Deno" in globalThis ? [process.execPath] : ["npx", "-y", "deno@2.9.6"]
  return [
    { name: "Deno", command: [...deno, "run", "-A", compare] },
    { name: "Bun", command: [...bun, compare] },
  ]
}

/** What the writer says on its last line. */
interface Written {
  readonly cases: number
  readonly crashed: number
  readonly mistakes: number
  readonly "given up": number
}

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      count: { type: "string" },
      seed: { type: "string" },
      from: { type: "string", default: "0" },
      full: { type: "boolean", default: false },
      only: { type: "string" },
      keep: { type: "boolean", default: false },
      defects: { type: "boolean", default: false },
    },
  })
  const totals = { passed: 0, failed: 0, skipped: 0 }
  const close = (): number => {
    console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
    return totals.failed === 0 ? 0 : 1
  }
  const venv = ensureVenv(cache)
  if ("reason" in venv) {
    const ci = process.env.CI === "true"
    console.log(
      `THE INTEROP SAMPLE ${ci ? "FAILS" : "IS SKIPPED"}: no Python with ${PACKAGES.join(" and ")}: ${venv.reason}`,
    )
    totals[ci ? "failed" : "skipped"]++
    return close()
  }

  if (values.defects) {
    for (const { name, reproduce } of knownEngineDefects) {
      const { code } = await start([venv.python, join(here, "reproduce.py"), reproduce])
      console.log(`${code === 1 ? "mended" : code === 2 ? "FAILED to run" : "still so"}: ${name}`)
      totals[code === 2 ? "failed" : "passed"]++
    }
    return close()
  }
  const seed = values.seed ?? (values.full ? new Date().toISOString().slice(0, 10) : "1")
  const count = Number(values.count ?? (values.full ? 60 * FAMILIES : 2 * FAMILIES))
  const first = Number(values.from)
  if (!Number.isInteger(count) || !Number.isInteger(first) || count < 1 || first < 0) {
    throw new Error("--count and --from are whole numbers")
  }
  const out = join(cache, "interop", seed)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  let cases = 0, crashed = 0
  for (let from = first; from < first + count; from += BATCH) {
    const n = Math.min(BATCH, first + count - from)
    const batch = join(out, String(from))
    const wrote = await start(
      [venv.python, join(here, "write.py"), batch, "--seed", seed, "--from", String(from), "--count", String(n)],
    )
    let figures: Written | undefined
    try {
      figures = JSON.parse(wrote.output.trim().split("\n").at(-1)!)
    } catch {
      // it died
    }
    if (wrote.code !== 0 || figures === undefined) {
      console.log(`FAILED writing cases ${from} to ${from + n - 1}: ${wrote.output.trim().split("\n").at(-1)}`)
      totals.failed++
      continue
    }
    cases += figures.cases
    crashed += figures.crashed
    if (figures.mistakes > 0) {
      console.log(`FAILED the writer has a mistake in ${figures.mistakes} cases`)
      totals.failed += figures.mistakes
    }
    const compared = await Promise.all(
      runtimes().map(async ({ name, command }) => {
        const only = values.only === undefined ? [] : ["--only", values.only]
        return { name, ...await start([...command, batch, ...only]) }
      }),
    )
    const failures = new Set<string>()
    for (const { name, code, output } of compared) {
      const lines = output.trim().split("\n")
      const closing = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(lines.at(-1) ?? "")
      for (const line of lines) {
        const folder = /^FAILED (\S+)/.exec(line)?.[1]
        if (folder === undefined) continue
        console.log(`${name}: ${line.length > 500 ? `${line.slice(0, 500)}…` : line}`)
        failures.add(folder.slice(batch.length + 1).split("/")[0])
      }
      if (closing === null) {
        console.log(`FAILED ${name} ended with ${code}: ${lines.slice(-3).join(" | ")}`)
        totals.failed++
        continue
      }
      totals.passed += Number(closing[1])
      totals.failed += Number(closing[2])
    }
    if (values.keep) continue
    for (const folder of existsSync(batch) ? readdirSync(batch) : []) {
      if (!failures.has(folder)) rmSync(join(batch, folder), { recursive: true, force: true })
    }
    if (failures.size > 0) console.log(`what differs is in ${batch}; again: --seed ${seed} --from N --count 1`)
    else rmSync(batch, { recursive: true, force: true })
  }
  if (!values.keep && readdirSync(out).length === 0) rmSync(out, { recursive: true, force: true })
  console.log(`${cases} cases by the real engine, seed ${seed} (it crashed ${crashed} times and was asked again)`)
  return close()
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`interop: ${(error as Error).message}`)
  process.exitCode = 2
}

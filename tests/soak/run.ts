/**
 * `deno task soak`: two writers (one of them the engine), a consolidator, a vacuum, tidy, and readers of both engines in
 * separate processes on one array. No cell may be lost in the view of any reader, and no write and no read may fail.
 * Closes with `N passed, N failed, N skipped`; each process counts once.
 *
 *     --seconds N                  the time of each array (7)
 *     --age N                      the safety age of vacuum in milliseconds (4,000); longer than a read may take
 *     --only CASE                  only one kind of array: sparse, duplicates, deletes, dense
 *     --runtime deno|bun|both      the runtimes of tessera's processes (both)
 *     --keep-files                 keeps the arrays in tests/.cache/soak-*, also if nothing fails
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"
import { TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { layerLocal } from "../../platform/storage/local/local.ts"
import { type Runtime, runtimes, start, type Totals } from "../interop/processes.ts"
import { ENGINE, ensureVenv } from "../interop/venv.ts"
import { type Case, CASES, DenseSchema, DuplicatesSchema, logEvent, SparseSchema, WRITERS } from "./cases.ts"

const here = import.meta.dirname!
const cache = join(here, "..", ".cache")
const totals: Totals = { passed: 0, failed: 0, skipped: 0 }

/** The output of a process. */
interface Report {
  readonly role: string
  readonly rounds: number
  readonly refusals: number
  readonly repeated: number
  readonly problems: ReadonlyArray<string>
}

const schemaOf = (kind: Case) =>
  kind === "dense" ? DenseSchema : kind === "duplicates" ? DuplicatesSchema : SparseSchema

/** Runs all processes on one array, then reads it again after all replaced files are removed. */
const soak = async (runtime: Runtime, python: string, kind: Case, seconds: number, age: number, keepFiles: boolean) => {
  const root = mkdtempSync(join(cache, "soak-"))
  const layer = Layer.merge(layerLocal, layerNative)
  await Effect.runPromise(
    Effect.provide(TileArray.create(join(root, "array"), schemaOf(kind)), layer),
  )
  for (let writer = 0; writer < WRITERS; writer++) logEvent(root, writer)
  const run = async (role: string, time: number): Promise<Report> => {
    const isEngine = role.startsWith("engine ")
    const script = join(here, isEngine ? "engine.py" : "actor.ts")
    const command = isEngine ? [python, script, role.slice(7)] : [...runtime.command, script, role]
    const { code, output } = await start([...command, kind, root, String(time), ...(isEngine ? [] : [String(age)])])
    try {
      return JSON.parse(output) as Report
    } catch {
      return { role, rounds: 0, refusals: 0, repeated: 0, problems: [`ended with ${code}: ${output.slice(-500)}`] }
    }
  }
  const roles = ["writer", "engine writer", "consolidator", "vacuum", "tidy", "reader", "engine reader"]
  const reports = await Promise.all(roles.map((role) => run(role, seconds)))
  const [reader, engineReader] = [await run("reader", 0), await run("engine reader", 0)]
  const verified = await start([
    ...runtime.command,
    join(here, "..", "..", "src", "cli", "main.ts"),
    "verify",
    join(root, "array"),
  ])
  reports.push(reader, engineReader, {
    role: "verify",
    rounds: 1,
    refusals: 0,
    repeated: 0,
    problems: verified.code === 0 ? [] : [verified.output.trim().slice(0, 500)],
  })
  let failed = 0
  for (const { role, problems, rounds } of reports) {
    for (const problem of problems) {
      console.log(`FAILED ${kind} in ${runtime.name}: ${role}, round ${rounds}: ${problem}`)
    }
    if (problems.length > 0) failed++
  }
  totals.failed += failed
  totals.passed += reports.length - failed
  const counts = reports.slice(0, roles.length).map(({ role, rounds, refusals, repeated }) =>
    `${role} ${rounds}${refusals > 0 ? ` (${refusals} refused)` : ""}${
      repeated > 0 ? ` (${repeated} cells twice)` : ""
    }`
  )
  console.log(`${runtime.name}: ${kind}: ${counts.join(", ")}`)
  if (failed === 0 && !keepFiles) rmSync(root, { recursive: true })
  else console.log(`the array is in ${root}`)
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "7" },
      age: { type: "string", default: "4000" },
      only: { type: "string" },
      runtime: { type: "string", default: "both" },
      "keep-files": { type: "boolean", default: false },
    },
  })
  const [seconds, age] = [Number(values.seconds), Number(values.age)]
  if (!(seconds > 0) || !(age >= 0)) throw new Error("--seconds and --age are positive numbers")
  if (!["deno", "bun", "both"].includes(values.runtime)) throw new Error("--runtime is deno, bun or both")
  mkdirSync(cache, { recursive: true })
  const venv = ensureVenv(cache, ENGINE)
  if (!("python" in venv)) {
    console.log(`SOAK ${process.env.CI === "true" ? "FAILS" : "IS SKIPPED"}: ${venv.reason}`)
    totals[process.env.CI === "true" ? "failed" : "skipped"]++
    return
  }
  const kinds = CASES.filter((kind) => values.only === undefined || kind === values.only)
  if (kinds.length === 0) throw new Error(`--only is one of ${CASES.join(", ")}`)
  const selected = runtimes().filter(({ name }) => ["both", name.toLowerCase()].includes(values.runtime))
  for (const runtime of selected) {
    for (const kind of kinds) await soak(runtime, venv.python, kind, seconds, age, values["keep-files"])
  }
}

try {
  await main()
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
  process.exitCode = totals.failed === 0 ? 0 : 1
} catch (error) {
  console.error(`soak: ${(error as Error).message}`)
  process.exitCode = 2
}

/**
 * `deno task interop`: the real engine writes random arrays, and its applications write what they write; we read both.
 * Prints what differs and closes with `N passed, N failed, N skipped`; each compared thing counts one in each runtime.
 *
 *     --count N        how many random cases (108; a case holds one to seven arrays)
 *     --seed S         another seed, other arrays (1)
 *     --from N         the first case's number (0)
 *     --full           the sweep: 3,240 cases, 12,000 queries, 100 changes and 3,000 writes with a seed of the day
 *     --only REGEX     compare only the things that match
 *     --applications   only what the applications write: tiledbsoma, tiledb-bioimg, pandas, NumPy
 *     --writes         only random arrays that we write, in each runtime 80 (or --count) that the newest engine reads, and half
 *                      as many that engines of their age read: seven of them, of more than 100 arrays all
 *     --memory         only the memory that streams of large arrays take
 *     --laws           only what writes leave that fail, seen by the engine
 *     --labels         only dimension labels: 20 arrays in each runtime, or --count
 *     --moments        only cells that are written again and again, and writes by clocks that disagree
 *     --queries        only random queries: conditions, aggregates and deletes
 *     --changes        only what changes of metadata, schemas and groups leave for the engine, and it for us
 *     --copies         only copies of the packed fixtures, which the engine compares with what they are copies of
 *     --sample         only the random arrays; so do the options above
 *     --defects        instead: shows the engine's own mistakes (known_engine_defects.ts), one line each
 *     --keep           keep what was written, also if all is well
 *
 * Cases that differ stay in `tests/.cache/interop/`. Without Python or the packages a part is skipped, out loud; where
 * `CI=true` that is a failure.
 */
import { join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"
import { runApplications } from "./applications/run.ts"
import { runChanges } from "./changes/run.ts"
import { runCopies } from "./copies/run.ts"
import { knownEngineDefects } from "./known_engine_defects.ts"
import { runLabels } from "./labels/run.ts"
import { runLaws } from "./laws/run.ts"
import { runMemory } from "./memory/run.ts"
import { DEFAULT, runQueries, SWEEP } from "./queries/run.ts"
import { runMoments } from "./moments/run.ts"
import { start, type Totals } from "./processes.ts"
import { FAMILIES, runSample } from "./sample.ts"
import { APPLICATIONS, ENGINE, ensureVenv, type Environment } from "./venv.ts"
import { runWrites } from "./writes/run.ts"

const here = import.meta.dirname!
const cache = join(here, "..", ".cache")
const totals: Totals = { passed: 0, failed: 0, skipped: 0 }

/** A Python, or the news that there is none. */
const pythonFor = (part: string, environment: Environment): string | undefined => {
  const venv = ensureVenv(cache, environment)
  if ("python" in venv) return venv.python
  const ci = process.env.CI === "true"
  console.log(`${part} ${ci ? "FAILS" : "IS SKIPPED"}: no Python with the ${environment.name}: ${venv.reason}`)
  totals[ci ? "failed" : "skipped"]++
  return undefined
}

const showDefects = async (python: string): Promise<void> => {
  for (const { name, reproduce } of knownEngineDefects) {
    const { code } = await start([python, join(here, "reproduce.py"), reproduce])
    console.log(`${code === 1 ? "mended" : code === 0 ? "still so" : "FAILED to run"}: ${name}`)
    totals[code === 0 || code === 1 ? "passed" : "failed"]++
  }
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      count: { type: "string" },
      seed: { type: "string" },
      from: { type: "string" },
      full: { type: "boolean", default: false },
      only: { type: "string" },
      applications: { type: "boolean", default: false },
      changes: { type: "boolean", default: false },
      copies: { type: "boolean", default: false },
      writes: { type: "boolean", default: false },
      memory: { type: "boolean", default: false },
      labels: { type: "boolean", default: false },
      moments: { type: "boolean", default: false },
      laws: { type: "boolean", default: false },
      queries: { type: "boolean", default: false },
      sample: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      defects: { type: "boolean", default: false },
    },
  })
  if (values.defects) {
    const python = pythonFor("THE LIST OF DEFECTS", ENGINE)
    if (python !== undefined) await showDefects(python)
    return
  }
  const seed = values.seed ?? (values.full ? new Date().toISOString().slice(0, 10) : "1")
  const count = Number(values.count ?? (values.full ? 60 * FAMILIES : 2 * FAMILIES))
  const from = Number(values.from ?? 0)
  if (!Number.isInteger(count) || !Number.isInteger(from) || count < 1 || from < 0) {
    throw new Error("--count and --from are whole numbers")
  }
  if (!/^[\w.-]+$/.test(seed)) throw new Error("--seed is letters, digits, - and _")
  const sample = values.sample || values.full ||
    (!values.changes && !values.copies && !values.writes && !values.queries && !values.labels && !values.moments &&
      [values.count, values.seed, values.from, values.only].some((value) => value !== undefined))
  const all = !sample && !values.applications && !values.memory && !values.laws && !values.changes &&
    !values.copies && !values.writes && !values.queries && !values.labels && !values.moments
  if (sample || all) {
    const python = pythonFor("THE INTEROP SAMPLE", ENGINE)
    const options = { seed, from, count, only: values.only, keep: values.keep }
    if (python !== undefined) await runSample(python, cache, options, totals)
  }
  if (values.changes || values.full || all) {
    const python = pythonFor("THE TEST OF CHANGES", ENGINE)
    const cases = values.changes && values.count !== undefined ? count : values.full ? 100 : 10
    if (python !== undefined) await runChanges(python, cache, { seed, count: cases, keep: values.keep }, totals)
  }
  if (values.copies || values.full || all) {
    const python = pythonFor("THE TEST OF COPIES", ENGINE)
    // the sweep copies all of them
    const copies = values.copies && values.count !== undefined ? count : values.full ? 0 : 40
    if (python !== undefined) await runCopies(python, cache, { seed, count: copies, keep: values.keep }, totals)
  }
  if (values.labels || values.full || all) {
    const python = pythonFor("THE TEST OF LABELS", ENGINE)
    const arrays = values.labels && values.count !== undefined ? count : values.full ? 300 : 20
    if (python !== undefined) await runLabels(python, cache, arrays, totals)
  }
  if (values.moments || values.full || all) {
    const python = pythonFor("THE TEST OF MOMENTS", ENGINE)
    if (python !== undefined) await runMoments(python, cache, totals)
  }
  if (values.writes || values.full || all) {
    const python = pythonFor("THE TEST OF WRITES", ENGINE)
    // as many in each runtime
    const arrays = values.writes && values.count !== undefined ? count : values.full ? 1000 : 80
    const options = { seed, count: arrays, allEngines: arrays > 100, keep: values.keep }
    if (python !== undefined) await runWrites(python, cache, options, totals)
  }
  if (values.queries || values.full || all) {
    const python = pythonFor("THE COMPARISON OF QUERIES", ENGINE)
    const arrays = values.queries && values.count !== undefined ? count : values.full ? SWEEP : DEFAULT
    if (python !== undefined) await runQueries(python, cache, { seed, count: arrays, keep: values.keep }, totals)
  }
  if (values.memory || all) {
    const python = pythonFor("THE MEASUREMENT OF MEMORY", ENGINE)
    if (python !== undefined) await runMemory(python, cache, totals)
  }
  if (values.laws || all) {
    const python = pythonFor("THE LAW OF CRASHES", ENGINE)
    if (python !== undefined) await runLaws(python, cache, totals)
  }
  if (values.applications || all) {
    const python = pythonFor("THE TEST OF APPLICATIONS", APPLICATIONS)
    if (python !== undefined) await runApplications(python, cache, { keep: values.keep }, totals)
  }
}

try {
  await main()
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
  process.exitCode = totals.failed === 0 ? 0 : 1
} catch (error) {
  console.error(`interop: ${(error as Error).message}`)
  process.exitCode = 2
}

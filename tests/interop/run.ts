/**
 * `deno task interop`: the real engine and applications write arrays, and tessera reads them; tessera writes, and the
 * engine reads. Prints the differences and closes with `N passed, N failed, N skipped`; each comparison counts once per
 * runtime.
 *
 *     --count N        number of random cases (default 108; a case has one to seven arrays)
 *     --seed S         seed of the random cases (default 1)
 *     --from N         number of the first case (default 0)
 *     --full           runs the sweep: 3,240 cases, 12,000 queries, 100 changes and 3,000 writes with the seed of the day
 *     --only REGEX     compares only matching objects
 *     --applications   runs only the applications: tiledbsoma, tiledb-bioimg, pandas, NumPy
 *     --writes         runs only random arrays written by tessera: 80 (or --count) per runtime for the newest engine, and half as
 *                      many for engines of their format version: seven engines, or all of them for more than 100 arrays
 *     --memory         runs only the measurement of peak memory
 *     --laws           runs only the crash tests: the engine reads what failed writes leave
 *     --labels         runs only dimension labels: 20 arrays per runtime, or --count
 *     --moments        runs only repeated writes of a cell, and writes by clocks that disagree
 *     --queries        runs only random queries: conditions, aggregates and deletes
 *     --changes        runs only changes of metadata, schemas and groups, by tessera and the engine in turn
 *     --maintain       runs only consolidation and vacuum, by tessera and the engine in turn
 *     --documents      runs only the Python lines of the documents
 *     --copies         runs only copies of the packed fixtures, which the engine compares with their sources
 *     --sample         runs only the random arrays; also implied by --count, --seed, --from and --only without another part
 *     --defects        instead reproduces the known defects of the engine (known_engine_defects.ts), one line each
 *     --keep-files     keeps the written files, also if all comparisons pass
 *
 * Files of cases that differ are kept in `tests/.cache/interop/`. If Python or the packages are missing, a part is
 * skipped with a message; with `CI=true` that is a failure.
 */
import { join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"
import { runApplications } from "./applications/run.ts"
import { runChanges } from "./changes/run.ts"
import { runCopies } from "./copies/run.ts"
import { runDocuments } from "./documents/run.ts"
import { runMaintain } from "./maintain/run.ts"
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

/**
 * Returns a Python with the packages of the environment; if there is no such Python, reports that and returns
 * undefined.
 */
const pythonFor = (part: string, environment: Environment): string | undefined => {
  const venv = ensureVenv(cache, environment)
  if ("python" in venv) return venv.python
  const ci = process.env.CI === "true"
  console.log(`${part} ${ci ? "FAILS" : "IS SKIPPED"}: cannot set up Python for ${environment.name}: ${venv.reason}`)
  totals[ci ? "failed" : "skipped"]++
  return undefined
}

const showDefects = async (python: string): Promise<void> => {
  for (const { name, reproduce } of knownEngineDefects) {
    const { code } = await start([python, join(here, "reproduce.py"), reproduce])
    console.log(`${code === 1 ? "fixed" : code === 0 ? "still exists" : "FAILED to run"}: ${name}`)
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
      documents: { type: "boolean", default: false },
      maintain: { type: "boolean", default: false },
      writes: { type: "boolean", default: false },
      memory: { type: "boolean", default: false },
      labels: { type: "boolean", default: false },
      moments: { type: "boolean", default: false },
      laws: { type: "boolean", default: false },
      queries: { type: "boolean", default: false },
      sample: { type: "boolean", default: false },
      "keep-files": { type: "boolean", default: false },
      defects: { type: "boolean", default: false },
    },
  })
  const keepFiles = values["keep-files"]
  if (values.defects) {
    const python = pythonFor("DEFECTS", ENGINE)
    if (python !== undefined) await showDefects(python)
    return
  }
  const seed = values.seed ?? (values.full ? new Date().toISOString().slice(0, 10) : "1")
  const count = Number(values.count ?? (values.full ? 60 * FAMILIES : 2 * FAMILIES))
  const from = Number(values.from ?? 0)
  if (!Number.isInteger(count) || !Number.isInteger(from) || count < 1 || from < 0) {
    throw new Error("--count must be a positive integer, --from a non-negative integer")
  }
  if (!/^[\w.-]+$/.test(seed)) throw new Error("--seed must consist of letters, digits, `.`, `-` and `_`")
  const sample = values.sample || values.full ||
    (!values.changes && !values.copies && !values.writes && !values.queries && !values.labels && !values.moments &&
      [values.count, values.seed, values.from, values.only].some((value) => value !== undefined))
  const all = !sample && !values.applications && !values.memory && !values.laws && !values.changes &&
    !values.copies && !values.writes && !values.queries && !values.labels && !values.moments && !values.documents &&
    !values.maintain
  if (sample || all) {
    const python = pythonFor("SAMPLE", ENGINE)
    const options = { seed, from, count, only: values.only, keepFiles }
    if (python !== undefined) await runSample(python, cache, options, totals)
  }
  if (values.changes || values.full || all) {
    const python = pythonFor("CHANGES", ENGINE)
    const cases = values.changes && values.count !== undefined ? count : values.full ? 100 : 10
    if (python !== undefined) await runChanges(python, cache, { seed, count: cases, keepFiles }, totals)
  }
  if (values.copies || values.full || all) {
    const python = pythonFor("COPIES", ENGINE)
    // the sweep copies all arrays; 0 stands for all
    const copies = values.copies && values.count !== undefined ? count : values.full ? 0 : 40
    if (python !== undefined) await runCopies(python, cache, { seed, count: copies, keepFiles }, totals)
  }
  if (values.labels || values.full || all) {
    const python = pythonFor("LABELS", ENGINE)
    const arrays = values.labels && values.count !== undefined ? count : values.full ? 300 : 20
    if (python !== undefined) await runLabels(python, cache, arrays, totals)
  }
  if (values.moments || values.full || all) {
    const python = pythonFor("MOMENTS", ENGINE)
    if (python !== undefined) await runMoments(python, cache, totals)
  }
  if (values.writes || values.full || all) {
    const python = pythonFor("WRITES", ENGINE)
    // this number in each runtime
    const arrays = values.writes && values.count !== undefined ? count : values.full ? 1000 : 80
    const options = { seed, count: arrays, allEngines: arrays > 100, keepFiles }
    if (python !== undefined) await runWrites(python, cache, options, totals)
  }
  if (values.queries || values.full || all) {
    const python = pythonFor("QUERIES", ENGINE)
    const arrays = values.queries && values.count !== undefined ? count : values.full ? SWEEP : DEFAULT
    if (python !== undefined) await runQueries(python, cache, { seed, count: arrays, keepFiles }, totals)
  }
  if (values.memory || all) {
    const python = pythonFor("MEMORY", ENGINE)
    if (python !== undefined) await runMemory(python, cache, totals)
  }
  if (values.laws || all) {
    const python = pythonFor("LAWS", ENGINE)
    if (python !== undefined) await runLaws(python, cache, totals)
  }
  if (values.maintain || values.full || all) {
    const python = pythonFor("MAINTAIN", ENGINE)
    if (python !== undefined) await runMaintain(python, cache, seed, values.full === true, totals)
  }
  if (values.documents || all) {
    const python = pythonFor("DOCUMENTS", APPLICATIONS)
    if (python !== undefined) runDocuments(python, totals)
  }
  if (values.applications || all) {
    const python = pythonFor("APPLICATIONS", APPLICATIONS)
    if (python !== undefined) await runApplications(python, cache, { keepFiles }, totals)
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

/** The sample: the real engine writes random arrays, and tessera reads them, in batches. */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { Coverage } from "./coverage.ts"
import { compareInAll, start, type Totals } from "./processes.ts"
import { removeLeft } from "./venv.ts"

const here = import.meta.dirname!

/** Number of case families; a family may count several times. This number of cases runs each family once. */
export const FAMILIES = 54
const BATCH = 5 * FAMILIES

/** The cases of a run. */
export interface SampleOptions {
  readonly seed: string
  readonly from: number
  readonly count: number
  readonly only: string | undefined
  /** Keeps the written files, also if all comparisons pass. */
  readonly keepFiles: boolean
}

/** The figures on the last line of the writer's output. */
interface Written {
  readonly cases: number
  readonly crashed: number
  readonly mistakes: number
  readonly "given up": number
}

const figuresOf = (output: string): Written | undefined => {
  try {
    return JSON.parse(output.trim().split("\n").at(-1)!)
  } catch {
    return undefined
  }
}

/** Writes arrays with the engine and compares them; adds to the totals. */
export const runSample = async (
  python: string,
  cache: string,
  { seed, from: first, count, only, keepFiles }: SampleOptions,
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  // each run has its own folder; folders of earlier runs with this seed are removed
  removeLeft(all, seed)
  const out = join(all, `${seed}.${process.pid}`)
  mkdirSync(out, { recursive: true })
  const coverage = new Coverage()
  let cases = 0, crashed = 0
  for (let from = first; from < first + count; from += BATCH) {
    const n = Math.min(BATCH, first + count - from)
    const batch = join(out, String(from))
    const wrote = await start(
      [python, join(here, "write.py"), batch, "--seed", seed, "--from", String(from), "--count", String(n)],
    )
    const figures = figuresOf(wrote.output)
    if (wrote.code !== 0 || figures === undefined) {
      console.log(`FAILED writing cases ${from} to ${from + n - 1}: ${wrote.output.trim().split("\n").at(-1)}`)
      totals.failed++
      continue
    }
    cases += figures.cases
    crashed += figures.crashed
    if (figures.mistakes > 0) {
      console.log(`FAILED the writer script failed in ${figures.mistakes} cases`)
      totals.failed += figures.mistakes
    }
    const skipped = figures["given up"]
    if (skipped > 0) {
      console.log(`SKIPPED ${skipped} cases: the engine crashed or refused all attempts (listed above)`)
      totals.skipped += skipped
    }
    const lost = n - figures.cases - figures.mistakes - skipped
    if (lost !== 0) {
      console.log(`FAILED ${lost} of the cases ${from} to ${from + n - 1} are missing: the writer crashed`)
      totals.failed += Math.max(lost, 1)
    }
    coverage.add(batch)
    const differing = await compareInAll(
      join(here, "compare.ts"),
      [batch, ...(only === undefined ? [] : ["--only", only])],
      totals,
    )
    if (keepFiles) continue
    const failures = new Set([...differing].map((path) => path.slice(batch.length + 1).split("/")[0]))
    for (const folder of existsSync(batch) ? readdirSync(batch) : []) {
      if (!failures.has(folder)) rmSync(join(batch, folder), { recursive: true, force: true })
    }
    if (failures.size > 0) {
      console.log(`files of the failures are in ${batch}; to repeat: --seed ${seed} --from N --count 1`)
    } else rmSync(batch, { recursive: true, force: true })
  }
  if (!keepFiles && readdirSync(out).length === 0) rmSync(out, { recursive: true, force: true })
  console.log(
    `${cases} cases by the real engine, seed ${seed} (the engine crashed ${crashed} times; these cases were repeated)`,
  )
  console.log(coverage.show())
  for (const failure of coverage.unknown()) {
    console.log(`FAILED ${failure}`)
    totals.failed++
  }
  if (count < 2 * FAMILIES) return
  for (const name of coverage.missing()) {
    console.log(`FAILED no comparison covers: ${name}`)
    totals.failed++
  }
}

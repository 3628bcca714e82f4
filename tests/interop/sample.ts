/** The sample: the real engine writes random arrays, and we read them, in batches. */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { Coverage } from "./coverage.ts"
import { compareInAll, start, type Totals } from "./processes.ts"
import { removeLeft } from "./venv.ts"

const here = import.meta.dirname!

/** How many families of cases there are, some with several turns: so many cases are one of each. */
export const FAMILIES = 54
const BATCH = 5 * FAMILIES

/** Which cases. */
export interface SampleOptions {
  readonly seed: string
  readonly from: number
  readonly count: number
  readonly only: string | undefined
  /** Keep what was written, also if all is well. */
  readonly keep: boolean
}

/** What the writer says on its last line. */
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

/** Writes and compares; adds to the totals. */
export const runSample = async (
  python: string,
  cache: string,
  { seed, from: first, count, only, keep }: SampleOptions,
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  // each run has its own folder; what an earlier one left goes when the seed is used again
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
      console.log(`FAILED the writer has a mistake in ${figures.mistakes} cases`)
      totals.failed += figures.mistakes
    }
    const given = figures["given up"]
    if (given > 0) {
      console.log(`SKIPPED ${given} cases: the engine crashed or refused all tries (named above)`)
      totals.skipped += given
    }
    const lost = n - figures.cases - figures.mistakes - given
    if (lost !== 0) {
      console.log(`FAILED ${lost} of the cases ${from} to ${from + n - 1} are not there: the writer died`)
      totals.failed += Math.max(lost, 1)
    }
    coverage.add(batch)
    const differing = await compareInAll(
      join(here, "compare.ts"),
      [batch, ...(only === undefined ? [] : ["--only", only])],
      totals,
    )
    if (keep) continue
    const failures = new Set([...differing].map((path) => path.slice(batch.length + 1).split("/")[0]))
    for (const folder of existsSync(batch) ? readdirSync(batch) : []) {
      if (!failures.has(folder)) rmSync(join(batch, folder), { recursive: true, force: true })
    }
    if (failures.size > 0) console.log(`what differs is in ${batch}; again: --seed ${seed} --from N --count 1`)
    else rmSync(batch, { recursive: true, force: true })
  }
  if (!keep && readdirSync(out).length === 0) rmSync(out, { recursive: true, force: true })
  console.log(`${cases} cases by the real engine, seed ${seed} (it crashed ${crashed} times and was asked again)`)
  console.log(coverage.show())
  for (const failure of coverage.unknown()) {
    console.log(`FAILED ${failure}`)
    totals.failed++
  }
  if (count < 2 * FAMILIES) return
  for (const name of coverage.missing()) {
    console.log(`FAILED nothing was compared of: ${name}`)
    totals.failed++
  }
}

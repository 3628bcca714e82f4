/**
 * Writes: we write random arrays of all format versions that are written; the newest engine reads them, and engines of
 * their age read others.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { type Runtime, runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"
import { missing } from "./coverage.ts"

const here = import.meta.dirname!

/** Formats whose engines are asked, each by one engine: some, or all that are older than the newest. */
const SOME = [3, 5, 8, 10, 14, 18, 21]
const ALL = Array.from({ length: 19 }, (_, i) => 3 + i)

/** What is written. */
export interface WritesOptions {
  readonly seed: string
  /** How many arrays in each runtime for the newest engine, and half as many for old ones. */
  readonly count: number
  /** Whether engines of all ages are asked. */
  readonly allEngines: boolean
  /** Keep what was written, also if all is well. */
  readonly keep: boolean
}

/** The formats of `wanted` whose engines are there; fetches them. */
const fetchEngines = async (
  python: string,
  engines: string,
  wanted: ReadonlyArray<number>,
  totals: Totals,
): Promise<ReadonlyArray<string>> => {
  for (const format of wanted) removeLeft(engines, `${format}`)
  const began = Date.now()
  const fetched = await start([python, join(here, "..", "oracle", "fetch_engines.py"), engines, ...wanted.map(String)])
  const lines = fetched.output.trim().split("\n")
  const there: ReadonlyArray<number> = fetched.code === 0 ? JSON.parse(lines.at(-1)!) : []
  console.log(`${there.length} old engines are there after ${((Date.now() - began) / 1000).toFixed(1)} s`)
  if (there.length < wanted.length) {
    const ci = process.env.CI === "true"
    for (const line of lines.slice(0, -1)) console.log(line)
    console.log(`READING BY OLD ENGINES ${ci ? "FAILS" : "IS SKIPPED"} for ${wanted.length - there.length} of them`)
    totals[ci ? "failed" : "skipped"] += wanted.length - there.length
  }
  return there.map(String)
}

/** Writes arrays in each runtime, other ones in each, and has engines look; adds to the totals. */
export const runWrites = async (
  python: string,
  cache: string,
  { seed, count, allEngines, keep }: WritesOptions,
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, "writes")
  const folder = join(all, `writes.${process.pid}`)
  const began = Date.now()
  const failedBefore = totals.failed

  const writeAndSee = async (
    { name, command }: Runtime,
    what: string,
    arrays: number,
    formats: ReadonlyArray<string>,
    see: ReadonlyArray<string>,
  ): Promise<void> => {
    const into = join(folder, `${name} ${what}`)
    mkdirSync(into, { recursive: true })
    const made = await start([...command, join(here, "make.ts"), into, `${seed}-${name}`, `${arrays}`, ...formats])
    if (made.code !== 0) {
      console.log(`${name}: ${made.output.trim().split("\n").slice(-5).join("\n")}`)
      totals.failed++
    }
    const seen = await start([python, join(here, see[0]), into, ...see.slice(1)])
    const lines = seen.output.trim().split("\n")
    const closing = /^(\d+) passed, (\d+) failed, 0 skipped$/.exec(lines.at(-1) ?? "")
    for (const line of lines.slice(0, closing === null ? undefined : -1)) console.log(`${name}: ${line.slice(0, 500)}`)
    totals.passed += Number(closing?.[1] ?? 0)
    totals.failed += Number(closing?.[2] ?? 1)
    console.log(`${name}: ${made.output.trim().split("\n").at(-1)}; ${what} saw ${lines.at(-1)}`)
  }

  const engines = join(cache, "engines")
  const formats = await fetchEngines(python, engines, allEngines ? ALL : SOME, totals)
  for (const runtime of runtimes()) {
    await writeAndSee(runtime, "the newest engine", count, [], ["see.py"])
    if (formats.length === 0) continue
    await writeAndSee(runtime, "engines of their age", Math.ceil(count / 2), formats, ["see_old.py", engines])
  }
  const lost = count < 80 ? [] : missing(readdirSync(folder).map((name) => join(folder, name)))
  for (const what of lost) console.log(`FAILED nothing was written of: ${what}`)
  totals.failed += lost.length
  console.log(`writes took ${((Date.now() - began) / 1000).toFixed(1)} s`)
  if (keep || totals.failed > failedBefore) console.log(`what was written is in ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}

/**
 * Writes: tessera writes random arrays of all format versions; the newest engine reads them, and engines of older
 * format versions read arrays of their version.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { type Runtime, runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"
import { missing } from "./coverage.ts"

const here = import.meta.dirname!

/** Format versions that are read by an engine of their age: some, or all older than the newest. */
const SAMPLE_FORMATS = [3, 5, 8, 10, 14, 18, 21]
const ALL_FORMATS = Array.from({ length: 19 }, (_, i) => 3 + i)

/** The arrays of a run. */
export interface WritesOptions {
  readonly seed: string
  /** Number of arrays per runtime for the newest engine; half as many for old engines. */
  readonly count: number
  /** Whether the engines of all format versions read arrays. */
  readonly allEngines: boolean
  /** Keeps the written files, also if all comparisons pass. */
  readonly keepFiles: boolean
}

/** Fetches the engines of `formats`; returns the formats whose engines are available. */
const fetchEngines = async (
  python: string,
  engines: string,
  formats: ReadonlyArray<number>,
  totals: Totals,
): Promise<ReadonlyArray<string>> => {
  for (const format of formats) removeLeft(engines, `${format}`)
  const began = Date.now()
  const fetched = await start([python, join(here, "..", "oracle", "fetch_engines.py"), engines, ...formats.map(String)])
  const lines = fetched.output.trim().split("\n")
  const available: ReadonlyArray<number> = fetched.code === 0 ? JSON.parse(lines.at(-1)!) : []
  console.log(`${available.length} old engines are available after ${((Date.now() - began) / 1000).toFixed(1)} s`)
  if (available.length < formats.length) {
    const ci = process.env.CI === "true"
    for (const line of lines.slice(0, -1)) console.log(line)
    console.log(`OLD ENGINES ${ci ? "FAILS" : "IS SKIPPED"} for ${formats.length - available.length} of them`)
    totals[ci ? "failed" : "skipped"] += formats.length - available.length
  }
  return available.map(String)
}

/** Writes different arrays in each runtime, and compares them with the engines; adds to the totals. */
export const runWrites = async (
  python: string,
  cache: string,
  { seed, count, allEngines, keepFiles }: WritesOptions,
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, "writes")
  const folder = join(all, `writes.${process.pid}`)
  const began = Date.now()
  const failedBefore = totals.failed

  const writeAndSee = async (
    { name, command }: Runtime,
    readers: string,
    arrays: number,
    formats: ReadonlyArray<string>,
    see: ReadonlyArray<string>,
  ): Promise<void> => {
    const into = join(folder, `${name} ${readers}`)
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
    console.log(`${name}: ${made.output.trim().split("\n").at(-1)}; ${readers}: ${lines.at(-1)}`)
  }

  const engines = join(cache, "engines")
  const formats = await fetchEngines(python, engines, allEngines ? ALL_FORMATS : SAMPLE_FORMATS, totals)
  for (const runtime of runtimes()) {
    await writeAndSee(runtime, "the newest engine", count, [], ["see.py"])
    if (formats.length === 0) continue
    await writeAndSee(runtime, "old engines", Math.ceil(count / 2), formats, ["see_old.py", engines])
  }
  const lost = count < 80 ? [] : missing(readdirSync(folder).map((name) => join(folder, name)))
  for (const feature of lost) console.log(`FAILED no array covers: ${feature}`)
  totals.failed += lost.length
  console.log(`writes took ${((Date.now() - began) / 1000).toFixed(1)} s`)
  if (keepFiles || totals.failed > failedBefore) console.log(`the written files are in ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}

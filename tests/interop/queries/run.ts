/** Random queries of random arrays, which the engine and we made together: its answers against ours. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { knownEngineDefects } from "../known_engine_defects.ts"
import { compareInAll, runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

/** Queries of each array. */
const QUERIES = 12
const BATCH = 250

/** Which arrays. */
export interface QueriesOptions {
  readonly seed: string
  readonly count: number
  /** Keep what was written, also if all is well. */
  readonly keep: boolean
}

/** What conditions and queries are made of; what of it was not asked is a failure. */
const parts: Readonly<Record<string, RegExp>> = {
  "comparisons": /[^<>]= |[<>] /,
  "chains": /[<>]=? (attr\([^)]*\)|dim\([^)]*\)|\w+) [<!]/,
  "in": /[^t] in \[/,
  "not in": / not in \[/,
  "None": /None/,
  "and": / and /,
  "or": / or /,
  "not": /(^|\()not /,
  "&": / & /,
  "|": / \| /,
  "attr()": /attr\(/,
  "dim()": /dim\(/,
  "val()": /val\(/,
  "bytes": /b["']/,
  "True": /True|False/,
}

/** Why the engine, or the parser of TileDB-Py, may refuse a query: we may answer it. */
const REFUSALS = [
  "Python int(eger)? .* (out of bounds|too large)",
  "Python int too large",
  "set member size mismatch",
  "must have one value per cell",
  "may only be var-sized for ASCII",
  "against an unordered Enumeration",
]

/** What was asked, and what the engine said that nobody knows. */
class Asked {
  readonly #counts = new Map<string, number>()
  readonly unknown: Array<string> = []
  readonly #refusals = new RegExp([...REFUSALS, ...knownEngineDefects.flatMap(({ says }) => says ?? [])].join("|"))
  readonly #names = new Set(knownEngineDefects.map(({ name }) => name))

  #add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Counts the queries of one array. */
  add(path: string): void {
    const [{ schema }, ...queries] = readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line))
    for (const query of queries) {
      if (query === null) continue
      if (query.refused !== undefined) {
        this.#add("refused")
        if (!this.#refusals.test(query.refused)) {
          this.unknown.push(`${path}: refused: ${query.refused} (${query.where})`)
        }
        continue
      }
      this.#add(`${schema.array_type} ${query.aggregates === undefined ? query.layout : "aggregates"}`)
      if (query.ranges !== undefined) this.#add("regions")
      if (Object.keys(query.times).length > 0) this.#add("times")
      for (const [part, pattern] of Object.entries(parts)) if (pattern.test(query.where ?? "")) this.#add(part)
      for (const { field, odd } of query.aggregates ?? []) {
        for (const name of odd) {
          if (!this.#names.has(name) && !this.#refusals.test(name)) this.unknown.push(`${path}: ${field}: ${name}`)
        }
      }
    }
  }

  /** One line. */
  show(): string {
    return [...this.#counts].map(([name, n]) => `${n} ${name}`).sort().join(", ")
  }

  /** What was not reached. */
  missing(): ReadonlyArray<string> {
    const orders = ["row-major", "col-major", "global-order", "aggregates"]
    const wanted = [
      ...["dense", "sparse"].flatMap((type) => orders.map((order) => `${type} ${order}`)),
      ...["sparse unordered", "regions", "times"],
      ...Object.keys(parts),
    ]
    return wanted.filter((name) => !this.#counts.has(name))
  }
}

/** Makes the arrays, asks the engine and compares; adds to the totals. */
export const runQueries = async (
  python: string,
  cache: string,
  { seed, count, keep }: QueriesOptions,
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, `queries-${seed}`)
  const out = join(all, `queries-${seed}.${process.pid}`)
  const asked = new Asked()
  const began = Date.now()
  const figures = { crashed: 0, died: 0, mistakes: 0 }
  for (let from = 0; from < count; from += BATCH) {
    const n = Math.min(BATCH, count - from)
    const folder = join(out, String(from))
    mkdirSync(folder, { recursive: true })
    const make = async (turn: "write" | "ask"): Promise<void> => {
      const args = ["--seed", seed, "--from", `${from}`, "--count", `${n}`, "--queries", `${QUERIES}`]
      const { code, output } = await start([python, join(here, "make.py"), turn, folder, ...args])
      const lines = output.trim().split("\n")
      const said = code === 0 ? JSON.parse(lines.at(-1)!) : { mistakes: 1 }
      for (const name of Object.keys(figures) as Array<keyof typeof figures>) figures[name] += said[name] ?? 0
    }
    await make("write")
    const [{ command }] = runtimes()
    const ours = await start([...command, join(here, "ours.ts"), folder])
    if (ours.code !== 0) {
      console.log(ours.output.trim())
      totals.failed++
    }
    await make("ask")
    for (const name of readdirSync(folder)) {
      const path = join(folder, name, "queries.jsonl")
      if (existsSync(path)) asked.add(path)
    }
    const differing = await compareInAll(join(here, "compare.ts"), [folder], totals)
    if (keep) continue
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (!differing.has(path)) rmSync(path, { recursive: true, force: true })
    }
    if (differing.size > 0) console.log(`what differs is in ${folder}`)
    else rmSync(folder, { recursive: true, force: true })
  }
  if (!keep && readdirSync(out).length === 0) rmSync(out, { recursive: true, force: true })
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  const crashes = `the engine crashed ${figures.crashed + figures.died} times`
  console.log(`queries of ${count} arrays, seed ${seed} (${crashes}), took ${seconds} s: ${asked.show()}`)
  if (figures.mistakes > 0) asked.unknown.push(`the script that asks has a mistake in ${figures.mistakes} arrays`)
  for (const line of asked.unknown) console.log(`FAILED ${line}`)
  totals.failed += asked.unknown.length
  if (count < DEFAULT) return
  for (const name of asked.missing()) {
    console.log(`FAILED nothing was asked of: ${name}`)
    totals.failed++
  }
}

/** Arrays of a usual run, and of a sweep. */
export const DEFAULT = 40
export const SWEEP = 1000

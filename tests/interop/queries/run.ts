/** Random queries of random arrays that the engine and tessera wrote together: compares the results of both. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { knownEngineDefects } from "../known_engine_defects.ts"
import { compareInAll, runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

/** Queries per array. */
const QUERIES = 12
const BATCH = 250

/** The arrays of a run. */
export interface QueriesOptions {
  readonly seed: string
  readonly count: number
  /** Keeps the written files, also if all comparisons pass. */
  readonly keepFiles: boolean
}

/** The syntax that conditions must cover; a sample without one of these parts fails. */
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
  "fractions of integers": /[<>]=? -?\d+\.(1|5|999)\b/,
  "adjacent strings": /["'][ \n]*(# " comment\n )?["']/,
  "triple quotes": /"""|'''/,
  "names of characters": /\\N\{/,
  "comments": /#/,
  "True": /True|False/,
}

/** Errors with which the engine, or the parser of TileDB-Py, may refuse a query; tessera may return a result. */
const REFUSALS = [
  "Python int(eger)? .* (out of bounds|too large)",
  "Python int too large",
  "set member size mismatch",
  "must have one value per cell",
  "may only be var-sized for ASCII",
  "against an unordered Enumeration",
]

/** Counts the query features, and collects unknown errors of the engine. */
class Coverage {
  readonly #counts = new Map<string, number>()
  readonly unknown: Array<string> = []
  readonly #refusals = new RegExp(
    [...REFUSALS, ...knownEngineDefects.flatMap(({ message }) => message ?? [])].join("|"),
  )
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

  /** Returns the counts as one line. */
  show(): string {
    return [...this.#counts].map(([name, n]) => `${n} ${name}`).sort().join(", ")
  }

  /** Returns the features that no query used. */
  missing(): ReadonlyArray<string> {
    const orders = ["row-major", "col-major", "global-order", "aggregates"]
    const required = [
      ...["dense", "sparse"].flatMap((type) => orders.map((order) => `${type} ${order}`)),
      ...["sparse unordered", "regions", "times"],
      ...Object.keys(parts),
    ]
    return required.filter((name) => !this.#counts.has(name))
  }
}

/** Creates the arrays, runs the queries in the engine and compares; adds to the totals. */
export const runQueries = async (
  python: string,
  cache: string,
  { seed, count, keepFiles }: QueriesOptions,
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, `queries-${seed}`)
  const out = join(all, `queries-${seed}.${process.pid}`)
  const coverage = new Coverage()
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
      const counts = code === 0 ? JSON.parse(lines.at(-1)!) : { mistakes: 1 }
      for (const name of Object.keys(figures) as Array<keyof typeof figures>) figures[name] += counts[name] ?? 0
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
      if (existsSync(path)) coverage.add(path)
    }
    const differing = await compareInAll(join(here, "compare.ts"), [folder], totals)
    if (keepFiles) continue
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (!differing.has(path)) rmSync(path, { recursive: true, force: true })
    }
    if (differing.size > 0) console.log(`files of the failures are in ${folder}`)
    else rmSync(folder, { recursive: true, force: true })
  }
  if (!keepFiles && readdirSync(out).length === 0) rmSync(out, { recursive: true, force: true })
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  const crashes = `the engine crashed ${figures.crashed + figures.died} times`
  console.log(`queries of ${count} arrays, seed ${seed} (${crashes}), took ${seconds} s: ${coverage.show()}`)
  if (figures.mistakes > 0) coverage.unknown.push(`the query script failed in ${figures.mistakes} arrays`)
  for (const line of coverage.unknown) console.log(`FAILED ${line}`)
  totals.failed += coverage.unknown.length
  if (count < DEFAULT) return
  for (const name of coverage.missing()) {
    console.log(`FAILED no query covers: ${name}`)
    totals.failed++
  }
}

/** Number of arrays of a normal run, and of a sweep. */
export const DEFAULT = 40
export const SWEEP = 1000

/**
 * Memory: arrays of twenty to fifty times the budget are read and written in batches, and the peak of resident memory is
 * measured; that of a write is the same however much is written.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

const MiB = 2 ** 20

/** The budget, and what the process may take beyond it: garbage that waits for the runtime's collector, and code. */
const BUDGET = 16 * MiB
const CONSTANT = 256 * MiB
/** Where cells are sorted there is more garbage. */
const SORTING = 384 * MiB

/** The cells of the dense arrays are numbered. */
const numbered = (rows: number, from = 0) => {
  const cells = rows * 4096
  return { cells, sum: (cells * (cells - 1) - from * (from - 1)) / 2 }
}

/** What is read, and how often the budget it is at least. */
interface Read {
  readonly name: string
  readonly order: string
  /** Sparse cells lie over each other, so that they are sorted and the newest of each place is looked for. */
  readonly where?: string
  readonly times: number
  readonly constant: number
  readonly cells?: number
  readonly sum?: number
}

const FROM = 3_000_000

const reads: ReadonlyArray<Read> = [
  { name: "dense_none", order: "row", times: 20, constant: CONSTANT, ...numbered(10240) },
  {
    name: "dense_zstd",
    order: "unordered",
    where: `a >= ${FROM}`,
    times: 50,
    constant: CONSTANT,
    ...numbered(26112, FROM),
  },
  { name: "sparse", order: "global", where: "b < 5", times: 50, constant: SORTING },
]

/** What is written: a box in rows, and sparse cells in global order and in none. */
const writes: ReadonlyArray<readonly [kind: string, constant: number]> = [
  ["dense", CONSTANT],
  ["global", CONSTANT],
  ["unordered", SORTING],
]
/** Batches of 1.5 MiB that are written, and how much more the peak of the larger write may be: a sixth of what it has more. */
const WRITTEN = [240, 800] as const
const MORE = 128 * MiB

/** Writes, streams and measures; adds to the totals. */
export const runMemory = async (python: string, cache: string, totals: Totals): Promise<void> => {
  if (!existsSync("/proc/self/status")) {
    console.log("THE MEASUREMENT OF MEMORY IS SKIPPED: there is no /proc/self/status on this system")
    totals.skipped++
    return
  }
  const all = join(cache, "interop")
  removeLeft(all, "memory")
  mkdirSync(all, { recursive: true })
  const folder = join(all, `memory.${process.pid}`)
  try {
    const { code, output } = await start([python, join(here, "write.py"), folder])
    const sparse = Number(/^sparse (\d+)$/m.exec(output)?.[1])
    if (code !== 0 || !(sparse > 0)) throw new Error(`the arrays were not written (exit code ${code})`)
    for (const { name: runtime, command } of runtimes()) {
      for (const { name, order, where, times, constant, cells = sparse, sum } of reads) {
        const asked = [order, String(BUDGET), ...(where === undefined ? [] : [where])]
        const read = await start([...command, join(here, "read.ts"), join(folder, name), ...asked])
        const wrong = judge(read.output, { cells, sum, times }, BUDGET + constant)
        totals[wrong === undefined ? "passed" : "failed"]++
        report(
          runtime,
          `${name} read in order ${order}${where === undefined ? "" : ` where ${where}`}`,
          read.output,
          wrong,
        )
      }
      for (const [kind, constant] of writes) {
        const uri = join(folder, "written")
        let limit = BUDGET + constant
        for (const batches of WRITTEN) {
          const written = await start([...command, join(here, "write.ts"), uri, kind, String(BUDGET), String(batches)])
          const wrong = judge(written.output, { cells: batches * 2 ** 16, times: 20 }, limit)
          totals[wrong === undefined ? "passed" : "failed"]++
          report(runtime, `${kind} cells written`, written.output, wrong)
          rmSync(uri, { recursive: true, force: true })
          limit = Math.min(limit, MORE + (answerOf(written.output)?.peak ?? 0))
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const report = (runtime: string, what: string, output: string, wrong: string | undefined): void => {
  const { bytes = 0, batches = 0, peak = 0 } = answerOf(output) ?? {}
  console.log(
    `${runtime}: ${wrong === undefined ? "" : `FAILED (${wrong}) `}${what}: ${(bytes / MiB).toFixed(0)} MiB in ` +
      `${batches} batches, budget ${BUDGET / MiB} MiB, peak ${(peak / MiB).toFixed(0)} MiB`,
  )
}

type Answer = Readonly<Record<"batches" | "cells" | "bytes" | "sum" | "peak", number>>

const answerOf = (output: string): Answer | undefined => {
  try {
    return JSON.parse(output.trim().split("\n").at(-1) ?? "")
  } catch {
    return undefined
  }
}

/** What is wrong with an answer. */
const judge = (
  output: string,
  wanted: { readonly cells: number; readonly sum?: number; readonly times: number },
  limit: number,
): string | undefined => {
  const answer = answerOf(output)
  if (answer === undefined) return "it did not end well"
  if (answer.cells !== wanted.cells) return `${answer.cells} cells instead of ${wanted.cells}`
  // sums of whole numbers below 2^53 times many, rounded the same way only in the same order
  if (wanted.sum !== undefined && Math.abs(answer.sum / wanted.sum - 1) > 1e-9) return `the sum is ${answer.sum}`
  if (answer.bytes < wanted.times * BUDGET) return `only ${answer.bytes} bytes`
  if (answer.peak > limit) return `${answer.peak} bytes at the peak`
  return undefined
}

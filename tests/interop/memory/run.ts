/**
 * Memory: reads and writes arrays of 20 to 50 times the budget in batches, consolidates arrays of 6 and 24 times the
 * budget, and measures peak resident memory. The peak of a write or consolidation must not depend on the amount of data.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { type Runtime, runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

const MiB = 2 ** 20

/** The budget, and the memory that the process may use in addition: garbage not collected yet, and code. */
const BUDGET = 16 * MiB
const MAX_GROWTH = 256 * MiB
/** Sorting cells produces more garbage. */
const MAX_SORTING_GROWTH = 384 * MiB

/** Returns the number and the sum of the cells of a dense array, whose cells are numbered. */
const numbered = (rows: number, from = 0) => {
  const cells = rows * 4096
  return { cells, sum: (cells * (cells - 1) - from * (from - 1)) / 2 }
}

/** A read; its result is at least `times` the budget. */
interface Read {
  readonly name: string
  readonly order: string
  /** Sparse fragments overlap, so the read sorts the cells and removes duplicates. */
  readonly where?: string
  readonly times: number
  readonly constant: number
  readonly cells?: number
  readonly sum?: number
}

const FROM = 3_000_000

const reads: ReadonlyArray<Read> = [
  { name: "dense_none", order: "row", times: 20, constant: MAX_GROWTH, ...numbered(10240) },
  {
    name: "dense_zstd",
    order: "unordered",
    where: `a >= ${FROM}`,
    times: 50,
    constant: MAX_GROWTH,
    ...numbered(26112, FROM),
  },
  { name: "sparse", order: "global", where: "b < 5", times: 50, constant: MAX_SORTING_GROWTH },
]

/** The kinds of writes: a dense region in row order, and sparse cells in global order and unordered. */
const writes: ReadonlyArray<readonly [kind: string, constant: number]> = [
  ["dense", MAX_GROWTH],
  ["global", MAX_GROWTH],
  ["unordered", MAX_SORTING_GROWTH],
]
/**
 * Numbers of written batches of 1.5 MiB. The peak of the larger write may be larger by `MAX_DIFFERENCE`, a sixth of the
 * additional data.
 */
const BATCH_COUNTS = [240, 800] as const
const MAX_DIFFERENCE = 128 * MiB

/** The kinds of consolidated arrays. */
const consolidations: ReadonlyArray<readonly [kind: string, constant: number]> = [
  ["dense", MAX_GROWTH],
  ["sparse", MAX_SORTING_GROWTH],
]
/** Numbers of consolidated batches of 1 MiB. The peaks may differ by `MAX_DIFFERENCE`. */
const CONSOLIDATED = [96, 384] as const

/** Consolidates arrays of two sizes with one runtime and measures; adds to the totals. */
export const runConsolidations = async (
  { name: runtime, command }: Runtime,
  folder: string,
  totals: Totals,
): Promise<void> => {
  const script = [...command, join(here, "consolidate.ts")]
  const uri = join(folder, "consolidated")
  for (const [kind, constant] of consolidations) {
    let limit = BUDGET + constant
    for (const batches of CONSOLIDATED) {
      const options = [uri, kind, String(BUDGET), String(batches)]
      const { code } = await start([...script, "write", ...options])
      if (code !== 0) throw new Error(`the array to consolidate was not written (exit code ${code})`)
      const { output } = await start([...script, "run", ...options])
      const wrong = judge(output, { cells: batches * 2 ** 16, times: batches * MiB / BUDGET }, limit)
      totals[wrong === undefined ? "passed" : "failed"]++
      report(runtime, `${kind} fragments consolidated`, output, wrong, "fragments")
      rmSync(uri, { recursive: true, force: true })
      limit = Math.min(limit, MAX_DIFFERENCE + (answerOf(output)?.peak ?? 0))
    }
  }
}

/** Writes, streams and measures; adds to the totals. */
export const runMemory = async (python: string, cache: string, totals: Totals): Promise<void> => {
  if (!existsSync("/proc/self/status")) {
    console.log("MEMORY IS SKIPPED: /proc/self/status does not exist on this system")
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
    for (const installed of runtimes()) {
      const { name: runtime, command } = installed
      for (const { name, order, where, times, constant, cells = sparse, sum } of reads) {
        const options = [order, String(BUDGET), ...(where === undefined ? [] : [where])]
        const read = await start([...command, join(here, "read.ts"), join(folder, name), ...options])
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
        for (const batches of BATCH_COUNTS) {
          const written = await start([...command, join(here, "write.ts"), uri, kind, String(BUDGET), String(batches)])
          const wrong = judge(written.output, { cells: batches * 2 ** 16, times: 20 }, limit)
          totals[wrong === undefined ? "passed" : "failed"]++
          report(runtime, `${kind} cells written`, written.output, wrong)
          rmSync(uri, { recursive: true, force: true })
          limit = Math.min(limit, MAX_DIFFERENCE + (answerOf(written.output)?.peak ?? 0))
        }
      }
      await runConsolidations(installed, folder, totals)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const report = (
  runtime: string,
  name: string,
  output: string,
  wrong: string | undefined,
  parts = "batches",
): void => {
  const { bytes = 0, batches = 0, peak = 0 } = answerOf(output) ?? {}
  console.log(
    `${runtime}: ${wrong === undefined ? "" : `FAILED (${wrong}) `}${name}: ${(bytes / MiB).toFixed(0)} MiB in ` +
      `${batches} ${parts}, budget ${BUDGET / MiB} MiB, peak ${(peak / MiB).toFixed(0)} MiB`,
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

/** Returns the reason why a result is not acceptable, or undefined. */
const judge = (
  output: string,
  expected: { readonly cells: number; readonly sum?: number; readonly times: number },
  limit: number,
): string | undefined => {
  const answer = answerOf(output)
  if (answer === undefined) return "the script failed"
  if (answer.cells !== expected.cells) return `${answer.cells} cells instead of ${expected.cells}`
  // sums of many integers exceed 2^53, so their rounding depends on the order
  if (expected.sum !== undefined && Math.abs(answer.sum / expected.sum - 1) > 1e-9) return `the sum is ${answer.sum}`
  if (answer.bytes < expected.times * BUDGET) return `only ${answer.bytes} bytes`
  if (answer.peak > limit) return `${answer.peak} bytes at the peak`
  return undefined
}

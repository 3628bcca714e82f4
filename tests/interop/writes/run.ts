/**
 * Writes: we write random arrays of all format versions that are written, the real engine reads them.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

/** Writes `count` arrays in each runtime, other ones in each, and has the engine look; adds to the totals. */
export const runWrites = async (
  python: string,
  cache: string,
  { seed, count, keep }: { readonly seed: string; readonly count: number; readonly keep: boolean },
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, "writes")
  const folder = join(all, `writes.${process.pid}`)
  const began = Date.now()
  const failedBefore = totals.failed
  for (const { name, command } of runtimes()) {
    const arrays = join(folder, name)
    mkdirSync(arrays, { recursive: true })
    const made = await start([...command, join(here, "make.ts"), arrays, `${seed}-${name}`, "0", `${count}`])
    if (made.code !== 0) {
      console.log(`${name}: ${made.output.trim().split("\n").slice(-5).join("\n")}`)
      totals.failed++
    }
    const seen = await start([python, join(here, "see.py"), arrays])
    const lines = seen.output.trim().split("\n")
    const closing = /^(\d+) passed, (\d+) failed, 0 skipped$/.exec(lines.at(-1) ?? "")
    for (const line of lines.filter((line) => line.startsWith("FAILED"))) {
      console.log(`${name}: ${line.slice(0, 500)}`)
    }
    totals.passed += Number(closing?.[1] ?? 0)
    totals.failed += Number(closing?.[2] ?? 1)
    console.log(`${name}: ${made.output.trim().split("\n").at(-1)}; the engine saw ${lines.at(-1)}`)
  }
  console.log(`writes took ${((Date.now() - began) / 1000).toFixed(1)} s`)
  if (keep || totals.failed > failedBefore) console.log(`what was written is in ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}

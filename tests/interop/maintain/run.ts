/**
 * tessera and the engine consolidate and vacuum the same arrays; the cells stay the same at every timestamp. `see.py` has
 * fixed arrays and all modes, `history.py` the log, differences and tags, `random_arrays.py` random arrays and random
 * steps.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { runtimes, start, type Totals } from "../processes.ts"

const MAIN = join(import.meta.dirname!, "..", "..", "..", "src", "cli", "main.ts")

/** Number of random arrays for each runtime in a sample, and in a full sweep. */
const SAMPLE = 3
const SWEEP = 100

/** Runs the scripts for each runtime, and adds their counts. */
export const runMaintain = async (
  python: string,
  cache: string,
  seed: string,
  isFull: boolean,
  totals: Totals,
): Promise<void> => {
  mkdirSync(cache, { recursive: true })
  const number = [...seed].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7) % 1_000_000
  for (const [i, { name, command }] of runtimes().entries()) {
    const folder = mkdtempSync(join(cache, "maintain-"))
    const count = isFull ? SWEEP : SAMPLE
    const scripts = [
      ["see.py", folder, String(number)],
      ["history.py", folder, String(number + i)],
      // the runtimes maintain different arrays
      ["random_arrays.py", folder, String(number + i * count), String(count)],
    ]
    for (const [script, ...args] of scripts) {
      const { code, output } = await start([python, join(import.meta.dirname!, script), ...args, ...command, MAIN])
      const [, passed, failed] = /(\d+) passed, (\d+) failed, 0 skipped\s*$/.exec(output) ?? [undefined, "0", "1"]
      totals.passed += Number(passed)
      totals.failed += Math.max(Number(failed), code === 0 ? 0 : 1)
      console.log(`${name}: consolidation and vacuum, ${script}: ${output.trim()}`)
    }
    rmSync(folder, { recursive: true })
  }
}

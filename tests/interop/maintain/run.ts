/** tessera and the engine consolidate and vacuum the same arrays; the cells stay the same at every timestamp. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { runtimes, start, type Totals } from "../processes.ts"

const MAIN = join(import.meta.dirname!, "..", "..", "..", "src", "cli", "main.ts")

/** Runs see.py for each runtime, and adds its counts. */
export const runMaintain = async (python: string, cache: string, seed: string, totals: Totals): Promise<void> => {
  mkdirSync(cache, { recursive: true })
  for (const { name, command } of runtimes()) {
    const folder = mkdtempSync(join(cache, "maintain-"))
    const number = String([...seed].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7) % 1_000_000)
    const { code, output } = await start([
      python,
      join(import.meta.dirname!, "see.py"),
      folder,
      number,
      ...command,
      MAIN,
    ])
    const [, passed, failed] = /(\d+) passed, (\d+) failed, 0 skipped\s*$/.exec(output) ?? [undefined, "0", "1"]
    totals.passed += Number(passed)
    totals.failed += Math.max(Number(failed), code === 0 ? 0 : 1)
    console.log(`${name}: consolidation and vacuum: ${output.trim()}`)
    rmSync(folder, { recursive: true })
  }
}

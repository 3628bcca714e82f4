/** Crashes: the real engine reads the files that failed writes leave behind, and writes to them. */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

/** Runs failing writes in each runtime, and checks the results with the engine; adds to the totals. */
export const runLaws = async (python: string, cache: string, totals: Totals): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, "laws")
  mkdirSync(all, { recursive: true })
  const folder = join(all, `laws.${process.pid}`)
  try {
    for (const { name, command } of runtimes()) {
      const written = await start([...command, join(here, "leave.ts"), join(folder, name)])
      const seen = written.code === 0
        ? await start([python, join(here, "see.py"), join(folder, name)])
        : { output: `leave.ts ended with ${written.code}` }
      const lines = seen.output.trim().split("\n")
      const [, passed, failed] = /^(\d+) passed, (\d+) failed/.exec(lines.at(-1) ?? "") ?? [undefined, "0", "1"]
      totals.passed += Number(passed)
      totals.failed += Number(failed)
      console.log(`${name}: ${passed} checks of failed writes pass in the engine, ${failed} fail`)
      if (failed !== "0") { for (const line of lines.slice(-20)) console.log(`${name}: ${line.slice(0, 500)}`) }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

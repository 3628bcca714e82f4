/**
 * Dimension labels: tessera writes and the engine reads by labels, then the engine writes the same and tessera reads.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { type Ended, runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

/** Compares `count` arrays in each runtime; adds to the totals. */
export const runLabels = async (python: string, cache: string, count: number, totals: Totals): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, "labels")
  mkdirSync(all, { recursive: true })
  const folder = join(all, `labels.${process.pid}`)
  try {
    for (const { name, command } of runtimes()) {
      const at = join(folder, name)
      const ours = [...command, join(here, "ours.ts")]
      const compared = (writer: string, { code, output }: Ended): void => {
        const lines = output.trim().split("\n")
        const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(lines.at(-1) ?? "") ?? [undefined, "0", "1"]
        totals.passed += Number(passed)
        totals.failed += Number(failed)
        console.log(`${name}: ${passed} label queries of arrays written by ${writer} return the same, ${failed} do not`)
        if (failed !== "0") {
          for (const line of lines.slice(-20)) console.log(`${name} (${code}): ${line.slice(0, 500)}`)
        }
      }
      const written = await start([...ours, "write", at, String(count)])
      if (written.code !== 0) compared("tessera", written)
      else {
        compared("tessera", await start([python, join(here, "engine.py"), at]))
        compared("the engine", await start([...ours, "see", at]))
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

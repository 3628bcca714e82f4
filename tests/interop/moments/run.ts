/**
 * Moments: cells that we write again and again, the engine after us by a clock that is ahead, and we after it; each time both
 * must read the same newest cell.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { type Ended, runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

/** Runs the steps in each runtime; adds to the totals. */
export const runMoments = async (python: string, cache: string, totals: Totals): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, "moments")
  mkdirSync(all, { recursive: true })
  const folder = join(all, `moments.${process.pid}`)
  try {
    for (const { name, command } of runtimes()) {
      const at = join(folder, name)
      mkdirSync(at, { recursive: true })
      const ours = (verb: string): Promise<Ended> => start([...command, join(here, "ours.ts"), verb, at])
      const engine = (verb: string): Promise<Ended> => start([python, join(here, "engine.py"), verb, at])
      const steps = [
        ["we write cells again and again", () => ours("write")],
        ["the engine reads the newest, and writes by a clock that is ahead", () => engine("write")],
        ["we write after it", () => ours("follow")],
        ["the engine reads ours", () => engine("see")],
      ] as const
      for (const [what, step] of steps) {
        const { code, output } = await step()
        const passed = output.trim().endsWith("1 passed, 0 failed")
        totals[passed ? "passed" : "failed"]++
        console.log(`${name}: ${what}: ${passed ? "as it should be" : "FAILED"}`)
        if (passed) continue
        for (const line of output.trim().split("\n").slice(-20)) console.log(`${name} (${code}): ${line.slice(0, 500)}`)
        break
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Timestamps: tessera writes the same cells repeatedly, then the engine writes with a clock that is ahead, then tessera
 * writes again. After each step both must read the same newest cell.
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
        ["tessera writes the same cells repeatedly", () => ours("write")],
        ["the engine reads the newest cells, and writes with a clock that is ahead", () => engine("write")],
        ["tessera writes after the engine", () => ours("follow")],
        ["the engine reads tessera's cells", () => engine("see")],
      ] as const
      for (const [label, step] of steps) {
        const { code, output } = await step()
        const passed = output.trim().endsWith("1 passed, 0 failed")
        totals[passed ? "passed" : "failed"]++
        console.log(`${name}: ${label}: ${passed ? "passed" : "FAILED"}`)
        if (passed) continue
        for (const line of output.trim().split("\n").slice(-20)) console.log(`${name} (${code}): ${line.slice(0, 500)}`)
        break
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

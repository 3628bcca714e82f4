/**
 * Changes of metadata, schemas and groups: tessera writes and the engine reads the expected state; then the engine
 * continues, and tessera continues after it. After each turn both read the same.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { compareInAll, runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

/** Runs the three turns and compares after each; adds to the totals. */
export const runChanges = async (
  python: string,
  cache: string,
  { seed, count, keepFiles }: { readonly seed: string; readonly count: number; readonly keepFiles: boolean },
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, "changes")
  const folder = join(all, `changes.${process.pid}`)
  const failedBefore = totals.failed
  const began = Date.now()
  for (const { name, command } of runtimes()) {
    const cases = join(folder, name)
    mkdirSync(cases, { recursive: true })
    const make = (
      ...more: ReadonlyArray<string>
    ) => [...command, join(here, "make.ts"), cases, seed, `${count}`, ...more]
    for (const turn of [make(), [python, join(here, "go_on.py"), cases], make("again")]) {
      const { code, output } = await start(turn)
      if (code !== 0) {
        console.log(`${name}: FAILED ${turn.join(" ")}: ${output.trim().split("\n").slice(-3).join(" | ")}`)
        totals.failed++
        break
      }
      const recorded = await start([python, join(here, "record.py"), cases])
      const lines = recorded.output.trim().split("\n")
      const closing = /^(\d+) passed, (\d+) failed, 0 skipped$/.exec(lines.at(-1) ?? "")
      for (const line of lines.filter((line) => line.startsWith("FAILED"))) {
        console.log(`${name}: ${line.slice(0, 500)}`)
      }
      totals.passed += Number(closing?.[1] ?? 0)
      totals.failed += Number(closing?.[2] ?? 1)
      await compareInAll(join(here, "..", "compare.ts"), [cases], totals)
    }
  }
  console.log(`changes took ${((Date.now() - began) / 1000).toFixed(1)} s`)
  if (keepFiles || totals.failed > failedBefore) {
    console.log(`the written files are in ${folder}; to repeat: --changes --seed ${seed}`)
  } else rmSync(folder, { recursive: true, force: true })
}

/** Copies of arrays of all ages: the engine reads the same from the array and from the copy. */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"

const here = import.meta.dirname!

/** Copies in each runtime, and compares with the engine; adds to the totals. */
export const runCopies = async (
  python: string,
  cache: string,
  { seed, count, keepFiles }: { readonly seed: string; readonly count: number; readonly keepFiles: boolean },
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, "copies")
  const folder = join(all, `copies.${process.pid}`)
  const failedBefore = totals.failed
  const began = Date.now()
  for (const { name, command } of runtimes()) {
    const copies = join(folder, name)
    mkdirSync(copies, { recursive: true })
    for (
      const turn of [[...command, join(here, "make.ts"), copies, seed, `${count}`], [
        python,
        join(here, "see.py"),
        copies,
      ]]
    ) {
      const { code, output } = await start(turn)
      const lines = output.trim().split("\n")
      for (const line of lines.filter((line) => line.startsWith("FAILED"))) {
        console.log(`${name}: ${line.slice(0, 500)}`)
      }
      const closing = /^(\d+) passed, (\d+) failed, 0 skipped$/.exec(lines.at(-1) ?? "")
      totals.passed += Number(closing?.[1] ?? 0)
      totals.failed += Number(closing?.[2] ?? 0)
      if (code === 0 || closing !== null) continue
      console.log(`${name}: FAILED ${turn.join(" ")}: ${lines.slice(-3).join(" | ")}`)
      totals.failed++
      break
    }
  }
  console.log(`copies took ${((Date.now() - began) / 1000).toFixed(1)} s`)
  if (keepFiles || totals.failed > failedBefore) {
    console.log(`the written files are in ${folder}; to repeat: --copies --seed ${seed}`)
  } else rmSync(folder, { recursive: true, force: true })
}

/** The applications: the real packages write arrays, tessera reads them, and the scripts in `examples/` print them. */
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { compareInAll, runtimes, start, type Totals } from "../processes.ts"
import { removeLeft } from "../venv.ts"
import { examples, missingLine } from "./examples.ts"

const here = import.meta.dirname!
const scripts = join(here, "..", "..", "..", "examples")

const runExamples = async (folder: string, totals: Totals): Promise<void> => {
  for (const { name, command } of runtimes()) {
    for (const example of examples) {
      const { code, output } = await start([...command, join(scripts, example.script), join(folder, example.uri)])
      const missing = missingLine(example, output)
      if (code === 0 && missing === undefined) {
        totals.passed++
        continue
      }
      totals.failed++
      const why = missing === undefined ? `exit code ${code}` : `does not print ${JSON.stringify(missing)}`
      console.log(`${name}: FAILED examples/${example.script} ${example.uri}: ${why}; output:\n${output}`)
    }
  }
}

/** Writes the arrays, compares them and runs the examples; adds to the totals. */
export const runApplications = async (
  python: string,
  cache: string,
  { keepFiles }: { readonly keepFiles: boolean },
  totals: Totals,
): Promise<void> => {
  const all = join(cache, "interop")
  removeLeft(all, "applications")
  mkdirSync(all, { recursive: true })
  const folder = join(all, `applications.${process.pid}`)
  const failedBefore = totals.failed
  const began = Date.now()
  const { code, output } = await start([python, join(here, "write.py"), folder])
  const failures = output.split("\n").filter((line) => line.startsWith("FAILED"))
  for (const line of failures) console.log(line)
  // arrays that an application failed to write are missing from the comparison, so they count as failures here
  totals.failed += Math.max(failures.length, code === 0 ? 0 : 1)
  if (existsSync(folder)) {
    await compareInAll(join(here, "compare.ts"), [folder], totals)
    await runExamples(folder, totals)
  }
  console.log(`applications took ${((Date.now() - began) / 1000).toFixed(1)} s`)
  if (keepFiles || totals.failed > failedBefore) console.log(`the written files are in ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}

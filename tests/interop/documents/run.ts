/** The Python lines of `docs/from-tiledb-py.md`, which have the values of the comments. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { differences, programOf } from "../../docs/side_by_side.ts"
import type { Totals } from "../processes.ts"

const page = join(import.meta.dirname!, "..", "..", "..", "docs", "from-tiledb-py.md")

/** Runs the lines with this Python in an empty folder, and counts the values. */
export const runDocuments = (python: string, totals: Totals): void => {
  const { code, expectations } = programOf(readFileSync(page, "utf8"), "python")
  const folder = mkdtempSync(join(tmpdir(), "tessera-docs-"))
  try {
    writeFileSync(join(folder, "page.py"), code)
    const { stdout, stderr, status } = spawnSync(python, ["page.py"], { cwd: folder, encoding: "utf8" })
    const wrong = differences(expectations, stdout)
    for (const line of wrong) console.log(`FAILED docs/from-tiledb-py.md: ${line}`)
    if (status !== 0) console.log(stderr.trim().split("\n").slice(-8).join("\n"))
    const failed = wrong.length > 0 ? wrong.length : status === 0 ? 0 : 1
    totals.failed += failed
    totals.passed += Math.max(expectations.length - failed, 0)
    console.log(`docs/from-tiledb-py.md: ${expectations.length} values in Python, ${failed} differ`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The TypeScript lines of the pages that compare languages. The interop suite runs the Python lines. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { differences, programOf } from "./side_by_side.ts"

const root = join(import.meta.dirname!, "..", "..")

describe("docs/from-tiledb-py.md", () => {
  it("its TypeScript lines have the values of the comments, and pass the type check", () => {
    const { code, expectations } = programOf(readFileSync(join(root, "docs", "from-tiledb-py.md"), "utf8"), "ts")
    // imports resolve inside the repository, and relative paths of the page in a folder of its own
    mkdirSync(join(root, "dist"), { recursive: true })
    const file = join(root, "dist", `from_tiledb_py_${process.pid}.ts`)
    const folder = mkdtempSync(join(tmpdir(), "tessera-docs-"))
    try {
      writeFileSync(file, code)
      const command = "Deno" in globalThis
        ? ["run", "-A", "--check", "--config", join(root, "deno.json"), file]
        : [file]
      const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: "utf8" })
      assertEquals([status, differences(expectations, stdout)], [0, []], stderr)
    } finally {
      rmSync(file, { force: true })
      rmSync(folder, { recursive: true })
    }
  })
})

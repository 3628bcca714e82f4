/** The bundle is built, and runs in Deno and in Bun. */
import { after, before, describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runtimes } from "../interop/processes.ts"

const root = join(import.meta.dirname!, "..", "..")
const [deno, bun] = runtimes()
const run = (command: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), { cwd: root, encoding: "utf8" })
  return { status, stdout, stderr: stderr.replace(/^npm warn .*\n/gm, "") }
}

describe("the built bundle", () => {
  let folder = ""
  let bundle = ""
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "tessera-bundle-test-")))
    bundle = join(folder, "tessera.js")
    const built = run([...deno.command, "bundle/cli.ts", bundle])
    assertEquals([built.status, existsSync(bundle)], [0, true], built.stderr)
  })
  after(() => rmSync(folder, { recursive: true }))

  for (const { name, command } of [deno, bun]) {
    it(`reads, lists and completes in ${name} like the sources`, () => {
      for (
        const args of [
          ["--version"],
          ["read", "tests/golden/demo/weather", "--range", "day=57:58", "--format", "csv"],
          ["schema", "tests/support/quakes", "--json"],
          ["complete", "bash"],
        ]
      ) {
        const expected = run([...deno.command, "src/cli/main.ts", ...args])
        const { status, stdout, stderr } = run([...command, bundle, ...args])
        assertEquals({ status, stdout, stderr }, { status: 0, stdout: expected.stdout, stderr: "" }, args.join(" "))
      }
    })
  }
})

/** Key files that other users can read. */
import { after, describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { packedCase } from "./packed_files.ts"
import { cli } from "./run_cli.ts"

const encrypted = packedCase("v22/encrypted_dense")
const folder = mkdtempSync(join(tmpdir(), "tessera-keys-"))
after(() => rmSync(folder, { recursive: true, force: true }))
for (const [path, bytes] of encrypted.files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), bytes)
}
const array = join(folder, "v22/encrypted_dense/array")

const keyFile = (name: string, mode: number, text = encrypted.key!): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const warnings = (err: string): ReadonlyArray<string> => err.split("\n").filter((line) => line.includes("other users"))

describe("a key file", { skip: process.platform === "win32" }, () => {
  it("causes one warning if other users can read it", async () => {
    for (const mode of [0o644, 0o640, 0o604, 0o666, 0o660]) {
      const path = keyFile("open.key", mode)
      const { code, err } = await cli(["schema", array, "--key-file", path])
      assertEquals(code, 0, err)
      assertEquals(warnings(err), [
        `tessera: warning: key file ${path} can be read by other users; run: chmod 600 ${path}`,
      ])
    }
  })

  it("causes no warning if only its owner can read it", async () => {
    for (const mode of [0o600, 0o400]) {
      const { code, err } = await cli(["schema", array, "--key-file", keyFile("private.key", mode)])
      assertEquals([code, warnings(err)], [0, []])
    }
  })

  it("causes a warning with --quiet too, for both keys of a copy, and for a wrong key", async () => {
    const path = keyFile("open.key", 0o644)
    const quiet = await cli(["read", array, "--quiet", "--limit", "1", "--key-file", path])
    assertEquals([quiet.code, warnings(quiet.err).length], [0, 1], quiet.err)
    const copied = await cli(["copy", array, "mem://a", "--quiet", "--key-file", path, "--to-key-file", path])
    assertEquals([copied.code, warnings(copied.err).length], [0, 1], copied.err)
    const other = keyFile("other.key", 0o644)
    const both = await cli(["copy", array, "mem://a", "--key-file", path, "--to-key-file", other])
    assertEquals([both.code, warnings(both.err).length], [0, 2], both.err)
    const wrong = await cli(["schema", array, "--key-file", keyFile("wrong.key", 0o644, "no key")])
    assertEquals([wrong.code, warnings(wrong.err).length], [4, 1], wrong.err)
  })

  it("causes a warning for a link and a file URI, with a command that works", async () => {
    const path = keyFile("it's open.key", 0o644)
    const link = join(folder, "link.key")
    symlinkSync(path, link)
    assertMatch((await cli(["schema", array, "--key-file", link])).err, /run: chmod 600 \S+link\.key$/m)
    const { err } = await cli(["schema", array, "--key-file", `file://${path}`])
    assertEquals(warnings(err).length, 1)
    assert(err.includes(`run: chmod 600 '${path.replace("'", "'\\''")}'`), err)
  })

  it("is not printed if the key itself was passed as the file", async () => {
    for (const key of [encrypted.key!, "4e".repeat(32)]) {
      const { code, err } = await cli(["schema", array, "--key-file", key])
      assertEquals(code, 3)
      assert(!err.includes(key), err)
    }
    const { err } = await cli(["schema", array, "--key-file", "no/such/file"])
    assert(err.includes("no/such/file"), err)
  })

  it("causes no warning if files have no permissions, and neither does TESSERA_KEY", async () => {
    const files = new Map([...encrypted.files, ["key", new TextEncoder().encode(encrypted.key!)]] as const)
    const memory = await cli(["schema", "mem://v22/encrypted_dense/array", "--key-file", "mem://key"], { files })
    assertEquals([memory.code, memory.err], [0, ""])
    const variable = await cli(["schema", array], { key: encrypted.key })
    assertEquals([variable.code, variable.err], [0, ""])
  })
})

/** Imports into a full or read-only disk: they fail with a clear error and leave no files. */
import { assertEquals, assertMatch } from "@std/assert"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))
const tessera = [process.execPath, ...("Deno" in globalThis ? ["run", "-A", main] : [main])]

/** Returns CSV with numbers that filters cannot compress well. */
const csv = (): string => {
  let x = 1
  const rows = Array.from({ length: 200_000 }, (_, i) => {
    x = (x * 16807) % 2147483647
    return `${i},${x / 2147483647}`
  })
  return `x,a\n${rows.join("\n")}\n`
}

/**
 * Runs commands of the command line in a shell after the shell command `before`, in a new folder with a file
 * `data.csv`. `within` is a program that starts the shell.
 */
const inFolder = (
  before: string,
  commands: ReadonlyArray<ReadonlyArray<string>>,
  check: (folder: string, errors: ReadonlyArray<string>) => void,
  within: ReadonlyArray<string> = [],
): void => {
  const [shell, ...rest] = [...within, "sh"]
  const folder = mkdtempSync(join(tmpdir(), "tessera-full-"))
  try {
    writeFileSync(join(folder, "data.csv"), csv())
    mkdirSync(join(folder, "here"))
    const errors = commands.map((words) => {
      const command = [...tessera, ...words].map((word) => `'${word}'`).join(" ")
      const { status, stderr } = spawnSync(shell, [...rest, "-c", `${before}; exec ${command}`], {
        encoding: "utf8",
        cwd: folder,
      })
      return `${status}: ${stderr}`
    })
    check(folder, errors)
  } finally {
    chmodSync(join(folder, "here"), 0o700)
    rmSync(folder, { recursive: true, force: true })
  }
}

const imports = [
  ["import", "data.csv", "here/sparse", "--sparse", "--dims", "x", "--quiet"],
  ["import", "data.csv", "here/dense", "--quiet"],
]

describe("imports into a folder that cannot be written", () => {
  it("fail and leave no files if the disk is full", () =>
    inFolder("trap '' XFSZ; ulimit -f 2048", imports, (folder, errors) => {
      for (const error of errors) assertMatch(error, /^1: tessera: .*: cannot write: no space left/)
      assertEquals(readdirSync(join(folder, "here")), [])
    }))

  it("fail and leave no files without permission", () => {
    // root may write into any folder, but not to a read-only disk
    const root = process.getuid?.() === 0
    const mount = "mount -t tmpfs -o ro none here"
    if (root && spawnSync("unshare", ["-m", "sh", "-c", mount.replace("here", tmpdir())]).status !== 0) {
      return console.log("no tmpfs can be mounted here")
    }
    inFolder(root ? mount : "chmod 500 here", imports, (folder, errors) => {
      for (const error of errors) assertMatch(error, /^4: tessera: .*permission denied/)
      assertEquals(readdirSync(join(folder, "here")), [])
    }, root ? ["unshare", "-m"] : [])
  })
})

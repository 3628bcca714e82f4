/** Commits survive a power failure: checks the state of a real disk after each step, if a disk can be mounted. */
import { assertEquals } from "@std/assert"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"

/** Returns the commits after each step; `undefined` where mounting is not possible. */
const lose = (system: string, durability: string): ReadonlyArray<{ commits: number; broken: number }> | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-power-"))
  try {
    const script = fileURLToPath(new URL("power_loss.ts", import.meta.url))
    const before = "Deno" in globalThis ? ["run", "-A", script] : [script]
    const command = ["-m", "--", process.execPath, ...before, folder, system, durability]
    const cwd = fileURLToPath(new URL("../../..", import.meta.url))
    const { status, stdout, stderr } = spawnSync("unshare", command, { encoding: "utf8", cwd })
    const [mounted, json] = (stdout ?? "").trim().split("\n")
    if (mounted !== "mounted") return undefined
    assertEquals(status, 0, stderr)
    return JSON.parse(json)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("a power failure", () => {
  for (const system of ["ext4", "ext2"]) {
    it(`leaves all commits complete (${system})`, () => {
      const losses = lose(system, "synced")
      if (losses === undefined) return console.log(`no ${system} can be mounted here; this takes root and loop devices`)
      assertEquals(losses, [0, 2, 2, 4, 4, 6].map((commits) => ({ commits, broken: 0 })))
    })
  }
})

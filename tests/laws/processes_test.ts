/**
 * Processes that are killed while they write, and processes that write at the same time: no write is lost or
 * incomplete.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { killEvolvers, killWriters, raceEvolvers, raceWriters } from "./processes.ts"

const inFolder = async (body: (root: string) => Promise<unknown>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-processes-"))
  try {
    await body(join(folder, "root"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("a process that writes", () => {
  it("may be killed at any time", () => inFolder((root) => killWriters(root, 5)))

  it("loses no write if other processes write at the same time", () => inFolder((root) => raceWriters(root, 4, 5)))
})

describe("processes that change a schema at the same time", () => {
  it("lose no change", () => inFolder((root) => raceEvolvers(root, 6)))

  it("may be killed at any time", () => inFolder((root) => killEvolvers(root, 4)))
})

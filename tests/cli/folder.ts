/** Folders for tests of the command line. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Runs a function with a folder that is removed afterwards. */
export const inFolder = async (run: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-cli-"))
  try {
    await run(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

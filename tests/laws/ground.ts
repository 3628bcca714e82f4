/** Targets of writes whose state can be copied: storage in memory, or a folder. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeLocalStorage } from "../../platform/storage/local/local.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import type { Storage } from "../../platform/storage/service.ts"

/** A storage with a target, which may be empty. */
export interface Ground {
  readonly storage: Storage
  /** The target of writes. */
  readonly uri: string
  /** Returns an independent copy of the state. */
  readonly copy: () => Ground
  /** Returns the names of all files. */
  readonly files: () => ReadonlyArray<string>
  readonly close: () => void
}

/** Returns a ground in memory. */
export const memoryGround = (files: Map<string, Uint8Array> = new Map()): Ground => ({
  storage: makeMemoryStorage(files),
  uri: "mem://root",
  copy: () => memoryGround(new Map(files)),
  files: () => [...files.keys()].sort(),
  close: () => {},
})

/** Returns a ground in a new folder on the local disk. */
export const localGround = (): Ground => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-laws-"))
  return {
    storage: makeLocalStorage({ durability: "cached" }),
    uri: join(folder, "root"),
    copy: () => {
      const copy = localGround()
      cpSync(folder, join(copy.uri, ".."), { recursive: true })
      return copy
    },
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort(),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** All kinds of grounds. */
export const grounds: Readonly<Record<string, () => Ground>> = { memory: memoryGround, "local files": localGround }

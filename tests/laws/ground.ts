/** Places to write on, whose state can be copied: the map of a memory, or a folder. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeLocalStorage } from "../../platform/storage/local/local.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import type { Storage } from "../../platform/storage/service.ts"

/** A place with something written, or nothing. */
export interface Ground {
  readonly storage: Storage
  /** The target of writes. */
  readonly uri: string
  /** The same, to go on from in another way. */
  readonly copy: () => Ground
  /** The names of all files. */
  readonly files: () => ReadonlyArray<string>
  readonly close: () => void
}

/** A memory. */
export const memoryGround = (files: Map<string, Uint8Array> = new Map()): Ground => ({
  storage: makeMemoryStorage(files),
  uri: "mem://root",
  copy: () => memoryGround(new Map(files)),
  files: () => [...files.keys()].sort(),
  close: () => {},
})

/** A folder of its own on this machine's disk. */
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

/** Every kind of ground. */
export const grounds: Readonly<Record<string, () => Ground>> = { memory: memoryGround, "local files": localGround }

/**
 * What makes local files outlast a loss of power: their bytes are synced when they are finished, their names with the next
 * commit.
 *
 * A name lasts when its folder is synced. Several files of a folder share that: folders with new names are noted, and
 * synced once, before a commit becomes visible.
 *
 * @module
 */
import { builtin } from "./runtime_modules.ts"

const fs = builtin("node:fs")
const path = builtin("node:path")

/**
 * How much of a power failure local files outlast. `"synced"`: what was committed stays, and what stays was whole.
 * `"cached"`: the system decides when bytes go to the disk; after a failure commits may be there whose data is not. A
 * program that crashes or is killed loses nothing either way.
 */
export type Durability = "synced" | "cached"

/** What is to be synced, and when. */
export interface Syncing {
  /** Syncs the bytes of an open file. */
  readonly file: (fd: number) => void
  /** Notes that a folder has a new name in it. */
  readonly note: (folder: string) => void
  /** Syncs all folders that are noted. */
  readonly folders: () => void
}

/** The failures of a sync that say that something is lost; others say that this system cannot sync folders. */
const losses = new Set(["EIO", "ENOSPC", "EDQUOT"])

const syncFolder = (folder: string): void => {
  try {
    const fd = fs().openSync(folder, "r")
    try {
      fs().fsyncSync(fd)
    } finally {
      fs().closeSync(fd)
    }
  } catch (error) {
    if (losses.has((error as { code?: string }).code ?? "")) throw error
  }
}

/** Syncing for one storage. */
export const makeSyncing = (durability: Durability): Syncing => {
  if (durability === "cached") return { file: () => {}, note: () => {}, folders: () => {} }
  const noted = new Set<string>()
  return {
    file: (fd) => fs().fdatasyncSync(fd),
    note: (folder) => void noted.add(path().resolve(folder)),
    folders: () => {
      for (const folder of noted) {
        syncFolder(folder)
        noted.delete(folder)
      }
    },
  }
}

/**
 * Makes local files durable across power failures: files are synced when they are finished, and their names with the
 * next commit.
 *
 * A file name is durable once the folder is synced. Files in the same folder share one sync: folders with new names are
 * recorded, and synced once, before a commit becomes visible.
 *
 * @module
 */
import { builtin } from "../../host/builtin_modules.ts"

const fs = builtin("node:fs")
const path = builtin("node:path")

/**
 * Durability of local files across power failures. `"synced"`: committed data survives, and every file is complete.
 * `"cached"`: the operating system decides when data reaches the disk; after a power failure commits may exist without
 * their data. Crashed or killed programs lose nothing in either mode.
 */
export type Durability = "synced" | "cached"

/** Sync functions of a storage. */
export interface Syncing {
  /** Syncs the content of an open file. */
  readonly file: (fd: number) => void
  /** Syncs the content of an open file without blocking the event loop. */
  readonly fileLater: (fd: number, done: (error: unknown) => void) => void
  /** Whether files were synced by `fileLater` since the last sync of folders. */
  readonly largeFiles: () => boolean
  /** Records that a folder contains a new name. */
  readonly note: (folder: string) => void
  /** Syncs all recorded folders. */
  readonly folders: () => void
  /** Syncs all recorded folders without blocking the event loop. */
  readonly foldersLater: (done: (error: unknown) => void) => void
}

/** Codes of sync errors that mean data loss; other errors mean that this system cannot sync folders. */
const losses = new Set(["EIO", "ENOSPC", "EDQUOT"])

const isLoss = (error: unknown): boolean => losses.has((error as { code?: string }).code ?? "")

const syncFolder = (folder: string): void => {
  try {
    const fd = fs().openSync(folder, "r")
    try {
      fs().fsyncSync(fd)
    } finally {
      fs().closeSync(fd)
    }
  } catch (error) {
    if (isLoss(error)) throw error
  }
}

const syncFolderLater = (folder: string, done: (error: unknown) => void): void => {
  const ended = (error: unknown): void => done(error !== null && isLoss(error) ? error : undefined)
  fs().open(folder, "r", (error, fd) => {
    if (error !== null) return ended(error)
    fs().fsync(fd, (failure) => fs().close(fd, (error) => ended(failure ?? error ?? null)))
  })
}

/** Creates the sync functions of one storage. */
export const makeSyncing = (durability: Durability): Syncing => {
  if (durability === "cached") {
    const doNothing = (done: (error: unknown) => void) => done(undefined)
    return {
      file: () => {},
      fileLater: (_, done) => doNothing(done),
      largeFiles: () => false,
      note: () => {},
      folders: () => {},
      foldersLater: doNothing,
    }
  }
  /**
   * Recorded folders. Each record has a new mark, so that a folder that is recorded again during its sync is not
   * dropped.
   */
  const noted = new Map<string, object>()
  let large = false
  const synced = (folder: string, mark: object): void => {
    if (noted.get(folder) === mark) noted.delete(folder)
  }
  return {
    file: (fd) => fs().fdatasyncSync(fd),
    fileLater: (fd, done) => {
      large = true
      fs().fdatasync(fd, (error) => done(error ?? undefined))
    },
    largeFiles: () => large,
    note: (folder) => void noted.set(path().resolve(folder), {}),
    folders: () => {
      for (const [folder, mark] of noted) {
        syncFolder(folder)
        synced(folder, mark)
      }
      large = false
    },
    // also syncs folders that another call is syncing: both calls must wait until that is done
    foldersLater: (done) => {
      const rest = [...noted]
      const next = (): void => {
        const first = rest.pop()
        if (first === undefined) {
          large = false
          return done(undefined)
        }
        const [folder, mark] = first
        syncFolderLater(folder, (error) => {
          if (error !== undefined) return done(error)
          synced(folder, mark)
          next()
        })
      }
      next()
    },
  }
}

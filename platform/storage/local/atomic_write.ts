/**
 * Writes local files atomically: under a temporary name until they are complete.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { NotFound, StorageError, type StorageOp } from "../../errors.ts"
import { createFailure, readFailure, storageFailure } from "../errno.ts"
import { makeFileWriter, type OpenFile, waitFor } from "../file_writer.ts"
import { builtin } from "../../host/builtin_modules.ts"
import type { Storage } from "../service.ts"
import { type Durability, makeSyncing, type Syncing } from "./durability.ts"
import { mayWait, turnIfDue } from "../../host/event_loop_turns.ts"
import { localPath } from "../uri.ts"

const fs = builtin("node:fs")
const path = builtin("node:path")

/** Maximum size of one write call, below 2 GiB. */
const MAX_WRITE_SIZE = 1 << 30

/** Write buffer size in bytes: larger write calls are not more efficient. */
const WRITE_BUFFER_SIZE = 1 << 18

/**
 * Maximum size of a file that is synced synchronously, in bytes. Syncing takes as long as the disk needs to write the
 * file, so larger files are synced without blocking the event loop.
 */
const MAX_BLOCKING_SYNC = 1 << 20

const writeAt = (fd: number, bytes: Uint8Array, position: number): void => {
  for (let done = 0; done < bytes.length;) {
    done += fs().writeSync(fd, bytes, done, Math.min(bytes.length - done, MAX_WRITE_SIZE), position + done)
  }
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ""

/** Removes an unneeded folder if it is empty and can be removed. */
const discardFolder = (folder: string): void => {
  try {
    fs().rmdirSync(folder)
  } catch {
    // the folder remains
  }
}

/** Removes an unneeded file if possible. Errors are ignored: the error that led here matters more. */
const discard = (file: string): void => {
  try {
    fs().unlinkSync(file)
  } catch {
    // the file remains
  }
}

/** Creates one folder; returns `false` if it exists. Throws if the parent is missing, or a file has the name. */
const createOneFolder = (folder: string): boolean => {
  try {
    fs().mkdirSync(folder)
    return true
  } catch (error) {
    const isFolder = codeOf(error) === "EEXIST" && fs().statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    if (isFolder === true) return false
    throw error
  }
}

/**
 * Creates a folder and its missing parents, one by one. Returns the absolute paths of the folders that this call
 * created, outermost first. Folders that another process creates at the same time are not included, so that callers do
 * not remove them.
 */
const makeFolder = (folder: string, sync: Syncing): ReadonlyArray<string> => {
  const { dirname, resolve } = path()
  const missing: Array<string> = []
  const created: Array<string> = []
  try {
    for (let at = resolve(folder);;) {
      try {
        if (createOneFolder(at)) {
          created.push(at)
          sync.note(dirname(at))
        }
        const next = missing.pop()
        if (next === undefined) return created
        at = next
      } catch (error) {
        if (codeOf(error) !== "ENOENT" || dirname(at) === at || created.length > 0) throw error
        missing.push(at)
        at = dirname(at)
      }
    }
  } catch (error) {
    for (const each of created.reverse()) discardFolder(each)
    throw error
  }
}

/** Opens a new file and creates missing parent folders. Throws if the file exists. */
const openNew = (target: string, sync: Syncing): number => {
  try {
    return fs().openSync(target, "wx")
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
    makeFolder(path().dirname(target), sync)
    return fs().openSync(target, "wx")
  }
}

const writeNew = (target: string, bytes: Uint8Array, sync: Syncing): void => {
  const fd = openNew(target, sync)
  try {
    writeAt(fd, bytes, 0)
    sync.file(fd)
  } catch (error) {
    fs().closeSync(fd)
    discard(target)
    throw error
  }
  fs().closeSync(fd)
}

/** Whether a name belongs to a file that is being written; listings omit it. */
export const isTemporary = (name: string): boolean => name.startsWith(".tessera-") && name.endsWith(".tmp")

/**
 * Returns a temporary name for `target`. A killed process leaves the file behind: TileDB interprets every file in the
 * folders `__meta`, `__schema`, `__group` and `__fragment_meta`, and opens no array with an unknown one, so the name is
 * in a folder above them.
 */
const temporaryFor = (target: string, sync: Syncing): string => {
  let folder = path().dirname(target)
  if (/^__[a-z]/.test(path().basename(folder))) makeFolder(folder, sync)
  while (/^__[a-z]/.test(path().basename(folder))) folder = path().dirname(folder)
  return path().join(folder, `.tessera-${crypto.randomUUID()}.tmp`)
}

/** Writes the bytes to a temporary file, and calls `place` with its path. */
const viaTemporary = (
  target: string,
  bytes: Uint8Array,
  sync: Syncing,
  place: (temporary: string) => void,
): void => {
  const temporary = temporaryFor(target, sync)
  writeNew(temporary, bytes, sync)
  try {
    place(temporary)
  } finally {
    discard(temporary)
  }
}

/** Returns the path to write to; for a link the path of its target, so that the link is not replaced. */
const targetOf = (op: StorageOp, uri: string): string => {
  const target = localPath(op, uri)
  const stat = fs().lstatSync(target, { throwIfNoEntry: false })
  if (stat?.isDirectory()) {
    throw new StorageError({ op, uri, reason: "Occupied", cause: new Error("a folder has this name") })
  }
  return stat?.isSymbolicLink() ? fs().realpathSync(target) : target
}

const write = (uri: string, bytes: Uint8Array, sync: Syncing): void => {
  const target = targetOf("write", uri)
  viaTemporary(target, bytes, sync, (temporary) => fs().renameSync(temporary, target))
  sync.note(path().dirname(target))
}

const openFile = (uri: string, sync: Syncing): OpenFile => {
  const target = targetOf("openWrite", uri)
  const temporary = temporaryFor(target, sync)
  let fd: number | undefined = openNew(temporary, sync)
  let buffer = new Uint8Array(0)
  let buffered = 0
  let position = 0
  let lost: unknown
  /** Whether all bytes are synced, and whether a sync is in progress. */
  let synced = false
  let syncing = false
  /** Whether to close the file as soon as it is no longer in use. */
  let abandoned = false

  const flush = (): void => {
    writeAt(fd!, buffer.subarray(0, buffered), position)
    position += buffered
    buffered = 0
  }
  const close = (): void => {
    if (fd !== undefined) fs().closeSync(fd)
    fd = undefined
  }
  const tryToClose = (): void => {
    try {
      close()
    } catch {
      // errors are ignored: the file is removed anyway
    }
  }
  return {
    append: (bytes) => {
      synced = false
      if (buffered + bytes.length > WRITE_BUFFER_SIZE) flush()
      if (bytes.length > WRITE_BUFFER_SIZE) {
        writeAt(fd!, bytes, position)
        position += bytes.length
        return
      }
      if (buffer.length === 0) buffer = new Uint8Array(WRITE_BUFFER_SIZE)
      buffer.set(bytes, buffered)
      buffered += bytes.length
    },
    prepare: () => {
      if (lost !== undefined) throw lost
      const file = fd
      if (file === undefined || position + buffered <= MAX_BLOCKING_SYNC) return undefined
      flush()
      return (done) => {
        syncing = true
        sync.fileLater(file, (error) => {
          syncing = false
          if (error === undefined) synced = true
          else lost = error
          // the caller was interrupted during the sync
          if (abandoned) tryToClose()
          done(error)
        })
      }
    },
    finish: () => {
      // after a failed sync, another sync may succeed although data is lost
      if (lost !== undefined) throw lost
      if (fd !== undefined) {
        flush()
        try {
          if (!synced) sync.file(fd)
        } catch (error) {
          throw lost = error
        }
        close()
      }
      fs().renameSync(temporary, target)
      sync.note(path().dirname(target))
    },
    abandon: () => {
      abandoned = true
      if (!syncing) tryToClose()
      discard(temporary)
    },
  }
}

/** Codes for file systems without hard links, and for folders on another file system than their parents. */
const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"])

const create = (uri: string, bytes: Uint8Array, sync: Syncing): void => {
  const target = localPath("create", uri)
  if (bytes.length === 0) {
    sync.folders()
    writeNew(target, bytes, sync)
  } else {
    // A hard link is created only if the name is free, and the file is complete. Without hard links, an exclusive open
    // still lets only one writer succeed, but readers may see a partial file.
    viaTemporary(target, bytes, sync, (temporary) => {
      sync.folders()
      try {
        fs().linkSync(temporary, target)
      } catch (error) {
        if (!noLinks.has(codeOf(error))) throw error
        writeNew(target, bytes, sync)
      }
    })
  }
  try {
    sync.note(path().dirname(target))
    sync.folders()
  } catch (error) {
    discard(target)
    throw error
  }
}

/** Codes for folders that are not empty, are missing, or are not folders. */
const notEmpty = new Set(["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"])

/** Removes an empty folder; anything else stays, including a link to a folder. */
const removeFolder = (uri: string): void => {
  try {
    fs().rmdirSync(localPath("removeFolder", uri))
  } catch (error) {
    if (!notEmpty.has(codeOf(error))) throw error
  }
}

/** A copy in progress. */
interface LocalCopy {
  readonly source: string
  readonly target: string
  readonly temporary: string
  readonly size: number
}

/**
 * Returns path and size of a file. A pipe counts as missing: copying it would continue until the other end is closed.
 */
const sourceOf = (uri: string): Pick<LocalCopy, "source" | "size"> => {
  const source = localPath("copy", uri)
  const stat = fs().statSync(source)
  if (!stat.isFile()) throw new NotFound({ uri })
  return { source, size: stat.size }
}

const prepareTarget = (uri: string, sync: Syncing): Pick<LocalCopy, "target" | "temporary"> => {
  const target = targetOf("copy", uri)
  const temporary = temporaryFor(target, sync)
  if (!fs().existsSync(path().dirname(temporary))) makeFolder(path().dirname(temporary), sync)
  return { target, temporary }
}

/** Opens a file for syncing. Files without write permission can be synced too, except on Windows. */
const openToSync = (file: string): number => {
  try {
    return fs().openSync(file, "r+")
  } catch (error) {
    if (!["EACCES", "EPERM"].includes(codeOf(error))) throw error
    return fs().openSync(file, "r")
  }
}

const moveCopy = ({ target, temporary }: LocalCopy, sync: Syncing): void => {
  fs().renameSync(temporary, target)
  sync.note(path().dirname(target))
}

const copyNow = (copy: LocalCopy, sync: Syncing): void => {
  try {
    fs().copyFileSync(copy.source, copy.temporary, fs().constants.COPYFILE_EXCL)
    const fd = openToSync(copy.temporary)
    try {
      sync.file(fd)
    } finally {
      fs().closeSync(fd)
    }
    moveCopy(copy, sync)
  } finally {
    discard(copy.temporary)
  }
}

/**
 * Copies without blocking the event loop. If the copy is interrupted, the temporary file is removed immediately, or as
 * soon as the running system call is done.
 */
const copyLater = (
  copy: LocalCopy,
  sync: Syncing,
  failure: (cause: unknown) => StorageError,
): Effect.Effect<void, StorageError> =>
  Effect.async((resume) => {
    let abandoned = false
    const end = (error?: unknown): void => {
      discard(copy.temporary)
      resume(error === undefined ? Effect.void : Effect.fail(failure(error)))
    }
    const attempt = (step: () => void): void => {
      if (abandoned) return discard(copy.temporary)
      try {
        step()
      } catch (error) {
        end(error)
      }
    }
    const sized = () => {
      const fd = openToSync(copy.temporary)
      sync.fileLater(fd, (error) => {
        fs().closeSync(fd)
        attempt(() => {
          if (error !== undefined) throw error
          moveCopy(copy, sync)
          end()
        })
      })
    }
    fs().copyFile(copy.source, copy.temporary, fs().constants.COPYFILE_EXCL, (error) =>
      attempt(() => {
        if (error) throw error
        sized()
      }))
    return Effect.sync(() => {
      abandoned = true
      discard(copy.temporary)
    })
  })

/** Copies through the file system, which shares the blocks of the file if it supports that. */
const copy = (from: string, to: string, sync: Syncing): Effect.Effect<void, NotFound | StorageError> =>
  Effect.gen(function* () {
    const failure = storageFailure("copy", to)
    const source = yield* Effect.try({ try: () => sourceOf(from), catch: readFailure("copy", from) })
    const target = yield* Effect.try({ try: () => prepareTarget(to, sync), catch: failure })
    const copy: LocalCopy = { ...source, ...target }
    if (copy.size > MAX_BLOCKING_SYNC && (yield* mayWait)) return yield* copyLater(copy, sync, failure)
    yield* Effect.try({ try: () => copyNow(copy, sync), catch: failure })
    yield* turnIfDue
  })

/** Renames a folder; returns `false` if source and target are on different file systems. */
const moveFolder = (from: string, to: string, sync: Syncing): boolean => {
  const op = "moveFolder"
  const [source, target] = [localPath(op, from), localPath(op, to)]
  const stat = fs().lstatSync(source)
  if (!stat.isDirectory()) throw new NotFound({ uri: from })
  // renaming would replace an empty folder
  if (fs().lstatSync(target, { throwIfNoEntry: false }) !== undefined) {
    throw new StorageError({ op, uri: to, reason: "Occupied", cause: new Error("something exists at the target") })
  }
  const created = makeFolder(path().dirname(target), sync)
  try {
    fs().renameSync(source, target)
  } catch (error) {
    for (const folder of created.toReversed()) discardFolder(folder)
    if (codeOf(error) === "EXDEV") return false
    throw error
  }
  sync.note(path().dirname(target))
  sync.note(path().dirname(source))
  sync.folders()
  return true
}

/** Creates the writing functions of the local storage. */
export const makeLocalWrites = (
  durability: Durability,
): Pick<
  Storage,
  "write" | "openWrite" | "create" | "createFolder" | "copy" | "removeFolder" | "moveFolder"
> => {
  const sync = makeSyncing(durability)
  return {
    write: (uri, bytes) =>
      Effect.zipLeft(
        Effect.try({ try: () => write(uri, bytes, sync), catch: storageFailure("write", uri) }),
        turnIfDue,
      ),
    openWrite: (uri) => makeFileWriter(uri, () => openFile(uri, sync), storageFailure),
    create: (uri, bytes) => {
      const now = Effect.try({ try: () => create(uri, bytes, sync), catch: createFailure(uri) })
      const folders = Effect.flatMap(
        mayWait,
        (waits) => waits ? waitFor(sync.foldersLater, storageFailure("create", uri)) : Effect.void,
      )
      // after large files were written, syncing folders may take as long as syncing the files
      return Effect.suspend(() => sync.largeFiles() ? Effect.zipRight(folders, now) : now)
    },
    createFolder: (uri) =>
      Effect.try({
        try: () => makeFolder(localPath("createFolder", uri), sync),
        catch: storageFailure("createFolder", uri),
      }),
    copy: (from, to) => copy(from, to, sync),
    moveFolder: (from, to) =>
      Effect.try({ try: () => moveFolder(from, to, sync), catch: readFailure("moveFolder", from) }),
    removeFolder: (uri) => Effect.try({ try: () => removeFolder(uri), catch: storageFailure("removeFolder", uri) }),
  }
}

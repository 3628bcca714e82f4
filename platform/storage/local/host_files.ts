/**
 * File system calls for reading. Files are opened with `node:fs`, which needs one call less than Deno's own API.
 * Short-lived programs may use {@link openByDeno}, since Deno takes 20 ms to load `node:fs`.
 *
 * @module
 */
import type { Stats } from "node:fs"
import { builtin } from "../../host/builtin_modules.ts"
import type { FileInfo } from "../service.ts"

/** A file that is open for reading. */
export interface ReadableFile {
  /**
   * Reads up to `length` bytes from `position` in the file into `bytes`, starting at index `at`; returns the number of
   * bytes read.
   */
  readonly read: (bytes: Uint8Array, at: number, length: number, position: number) => number
  /** File size in bytes; `undefined` for folders, pipes and other non-files. */
  readonly size: () => number | undefined
  readonly close: () => void
}

/** Type of a directory entry. {@link describe} follows links, {@link listFolder} does not. */
export interface Described {
  readonly isFile: boolean
  readonly isDirectory: boolean
}

interface DenoFile {
  readonly seekSync: (offset: number, whence: 0) => number
  readonly readSync: (bytes: Uint8Array) => number | null
  readonly close: () => void
}

interface DenoFileInfo extends Described {
  readonly size: number
  readonly mode: number | null
  readonly ino: number | null
  readonly mtime: Date | null
}

interface DenoFiles {
  readonly openSync: (path: string) => DenoFile
  readonly statSync: (path: string) => DenoFileInfo
  readonly build: { readonly os: string }
  readonly readDirSync: (path: string) => Iterable<Described & { readonly name: string; readonly isSymlink: boolean }>
}

const deno = (globalThis as { readonly Deno?: DenoFiles }).Deno
const fs = builtin("node:fs")

const sizeIn = (stat: Stats): number | undefined => stat.isFile() ? stat.size : undefined

/** Opens a file for reading. Throws if the file is missing. */
export type OpenCall = (path: string) => ReadableFile

/** Opens a file with `node:fs`. Folders and pipes are rejected when they are read, since they have no size. */
export const openByNode: OpenCall = (path) => {
  const { openSync, readSync, fstatSync, closeSync, constants } = fs()
  // without O_NONBLOCK, opening a named pipe blocks until a writer opens it
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  return {
    read: (bytes, at, length, position) => readSync(fd, bytes, at, length, position),
    size: () => sizeIn(fstatSync(fd)),
    close: () => closeSync(fd),
  }
}

/** Opens a file with Deno's own API. In Deno, opening a pipe waits for a writer, so the file type is checked first. */
const openInDeno = ({ openSync, statSync }: DenoFiles, path: string): ReadableFile => {
  const { isFile, size } = statSync(path)
  if (!isFile) throw Object.assign(new TypeError("this is not a file"), { code: "EISDIR" })
  const file = openSync(path)
  let here = 0
  return {
    read: (bytes, at, length, position) => {
      if (position !== here) file.seekSync(position, 0)
      const count = file.readSync(bytes.subarray(at, at + length)) ?? 0
      here = position + count
      return count
    },
    size: () => size,
    close: () => file.close(),
  }
}

/** Opens a file with Deno's own API, which requires no module; `undefined` in other runtimes. */
export const openByDeno: OpenCall | undefined = deno === undefined ? undefined : (path) => openInDeno(deno, path)

/** Returns type and size of a file or folder, following links. Throws if it is missing. */
export const describe = (path: string): Described & { readonly size: number } => {
  if (deno !== undefined) return deno.statSync(path)
  const stat = fs().statSync(path)
  return { isFile: stat.isFile(), isDirectory: stat.isDirectory(), size: stat.size }
}

/**
 * Returns size, time and etag of a file. The etag consists of the modification time in whole milliseconds (Deno's
 * resolution), the size and the inode, in hex; it is the same in every runtime.
 */
export const infoOf = (path: string): Described & FileInfo => {
  const stat = deno === undefined ? fs().statSync(path) : deno.statSync(path)
  const { size, ino, mtime } = stat
  const [isFile, isDirectory] = deno === undefined
    ? [(stat as Stats).isFile(), (stat as Stats).isDirectory()]
    : [(stat as DenoFileInfo).isFile, (stat as DenoFileInfo).isDirectory]
  const lastModified = mtime?.getTime() ?? 0
  const etag = [lastModified, size, ino ?? 0].map((part) => part.toString(16)).join("-")
  return { isFile, isDirectory, size, lastModified, etag }
}

/** Returns the permission bits of a file, following links; `undefined` on Windows. Throws if the file is missing. */
export const modeOf = (path: string): number | undefined => {
  const windows = deno === undefined ? builtin("node:process")().platform === "win32" : deno.build.os === "windows"
  if (windows) return undefined
  const mode = deno === undefined ? fs().statSync(path).mode : deno.statSync(path).mode
  return mode === null ? undefined : mode & 0o777
}

/** Returns the entries of a folder. */
export const listFolder = (
  path: string,
): ReadonlyArray<Described & { readonly name: string; readonly isSymlink: boolean }> =>
  deno !== undefined ? [...deno.readDirSync(path)] : fs().readdirSync(path, { withFileTypes: true }).map((entry) => ({
    name: entry.name,
    isFile: entry.isFile(),
    isDirectory: entry.isDirectory(),
    isSymlink: entry.isSymbolicLink(),
  }))

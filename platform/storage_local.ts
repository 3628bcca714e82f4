/**
 * Storage in local files, over the synchronous calls of `node:fs`: with explicit positions they are an order of
 * magnitude faster than the cursors of `@effect/platform`, on Deno and on Bun.
 *
 * A call that reads opens the file once, and asks for its size only where that bounds what is allocated. A call that
 * writes leaves the whole file or none.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { checkRanges, tailRange, truncated } from "./byte_ranges.ts"
import { readFailure, storageFailure } from "./file_errors.ts"
import { NotFound, StorageError } from "./errors.ts"
import { compareBytewise } from "./name_order.ts"
import { type ByteRange, type Entry, Storage, type Tail } from "./storage.ts"
import type { Durability } from "./storage_local_sync.ts"
import { isTemporary, makeLocalWrites } from "./storage_local_write.ts"
import { localPath } from "./uri.ts"

/** Without O_NONBLOCK the opening of a named pipe waits for a writer, for ever. */
const READ = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)

/** One read call moves less than 2 GiB, whatever is asked of it. */
const READ_MAX = 1 << 30

const withFile = <A>(op: string, uri: string, use: (fd: number) => A): A => {
  const fd = fs.openSync(localPath(op, uri), READ)
  try {
    return use(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** The size of a file; what is no file, such as a folder or a pipe, is not there. */
const sizeOf = (uri: string, stat: fs.Stats): number => {
  if (!stat.isFile()) throw new NotFound({ uri })
  return stat.size
}

/** Reads until `bytes` is full or the file ends; answers how many bytes came. */
const fill = (fd: number, bytes: Uint8Array, offset: number): number => {
  for (let done = 0;;) {
    const wanted = Math.min(bytes.length - done, READ_MAX)
    const count = wanted === 0 ? 0 : fs.readSync(fd, bytes, done, wanted, offset + done)
    done += count
    // fewer than asked for come at the end only
    if (count < READ_MAX) return done
  }
}

const readAt = (
  op: string,
  uri: string,
  fd: number,
  { offset, length }: ByteRange,
  bytes: Uint8Array = new Uint8Array(length),
): Uint8Array => {
  const count = fill(fd, bytes, offset)
  if (count < length) throw truncated(op, uri, { offset, length }, offset + count)
  return bytes
}

/** Small files are read whole before their size is known: that saves a call for each. */
const SMALL = 1 << 16
const scratch = new Uint8Array(SMALL)

/** A file that is smaller than {@link SMALL}, in one call; `undefined` if it is not, or not known to be a file. */
const readSmall = (fd: number): Uint8Array | undefined => {
  const count = fill(fd, scratch, 0)
  return count === 0 || count === SMALL ? undefined : scratch.slice(0, count)
}

const read = (uri: string): Uint8Array =>
  withFile(
    "read",
    uri,
    (fd) => readSmall(fd) ?? readAt("read", uri, fd, { offset: 0, length: sizeOf(uri, fs.fstatSync(fd)) }),
  )

const readTail = (uri: string, length: number): Tail =>
  withFile("readTail", uri, (fd) => {
    const all = readSmall(fd)
    const size = all?.length ?? sizeOf(uri, fs.fstatSync(fd))
    const range = tailRange("readTail", uri, length, size)
    return { bytes: all?.subarray(range.offset) ?? readAt("readTail", uri, fd, range), size }
  })

/** Ranges up to this many bytes are read without asking for the size of the file first. */
const UNASKED = 1 << 22

/** Where each range lies in the memory that was given for all; `undefined` if they do not fit. */
const placesIn = (
  into: Uint8Array | undefined,
  ranges: ReadonlyArray<ByteRange>,
): ReadonlyArray<number> | undefined => {
  if (into === undefined) return undefined
  let at = 0
  const places: Array<number> = []
  for (const { length } of ranges) {
    places.push(at)
    at += length
    if (at > into.length) return undefined
    at = Math.ceil(at / 8) * 8
  }
  return places
}

const readRanges = (uri: string, ranges: ReadonlyArray<ByteRange>, into?: Uint8Array): ReadonlyArray<Uint8Array> =>
  withFile("readRanges", uri, (fd) => {
    checkRanges("readRanges", uri, ranges)
    const length = ranges.reduce((sum, range) => sum + range.length, 0)
    if (length === 0 || length > UNASKED) checkRanges("readRanges", uri, ranges, sizeOf(uri, fs.fstatSync(fd)))
    const places = placesIn(into, ranges)
    return ranges.map((range, i) => {
      const place = places && into!.subarray(places[i], places[i] + range.length)
      return readAt("readRanges", uri, fd, range, place)
    })
  })

/** The kind of a name, links followed; undefined for what is neither file nor folder. */
const kindOf = (folder: string, entry: fs.Dirent): Entry["kind"] | undefined => {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "folder"
  if (!entry.isSymbolicLink()) return undefined
  const stat = fs.statSync(path.join(folder, entry.name), { throwIfNoEntry: false })
  return stat?.isFile() ? "file" : stat?.isDirectory() ? "folder" : undefined
}

const list = (uri: string): ReadonlyArray<Entry> => {
  const folder = localPath("list", uri)
  let found: Array<fs.Dirent>
  try {
    found = fs.readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code === "ENOENT" || code === "ENOTDIR") return []
    throw error
  }
  const entries: Array<Entry> = []
  for (const entry of found) {
    const kind = isTemporary(entry.name) ? undefined : kindOf(folder, entry)
    if (kind !== undefined) entries.push({ name: entry.name, kind })
  }
  return entries.sort((a, b) => compareBytewise(a.name, b.name))
}

const remove = (uri: string): void => {
  const target = localPath("remove", uri)
  if (path.dirname(path.resolve(target)) === path.resolve(target)) {
    const cause = new TypeError("this is the root of the file system")
    throw new StorageError({ op: "remove", uri, reason: "Denied", cause })
  }
  try {
    fs.rmSync(target, { recursive: true, force: true })
  } catch (error) {
    // A part of the path is a file: nothing can be below it.
    if ((error as { code?: string }).code !== "ENOTDIR") throw error
  }
}

/** How local files are kept. */
export interface LocalOptions {
  /** Whether commits outlast a loss of power. Default: `"synced"`. */
  readonly durability?: Durability
}

/**
 * A storage of local files. It takes plain paths, as they stand, and `file://` URIs, whose percent signs are no escapes.
 *
 * ```ts
 * import { makeLocalStorage } from "@tessera/array/platform"
 * import * as Effect from "effect/Effect"
 *
 * const storage = makeLocalStorage({ durability: "cached" })
 * const entries = Effect.runSync(storage.list("/no/such/folder")) // []
 * ```
 */
export const makeLocalStorage = (options: LocalOptions = {}): Storage => ({
  list: (uri) => Effect.try({ try: () => list(uri), catch: storageFailure("list", uri) }),
  size: (uri) =>
    Effect.try({
      try: () => sizeOf(uri, fs.statSync(localPath("size", uri))),
      catch: readFailure("size", uri),
    }),
  read: (uri) => Effect.try({ try: () => read(uri), catch: readFailure("read", uri) }),
  readRanges: (uri, ranges, into) =>
    Effect.try({ try: () => readRanges(uri, ranges, into), catch: readFailure("readRanges", uri) }),
  readTail: (uri, length) => Effect.try({ try: () => readTail(uri, length), catch: readFailure("readTail", uri) }),
  ...makeLocalWrites(options.durability ?? "synced"),
  remove: (uri) => Effect.try({ try: () => remove(uri), catch: storageFailure("remove", uri) }),
  inFlight: () => 1,
})

/**
 * The storage of local files whose commits outlast a loss of power, as a value; {@link layerLocal} is the layer of it.
 *
 * ```ts
 * import { localFiles } from "@tessera/array/platform"
 * import * as Effect from "effect/Effect"
 *
 * const entries = Effect.runSync(localFiles.list("/no/such/folder")) // []
 * ```
 */
export const localFiles: Storage = makeLocalStorage()

/** The layer of {@link localFiles}. */
export const layerLocal: Layer.Layer<Storage> = Layer.succeed(Storage, localFiles)

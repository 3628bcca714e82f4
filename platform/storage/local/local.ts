/**
 * Storage of local files that uses the synchronous calls of the runtime: with explicit positions they are an order of
 * magnitude faster than the cursors of `@effect/platform`, in Deno and in Bun.
 *
 * A read opens the file once, and requests its size only if the size bounds an allocation. A write is atomic.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkRanges, tailRange, truncated } from "../byte_ranges.ts"
import { removeEach, withDefaults } from "../defaults.ts"
import { codeOf, readFailure, storageFailure } from "../errno.ts"
import { NotFound, StorageError, type StorageOp } from "../../errors.ts"
import { checkOptionNames, wordOption } from "../../options.ts"
import { compareBytewise } from "../utf8_order.ts"
import { builtin } from "../../host/builtin_modules.ts"
import { withMetrics } from "../measured.ts"
import { type ByteRange, type Entry, type FileInfo, type ListPage, Storage, type Tail } from "../service.ts"
import { describe, infoOf, listFolder, modeOf, openByNode, type OpenCall, type ReadableFile } from "./host_files.ts"
import type { Durability } from "./durability.ts"
import { isTemporary, makeLocalWrites } from "./atomic_write.ts"
import { runSteps, runStepsAtOnce, type Steps, turnIfDue } from "../../host/event_loop_turns.ts"
import { localPath } from "../uri.ts"

const fs = builtin("node:fs")
const path = builtin("node:path")

/** Maximum size of one read call, below 2 GiB. */
const MAX_READ_SIZE = 1 << 30

const withFile = <A>(open: OpenCall, op: StorageOp, uri: string, use: (file: ReadableFile) => A): A => {
  const file = open(localPath(op, uri))
  try {
    return use(file)
  } finally {
    file.close()
  }
}

/** Returns the size of a file; folders, pipes and other non-files count as missing. */
const sizeOf = (uri: string, size: number | undefined): number => {
  if (size === undefined) throw new NotFound({ uri })
  return size
}

/** Reads until `bytes` is full or the file ends; returns the number of bytes. */
const fill = (file: ReadableFile, bytes: Uint8Array, offset: number): number => {
  for (let done = 0;;) {
    const requested = Math.min(bytes.length - done, MAX_READ_SIZE)
    const count = requested === 0 ? 0 : file.read(bytes, done, requested, offset + done)
    done += count
    // a short read occurs only at the end of the file
    if (count < MAX_READ_SIZE) return done
  }
}

const readAt = (
  op: StorageOp,
  uri: string,
  file: ReadableFile,
  { offset, length }: ByteRange,
  bytes: Uint8Array = new Uint8Array(length),
): Uint8Array => {
  const count = fill(file, bytes, offset)
  if (count < length) throw truncated(op, uri, { offset, length }, offset + count)
  return bytes
}

/** Maximum size of a file that is read before its size is known, which saves one system call. */
const MAX_SMALL_SIZE = 1 << 16
const scratch = new Uint8Array(MAX_SMALL_SIZE)

/** Reads a file smaller than {@link MAX_SMALL_SIZE} in one call; returns `undefined` if it is larger, or may not be a file. */
const readSmall = (file: ReadableFile): Uint8Array | undefined => {
  const count = fill(file, scratch, 0)
  return count === 0 || count === MAX_SMALL_SIZE ? undefined : scratch.slice(0, count)
}

const read = (open: OpenCall, uri: string): Uint8Array =>
  withFile(
    open,
    "read",
    uri,
    (file) => readSmall(file) ?? readAt("read", uri, file, { offset: 0, length: sizeOf(uri, file.size()) }),
  )

const readTail = (open: OpenCall, uri: string, length: number): Tail =>
  withFile(open, "readTail", uri, (file) => {
    const all = readSmall(file)
    const size = all?.length ?? sizeOf(uri, file.size())
    const range = tailRange("readTail", uri, length, size)
    return { bytes: all?.subarray(range.offset) ?? readAt("readTail", uri, file, range), size }
  })

/** Maximum total size of ranges that are read without requesting the size of the file first. */
const MAX_UNCHECKED_SIZE = 1 << 22

/** Returns the position of each range in the shared memory; `undefined` if they do not fit. */
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

/** Maximum number of bytes to read before yielding to the event loop. */
const CHUNK_SIZE = 1 << 24

/** Reads the ranges of a file, in steps. */
function* rangesOf(
  uri: string,
  ranges: ReadonlyArray<ByteRange>,
  into: Uint8Array | undefined,
  file: ReadableFile,
): Steps<ReadonlyArray<Uint8Array>> {
  const op = "readRanges"
  checkRanges(op, uri, ranges)
  const length = bytesIn(ranges)
  if (length === 0 || length > MAX_UNCHECKED_SIZE) checkRanges(op, uri, ranges, sizeOf(uri, file.size()))
  const places = placesIn(into, ranges)
  const parts: Array<Uint8Array> = []
  let work = 0
  for (const [i, { length, offset }] of ranges.entries()) {
    const part = places === undefined ? new Uint8Array(length) : into!.subarray(places[i], places[i] + length)
    for (let at = 0; at < length;) {
      const size = Math.min(length - at, CHUNK_SIZE)
      readAt(op, uri, file, { offset: offset + at, length: size }, part.subarray(at, at + size))
      at += size
      work += size
      if (work < CHUNK_SIZE) continue
      work = 0
      yield
    }
    parts.push(part)
  }
  return parts
}

const bytesIn = (ranges: ReadonlyArray<ByteRange>): number => ranges.reduce((sum, range) => sum + range.length, 0)

const readRanges = (open: OpenCall): Storage["readRanges"] => (uri, ranges, into) => {
  const failed = readFailure("readRanges", uri)
  if (bytesIn(ranges) > CHUNK_SIZE) {
    return Effect.acquireUseRelease(
      Effect.try({ try: () => open(localPath("readRanges", uri)), catch: failed }),
      (file) => runSteps(() => rangesOf(uri, ranges, into, file), (error) => Effect.fail(failed(error))),
      (file) => Effect.sync(() => file.close()),
    )
  }
  return Effect.try({
    try: () => withFile(open, "readRanges", uri, (file) => runStepsAtOnce(rangesOf(uri, ranges, into, file))),
    catch: failed,
  })
}

/** Whether an error means that the name does not exist, or that a parent is a file. */
const isMissing = (error: unknown): boolean => {
  const { code } = error as { code?: string }
  return code === "ENOENT" || code === "ENOTDIR"
}

/**
 * Codes of links without a reachable target: a missing file, a cycle, a name that is too long, or a location that this
 * process may not read. Other errors, such as EIO, are unrelated to the link and fail the listing.
 */
const deadLinks = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EACCES", "EPERM"])

/**
 * Returns the kind of a name, following links; undefined for dead links and for anything other than files and folders.
 */
const kindOf = (folder: string, entry: ReturnType<typeof listFolder>[number]): Entry["kind"] | undefined => {
  let { isFile, isDirectory } = entry
  if (entry.isSymlink) {
    try {
      ;({ isFile, isDirectory } = describe(`${folder}/${entry.name}`))
    } catch (error) {
      if (!deadLinks.has(codeOf(error))) throw error
    }
  }
  return isFile ? "file" : isDirectory ? "folder" : undefined
}

/** Returns the entries of a folder, except files that are being written. */
const namesIn = (op: StorageOp, uri: string): ReturnType<typeof listFolder> => {
  try {
    return listFolder(localPath(op, uri)).filter(({ name }) => !isTemporary(name))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

const list = (uri: string): ReadonlyArray<Entry> => {
  const folder = localPath("list", uri)
  const entries: Array<Entry> = []
  for (const entry of namesIn("list", uri)) {
    const kind = kindOf(folder, entry)
    if (kind !== undefined) entries.push({ name: entry.name, kind, ...(entry.isSymlink ? { isLink: true } : {}) })
  }
  return entries.sort((a, b) => compareBytewise(a.name, b.name))
}

/** Minimum number of names per page. */
const MIN_PAGE = 1000

/**
 * Maximum number of pages per folder. Each page reads the whole folder, since Deno and Bun return all names at once.
 */
const MAX_PAGES = 8

/** Number of names to process before yielding to the event loop. */
const NAMES_PER_STEP = 64

/** Returns size, time and etag of a file; `undefined` if it was removed after the folder was read. */
const infoIfPresent = (path: string): FileInfo | undefined => {
  try {
    const { size, lastModified, etag } = infoOf(path)
    return { size, lastModified, etag }
  } catch (error) {
    if (!deadLinks.has(codeOf(error))) throw error
    return undefined
  }
}

/** Returns a page of a listing: the names after `after`, with one `stat` per file of the page. */
function* pageOf(uri: string, after: string | undefined): Steps<ListPage> {
  const folder = localPath("listPage", uri)
  const names = namesIn("listPage", uri)
  const rest = (after === undefined ? [...names] : names.filter(({ name }) => compareBytewise(name, after) > 0))
    .sort((a, b) => compareBytewise(a.name, b.name))
  const page = rest.slice(0, Math.max(MIN_PAGE, Math.ceil(names.length / MAX_PAGES)))
  const entries: Array<Entry> = []
  for (const [i, { name, ...types }] of page.entries()) {
    if (i % NAMES_PER_STEP === NAMES_PER_STEP - 1) yield
    const kind = kindOf(folder, { name, ...types })
    const info = kind === "file" ? infoIfPresent(`${folder}/${name}`) : {}
    if (kind !== undefined && info !== undefined) {
      entries.push({ name, kind, ...info, ...(types.isSymlink ? { isLink: true } : {}) })
    }
  }
  return page.length < rest.length ? { entries, next: page[page.length - 1].name } : { entries }
}

const head = (uri: string): FileInfo => {
  const { isFile, size, lastModified, etag } = infoOf(localPath("head", uri))
  return { size: sizeOf(uri, isFile ? size : undefined), lastModified, etag }
}

const unlisted = (uri: string): ReadonlyArray<string> => {
  const folder = localPath("unlisted", uri)
  return namesIn("unlisted", uri)
    .filter((entry) => kindOf(folder, entry) === undefined)
    .map(({ name }) => name).sort(compareBytewise)
}

const remove = (uri: string): void => {
  const target = localPath("remove", uri)
  const { dirname, resolve } = path()
  if (dirname(resolve(target)) === resolve(target)) {
    const cause = new TypeError("the root of the file system cannot be removed")
    throw new StorageError({ op: "remove", uri, reason: "Denied", cause })
  }
  try {
    fs().rmSync(target, { recursive: true, force: true })
  } catch (error) {
    // a parent is a file, so nothing exists below it
    if ((error as { code?: string }).code !== "ENOTDIR") throw error
  }
}

/** Removes a file, but never a folder. A missing file counts as removed. */
const removeFile = (uri: string): void => {
  try {
    fs().unlinkSync(localPath("removeAll", uri))
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes(codeOf(error))) throw error
  }
}

/** Options of local storage. */
export interface LocalOptions {
  /** Whether commits survive a power failure. Default: `"synced"`. */
  readonly durability?: Durability
}

/**
 * Creates a storage of local files. It accepts plain paths and `file://` URIs; percent signs are literal in both.
 * Throws `InvalidOption`.
 *
 * ```ts
 * import { makeLocalStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = makeLocalStorage({ durability: "cached" })
 * assertEquals(Effect.runSync(storage.list("/no/such/folder")), [])
 * ```
 */
export const makeLocalStorage = (options: LocalOptions = {}): Storage => makeLocalStorageBy(openByNode, options)

/** Returns the durability. Throws `InvalidOption`. */
const durabilityOf = (options: LocalOptions): Durability => {
  checkOptionNames(options, ["durability"] satisfies Array<keyof LocalOptions>)
  return wordOption("durability", options.durability, ["synced", "cached"])
}

/** Like {@link makeLocalStorage}, with a function that opens files for reading. */
export const makeLocalStorageBy = (open: OpenCall, options: LocalOptions = {}): Storage =>
  withDefaults(withMetrics({
    list: (uri) => Effect.try({ try: () => list(uri), catch: storageFailure("list", uri) }),
    listPage: (uri, next) =>
      runSteps(() => pageOf(uri, next), (error) => Effect.fail(storageFailure("listPage", uri)(error))),
    head: (uri) => Effect.try({ try: () => head(uri), catch: readFailure("head", uri) }),
    size: (uri) =>
      Effect.try({
        try: () => {
          const { isFile, size } = describe(localPath("size", uri))
          return sizeOf(uri, isFile ? size : undefined)
        },
        catch: readFailure("size", uri),
      }),
    read: (uri) => Effect.try({ try: () => read(open, uri), catch: readFailure("read", uri) }),
    readRanges: readRanges(open),
    readTail: (uri, length) =>
      Effect.try({ try: () => readTail(open, uri, length), catch: readFailure("readTail", uri) }),
    ...makeLocalWrites(durabilityOf(options)),
    remove: (uri) => Effect.try({ try: () => remove(uri), catch: storageFailure("remove", uri) }),
    removeAll: (uris) =>
      removeEach(uris, 1, (uri) =>
        Effect.zipLeft(
          Effect.try({ try: () => removeFile(uri), catch: storageFailure("removeAll", uri) }),
          turnIfDue,
        )),
    inFlight: () => 1,
    comparesVersions: () => false,
    mode: (uri) => Effect.try({ try: () => modeOf(localPath("mode", uri)), catch: readFailure("mode", uri) }),
    realPath: (uri) =>
      Effect.try({ try: () => fs().realpathSync(localPath("realPath", uri)), catch: readFailure("realPath", uri) }),
    unlisted: (uri) => Effect.try({ try: () => unlisted(uri), catch: storageFailure("unlisted", uri) }),
  }))

/**
 * A storage of local files whose commits survive a power failure; {@link layerLocal} is the corresponding layer.
 *
 * ```ts
 * import { localFiles } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * assertEquals(Effect.runSync(localFiles.list("/no/such/folder")), [])
 * ```
 */
export const localFiles: Storage = makeLocalStorage()

/**
 * A layer with {@link localFiles}.
 *
 * ```ts
 * import { layerLocal, StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(StorageService, (storage) => storage.list("tests/golden/demo/weather/__schema"))
 * const [schema] = Effect.runSync(Effect.provide(program, layerLocal))
 * assertEquals(schema.kind, "file")
 * ```
 */
export const layerLocal: Layer.Layer<Storage> = Layer.succeed(Storage, localFiles)

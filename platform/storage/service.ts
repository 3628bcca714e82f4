/**
 * The storage service: flat names in, bytes out.
 *
 * A URI is `scheme://…` or a plain path; folders are names that end before a `/`. There is no cursor and no rename: object
 * stores have neither. All reads of a file name their ranges, so that layers between (coalescing, cache, retry, trace)
 * see every request.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Chunk from "effect/Chunk"
import type { AlreadyExists, NotFound, StorageError } from "../errors.ts"

/** An entry of a listing. */
export interface Entry {
  /** Last part of the URI, without slashes. */
  readonly name: string
  /** Kind of the entry; folders may be known by their files only. */
  readonly kind: "file" | "folder"
  /** Size in bytes, if the listing contains it. */
  readonly size?: number
  /** The time of the last change, in milliseconds since 1970, if the listing contains it. */
  readonly lastModified?: number
  /** A tag that differs for different content of the same name, if the listing contains it. */
  readonly etag?: string
  /** True for a symbolic link: `kind` and `size` describe its target, which may be outside the folder. */
  readonly isLink?: true
}

/** A part of a listing. */
export interface ListPage {
  /** Entries, in the byte order of their names, after those of the pages before. */
  readonly entries: ReadonlyArray<Entry>
  /** Pass this to `listPage` for the next page; missing on the last page. */
  readonly next?: string
}

/** What a storage knows about a file without reading it. */
export interface FileInfo {
  /** Size in bytes. */
  readonly size: number
  /** The time of the last change, in milliseconds since 1970, if the storage has it. */
  readonly lastModified?: number
  /** A tag that differs for different content of the same name, if the storage has one. */
  readonly etag?: string
}

/** A file in a recursive listing. */
export interface FileEntry extends Partial<FileInfo> {
  /** Path below the listed folder, without slashes at either end: `__fragments/…/a0.tdb`. */
  readonly path: string
  /** True for a symbolic link: the size is the size of its target, which may be outside the folder. */
  readonly isLink?: true
}

/** A part of a recursive listing. */
export interface FilePage {
  /** Files of the folder and of all folders below it. */
  readonly files: ReadonlyArray<FileEntry>
  /** Pass this to `listAllPage` for the next page; missing on the last page. */
  readonly next?: string
}

/** `length` bytes from `offset` on. */
export interface ByteRange {
  /** The first byte. */
  readonly offset: number
  /** How many bytes. */
  readonly length: number
}

/** The end of a file and the size of the whole. */
export interface Tail {
  /** The last bytes of the file. */
  readonly bytes: Uint8Array
  /** Bytes of the whole file. */
  readonly size: number
}

/** A file being written, from beginning to end. */
export interface FileWriter {
  /** Appends bytes; the caller may reuse them when it returns. A failed call has no effect and may be repeated. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, StorageError>
  /** Makes the whole file visible under its name; nothing can be appended afterwards. */
  readonly finish: Effect.Effect<void, StorageError>
}

/** A storage backend. */
export interface Storage {
  /**
   * Returns the entries of a folder, in byte order of their names. A missing folder is empty: object stores have no
   * folders.
   */
  readonly list: (uri: string) => Effect.Effect<ReadonlyArray<Entry>, StorageError>
  /**
   * One page of a listing: the first one, or the one that `next` of the page before names. Object stores and memory return
   * up to 1,000 entries, local folders up to an eighth of their names, and backends whose listings arrive whole (manifests)
   * one page. All pages together are what `list` returns, if nothing changes meanwhile. `listStream` reads page after page.
   */
  readonly listPage: (uri: string, next?: string) => Effect.Effect<ListPage, StorageError>
  /** Whether there is a file of this name; `false` for a folder. */
  readonly exists: (uri: string) => Effect.Effect<boolean, StorageError>
  /** Returns size, time and tag of a file, as far as the storage has them. */
  readonly head: (uri: string) => Effect.Effect<FileInfo, NotFound | StorageError>
  /** Bytes of a file. */
  readonly size: (uri: string) => Effect.Effect<number, NotFound | StorageError>
  /** A whole file. */
  readonly read: (uri: string) => Effect.Effect<Uint8Array, NotFound | StorageError>
  /**
   * Reads ranges of one file and returns them in the requested order. A range past the end fails with reason
   * `Truncated`, before anything is allocated for it. The caller owns the buffers.
   *
   * Callers that read repeatedly may pass memory for the results, `into`: each result then starts at a multiple of
   * eight bytes in it, if they fit and the storage supports it. Its previous content is lost.
   */
  readonly readRanges: (
    uri: string,
    ranges: ReadonlyArray<ByteRange>,
    into?: Uint8Array,
  ) => Effect.Effect<ReadonlyArray<Uint8Array>, NotFound | StorageError>
  /** Reads the last `length` bytes (fewer if the file is shorter), and the file's size, in one request. */
  readonly readTail: (uri: string, length: number) => Effect.Effect<Tail, NotFound | StorageError>
  /** Writes a whole file, replacing an existing one. Missing parent folders are created. */
  readonly write: (uri: string, bytes: Uint8Array) => Effect.Effect<void, StorageError>
  /**
   * Starts a file that is written in pieces and replaces an existing one when it is finished. If the scope closes
   * before that, the written data is removed. Missing parent folders are created.
   */
  readonly openWrite: (uri: string) => Effect.Effect<FileWriter, StorageError, Scope.Scope>
  /**
   * Writes a whole file only if the name is free: one of several concurrent writers succeeds. Commits are made this
   * way: everything written through this storage before is durable before the file appears.
   *
   * After a `StorageError` the file may exist nevertheless: the response can be lost. A second call then fails with
   * `AlreadyExists`, and the file is complete and has the bytes of the first call. If the name contains a UUID, no
   * other writer uses it, so `AlreadyExists` means success: {@link createUnique}. For other names, compare the content.
   */
  readonly create: (uri: string, bytes: Uint8Array) => Effect.Effect<void, AlreadyExists | StorageError>
  /**
   * Creates a folder and its missing parents. Returns the URIs of the folders that this call created, outermost first;
   * an existing folder stays unchanged and is not included. Object stores have no folders: the list is empty.
   */
  readonly createFolder: (uri: string) => Effect.Effect<ReadonlyArray<string>, StorageError>
  /**
   * Copies a file over what is at `to`, inside the backend where it can. `to` appears whole or not at all, and is as durable
   * as after `write`. Folders on the way come into being.
   */
  readonly copy: (from: string, to: string) => Effect.Effect<void, NotFound | StorageError>
  /**
   * Removes many files, several at a time or in bulk requests. Each file is removed or not, independently; missing
   * files are fine. Returns one error, with its `uri`, per file that could not be removed. The effect itself fails only
   * if the state of all files is unknown. A folder of such a name stays and is reported as `Occupied` where the storage has folders.
   */
  readonly removeAll: (uris: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StorageError>, StorageError>
  /** Removes a file, or a folder with its contents. A missing name counts as removed. */
  readonly remove: (uri: string) => Effect.Effect<void, StorageError>
  /**
   * Removes a folder if it is empty. Other folders, files and missing names stay unchanged. Object stores have no
   * folders: nothing happens.
   */
  readonly removeFolder: (uri: string) => Effect.Effect<void, StorageError>
  /**
   * One page of a recursive listing, for storages that have such listings, as object stores do: the first one, or the one
   * that `next` of the page before names. `undefined`, or no such function: the folders are listed one by one.
   * {@link listAll} does what fits.
   */
  readonly listAllPage?: (uri: string, next?: string) => Effect.Effect<FilePage | undefined, StorageError>
  /**
   * How many calls for a URI are worth being under way at once: 1 where each is over when it returns, and fibers would only
   * cost. Default: as many as the caller likes.
   */
  readonly inFlight?: (uri: string) => number
  /**
   * Whether reads of a URI compare the versions of files, and so need to know which calls belong together. Default: yes.
   * Local files and memory answer no, which saves the bookkeeping.
   */
  readonly comparesVersions?: (uri: string) => boolean
  /**
   * The permission bits of a file (`0o600`), where files have such: local files of POSIX systems. `undefined` elsewhere.
   */
  readonly mode?: (uri: string) => Effect.Effect<number | undefined, NotFound | StorageError>
  /**
   * The absolute path of a name, with all links on the way followed, where there are links: local files. Elsewhere the name
   * itself.
   */
  readonly realPath?: (uri: string) => Effect.Effect<string, NotFound | StorageError>
  /**
   * The names in a folder that `list` leaves out because they are neither files nor folders: pipes, devices, and links that
   * lead nowhere. Default: none.
   */
  readonly unlisted?: (uri: string) => Effect.Effect<ReadonlyArray<string>, StorageError>
}

/** Whether reads of a URI compare the versions of files. */
export const comparesVersions = (storage: Pick<Storage, "comparesVersions"> | undefined, uri: string): boolean =>
  storage?.comparesVersions?.(uri) ?? true

/** Returns the concurrency for calls to a storage: at most `most`. */
export const inFlight = (storage: Pick<Storage, "inFlight">, uri: string, max: number): number =>
  storage.inFlight === undefined ? max : Math.min(max, storage.inFlight(uri))

/**
 * Streams the entries of a folder, page by page: at most one page is in memory.
 *
 * ```ts
 * import { listStream, makeMemoryStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const storage = makeMemoryStorage(new Map([["folder/a", Uint8Array.of(1)], ["folder/b", Uint8Array.of(2)]]))
 * assertEquals(Effect.runSync(Stream.runCount(listStream(storage, "mem://folder"))), 2)
 * ```
 */
export const listStream = (storage: Storage, uri: string): Stream.Stream<Entry, StorageError> =>
  Stream.paginateChunkEffect(
    undefined as string | undefined,
    (page) =>
      Effect.map(storage.listPage(uri, page), ({ entries, next }) => [
        Chunk.unsafeFromArray(entries),
        next === undefined ? Option.none() : Option.some(next),
      ]),
  )

/** Lists the folders below `uri` one by one. */
const walk = (storage: Storage, uri: string, prefix: string): Stream.Stream<FileEntry, StorageError> =>
  Stream.flatMap(listStream(storage, uri), ({ name, kind, ...info }): Stream.Stream<FileEntry, StorageError> => {
    if (kind === "file") return Stream.succeed({ path: prefix + name, ...info })
    const below = uri.endsWith("/") ? uri + name : `${uri}/${name}`
    return info.isLink === true ? Stream.empty : walk(storage, below, `${prefix}${name}/`)
  })

/**
 * Streams all files in a folder and in the folders below it. The files of a folder are in byte order of their names; which
 * folder comes first depends on the storage. Links to folders are not followed. Memory contains one page of each folder on the
 * way to the current file. Storages with recursive listings need one request for each page of files, others one for each
 * page of a folder.
 *
 * ```ts
 * import { listAll, makeMemoryStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Chunk from "effect/Chunk"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const storage = makeMemoryStorage(new Map([["a/b/c", Uint8Array.of(1)], ["a/d", Uint8Array.of(2)]]))
 * const paths = Stream.map(listAll(storage, "mem://a"), ({ path }) => path)
 * assertEquals(Chunk.toReadonlyArray(Effect.runSync(Stream.runCollect(paths))), ["b/c", "d"])
 * ```
 */
export const listAll = (storage: Storage, uri: string): Stream.Stream<FileEntry, StorageError> => {
  const { listAllPage } = storage
  if (listAllPage === undefined) return walk(storage, uri, "")
  return Stream.unwrap(Effect.map(listAllPage(uri), (first) => {
    if (first === undefined) return walk(storage, uri, "")
    return Stream.paginateChunkEffect(first, (page) => {
      const files = Chunk.unsafeFromArray(page.files)
      if (page.next === undefined) return Effect.succeed([files, Option.none<FilePage>()])
      return Effect.map(listAllPage(uri, page.next), (next) => [files, Option.fromNullable(next)])
    })
  }))
}

/**
 * Creates a file whose name contains a UUID, so that no other writer uses it. A file that exists already is the result of an
 * earlier attempt whose response was lost, and counts as created.
 *
 * ```ts
 * import { createUnique, makeMemoryStorage } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const storage = makeMemoryStorage()
 * const uri = `mem://array/__commits/__1_1_${crypto.randomUUID()}_22.wrt`
 * const create = createUnique(storage, uri, new Uint8Array())
 * // the second call succeeds as well
 * assertEquals(Effect.runSync(Effect.zipRight(Effect.zipRight(create, create), storage.exists(uri))), true)
 * ```
 */
export const createUnique = (storage: Storage, uri: string, bytes: Uint8Array): Effect.Effect<void, StorageError> =>
  Effect.catchTag(storage.create(uri, bytes), "AlreadyExists", () => Effect.void)

/**
 * The tag of the storage service, which the entry points call `StorageService`. `layerDefault`, `layerLocal`, `layerHttp` and
 * `layerMemory` provide it.
 *
 * ```ts
 * import { layerMemory, StorageService } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const storage = yield* StorageService
 *   yield* storage.write("mem://folder/file", Uint8Array.of(1, 2, 3))
 *   return yield* storage.readRanges("mem://folder/file", [{ offset: 2, length: 1 }, { offset: 0, length: 2 }])
 * })
 * assertEquals(Effect.runSync(Effect.provide(program, layerMemory)), [Uint8Array.of(3), Uint8Array.of(1, 2)])
 * ```
 */
export const Storage: Context.Tag<Storage, Storage> = Context.GenericTag<Storage>("@tessera/array/Storage")

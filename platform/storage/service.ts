/**
 * The storage service: files with flat names.
 *
 * A URI is `scheme://…` or a plain path; folders are prefixes of names that end at a `/`. There are no cursors and no
 * rename, since object stores have neither. All reads specify their ranges, so that middleware (coalescing, cache,
 * retry, counters) sees every request.
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
  /** Kind of the entry. Some storages have no folders of their own, and derive them from the names of files. */
  readonly kind: "file" | "folder"
  /** Size in bytes, if the listing contains it. */
  readonly size?: number
  /** The time of the last change, in milliseconds since 1970, if the listing contains it. */
  readonly lastModified?: number
  /** A tag that changes with the content of the name, if the listing contains it. */
  readonly etag?: string
  /** True for a symbolic link: `kind` and `size` describe the target, which may be outside the folder. */
  readonly isLink?: true
}

/** A page of a listing. */
export interface ListPage {
  /** Entries in byte order of their names, after those of earlier pages. */
  readonly entries: ReadonlyArray<Entry>
  /** Token for the next page, to pass to `listPage`; missing on the last page. */
  readonly next?: string
}

/** Information about a file that is available without reading it. */
export interface FileInfo {
  /** Size in bytes. */
  readonly size: number
  /** The time of the last change, in milliseconds since 1970, if the storage has it. */
  readonly lastModified?: number
  /** A tag that changes with the content of the name, if the storage has one. */
  readonly etag?: string
}

/** A file in a recursive listing. */
export interface FileEntry extends Partial<FileInfo> {
  /** Path relative to the listed folder, without leading and trailing slashes: `__fragments/…/a0.tdb`. */
  readonly path: string
  /** True for a symbolic link: `size` describes the target, which may be outside the folder. */
  readonly isLink?: true
}

/** A page of a recursive listing. */
export interface FilePage {
  /** Files in the folder and in all folders below it. */
  readonly files: ReadonlyArray<FileEntry>
  /** Token for the next page, to pass to `listAllPage`; missing on the last page. */
  readonly next?: string
}

/** A byte range of a file. */
export interface ByteRange {
  /** Offset of the first byte. */
  readonly offset: number
  /** Number of bytes. */
  readonly length: number
}

/** The last bytes of a file, and the file's size. */
export interface Tail {
  /** The last bytes of the file. */
  readonly bytes: Uint8Array
  /** Size of the whole file in bytes. */
  readonly size: number
}

/** Writes a file sequentially. */
export interface FileWriter {
  /** Appends bytes; the caller may reuse the buffer afterwards. A failed call has no effect and may be repeated. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, StorageError>
  /** Makes the complete file visible under its name; nothing can be appended afterwards. */
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
   * Returns a page of a listing: the first one, or the one for the token `next` of the previous page. Object stores and
   * memory return up to 1,000 entries, local folders at least 1,000 names or an eighth of all, and backends that
   * receive whole listings (manifests) a single page. All pages together equal the result of `list`, if nothing changes
   * meanwhile. `listStream` reads all pages.
   */
  readonly listPage: (uri: string, next?: string) => Effect.Effect<ListPage, StorageError>
  /** Whether a file with this name exists; `false` for a folder. */
  readonly exists: (uri: string) => Effect.Effect<boolean, StorageError>
  /** Returns size, time and etag of a file, as far as the storage has them. */
  readonly head: (uri: string) => Effect.Effect<FileInfo, NotFound | StorageError>
  /** Returns the size of a file in bytes. */
  readonly size: (uri: string) => Effect.Effect<number, NotFound | StorageError>
  /** Reads a whole file. */
  readonly read: (uri: string) => Effect.Effect<Uint8Array, NotFound | StorageError>
  /**
   * Reads ranges of one file and returns them in the requested order. A range past the end fails with reason
   * `Truncated`, before memory is allocated for it. The caller owns the buffers.
   *
   * Callers that read repeatedly may pass memory for the results as `into`: each result then starts at a multiple of
   * eight bytes in it, if all results fit and the storage supports it. The previous content is lost.
   */
  readonly readRanges: (
    uri: string,
    ranges: ReadonlyArray<ByteRange>,
    into?: Uint8Array,
  ) => Effect.Effect<ReadonlyArray<Uint8Array>, NotFound | StorageError>
  /** Reads the last `length` bytes (fewer if the file is shorter) and the file's size, in one request. */
  readonly readTail: (uri: string, length: number) => Effect.Effect<Tail, NotFound | StorageError>
  /** Writes a whole file, replacing an existing one. Missing parent folders are created. */
  readonly write: (uri: string, bytes: Uint8Array) => Effect.Effect<void, StorageError>
  /**
   * Opens a file that is written sequentially; on `finish` it replaces an existing file. If the scope closes before
   * that, the written data is removed. Missing parent folders are created.
   */
  readonly openWrite: (uri: string) => Effect.Effect<FileWriter, StorageError, Scope.Scope>
  /**
   * Writes a whole file only if the name is free: one of several concurrent writers succeeds. Commits are written this
   * way: everything that was written through this storage earlier is durable before the file appears.
   *
   * After a `StorageError` the file may exist nevertheless: the response can be lost. A second call then fails with
   * `AlreadyExists`, and the file is complete and contains the bytes of the first call. If the name contains a UUID, no
   * other writer uses it, so `AlreadyExists` means success: see {@link createUnique}. For other names, compare the
   * content.
   */
  readonly create: (uri: string, bytes: Uint8Array) => Effect.Effect<void, AlreadyExists | StorageError>
  /**
   * Like `create`, in storages that store the ID of the write with the file: succeeds also if an earlier call with the
   * same `id` created the file, and its response was lost. Such calls can be repeated.
   */
  readonly createAs?: (uri: string, bytes: Uint8Array, id: string) => Effect.Effect<void, AlreadyExists | StorageError>
  /**
   * Creates a folder and its missing parents. Returns the URIs of the folders that this call created, outermost first;
   * an existing folder stays unchanged and is not included. Object stores have no folders: the list is empty.
   */
  readonly createFolder: (uri: string) => Effect.Effect<ReadonlyArray<string>, StorageError>
  /**
   * Copies a file and replaces an existing file at `to`, inside the backend if it supports that. The copy is atomic,
   * and as durable as after `write`. Missing parent folders are created.
   */
  readonly copy: (from: string, to: string) => Effect.Effect<void, NotFound | StorageError>
  /**
   * Moves a folder with its contents by renaming it, atomically, in storages that can: local folders of one file system.
   * Returns `false` if the storage cannot, and nothing changed. Fails with reason `Occupied` if something exists at `to`.
   * Missing parent folders are created.
   */
  readonly moveFolder?: (from: string, to: string) => Effect.Effect<boolean, NotFound | StorageError>
  /**
   * Removes several files, concurrently or in bulk requests. Each file is removed independently of the others; missing
   * files count as removed. Returns one error, with its `uri`, per file that could not be removed. The Effect itself
   * fails only if the state of all files is unknown. A folder with such a name is not removed, and is reported as
   * `Occupied` if the storage has folders.
   */
  readonly removeAll: (uris: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StorageError>, StorageError>
  /** Removes a file, or a folder with its contents. A missing name counts as removed. */
  readonly remove: (uri: string) => Effect.Effect<void, StorageError>
  /**
   * Removes a folder if it is empty. Other folders, files and missing names are unchanged. Does nothing in object
   * stores, which have no folders.
   */
  readonly removeFolder: (uri: string) => Effect.Effect<void, StorageError>
  /**
   * Returns a page of a recursive listing, in storages that support it, such as object stores: the first page, or the
   * one for the token `next` of the previous page. If the result is `undefined`, or the function is missing, list the
   * folders one by one. {@link listAll} supports both.
   */
  readonly listAllPage?: (uri: string, next?: string) => Effect.Effect<FilePage | undefined, StorageError>
  /**
   * Returns the maximum useful number of concurrent calls for a URI: 1 if calls are synchronous, so that fibers would
   * only add cost. Default: any number.
   */
  readonly inFlight?: (uri: string) => number
  /**
   * Whether reads of a URI compare file versions, and therefore need to know which calls belong together. Default:
   * true. Local files and memory return false, which saves the bookkeeping.
   */
  readonly comparesVersions?: (uri: string) => boolean
  /**
   * Returns the permission bits of a file (`0o600`) in storages that have them: local files of POSIX systems.
   * `undefined` elsewhere.
   */
  readonly mode?: (uri: string) => Effect.Effect<number | undefined, NotFound | StorageError>
  /**
   * Returns the absolute path of a name with all links resolved, in storages that have links: local files. Other
   * storages return the name itself.
   */
  readonly realPath?: (uri: string) => Effect.Effect<string, NotFound | StorageError>
  /**
   * Returns the names in a folder that `list` omits because they are neither files nor folders: pipes, devices, and
   * broken links. Default: none.
   */
  readonly unlisted?: (uri: string) => Effect.Effect<ReadonlyArray<string>, StorageError>
}

/** Whether reads of a URI compare file versions. */
export const comparesVersions = (storage: Pick<Storage, "comparesVersions"> | undefined, uri: string): boolean =>
  storage?.comparesVersions?.(uri) ?? true

/** Returns the concurrency for calls to a storage: at most `max`. */
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

/** Lists all files below `uri`, folder by folder. */
const walk = (storage: Storage, uri: string, prefix: string): Stream.Stream<FileEntry, StorageError> =>
  Stream.flatMap(listStream(storage, uri), ({ name, kind, ...info }): Stream.Stream<FileEntry, StorageError> => {
    if (kind === "file") return Stream.succeed({ path: prefix + name, ...info })
    const below = uri.endsWith("/") ? uri + name : `${uri}/${name}`
    return info.isLink === true ? Stream.empty : walk(storage, below, `${prefix}${name}/`)
  })

/**
 * Streams all files in a folder and in the folders below it. The files of a folder are in byte order of their names;
 * the order of folders depends on the storage. Links to folders are not followed. At most one page of each folder on
 * the path to the current file is in memory. Storages with recursive listings need one request per page of files,
 * others one per page of a folder.
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
 * Creates a file whose name contains a UUID, so that no other writer uses it. If the file already exists, an earlier
 * attempt created it and the response was lost; this counts as success.
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
 * The tag of the storage service, exported as `StorageService` by the entry points. `layerDefault`, `layerLocal`,
 * `layerHttp` and `layerMemory` provide it.
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

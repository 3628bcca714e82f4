/**
 * The only module that lists all functions of a storage: middleware wraps them by kind, and routers select a storage
 * for each call.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../errors.ts"
import type { FileWriter, Storage } from "./service.ts"

/** Names of storage calls; `append` and `finish` are the calls of a file writer from `openWrite`. */
export type StorageOperation =
  | Exclude<keyof Storage, "createAs" | "inFlight" | "comparesVersions" | "mode" | "realPath" | "unlisted">
  | "append"
  | "finish"

/** Wraps a call. The wrapper may run the call any number of times. */
export type WrapCall = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  operation: StorageOperation,
  uri: string,
) => Effect.Effect<A, E | StorageError, R>

/** Wrappers for each kind of call; a kind without a wrapper is unchanged. */
export interface StorageWrappers {
  /** `size`, `head`, `exists`, `read`, `readRanges` and `readTail`. */
  readonly read?: WrapCall
  /** `list`, `listPage` and `listAllPage`. */
  readonly list?: WrapCall
  /**
   * `write`, `openWrite`, `append`, `finish`, `create`, `createFolder`, `copy` (with the target's URI), `remove`,
   * `removeAll` (with the first URI), `removeFolder` and `moveFolder` (with the target's URI).
   */
  readonly write?: WrapCall
}

/** Runs a call on the storage that is responsible for a URI. */
export type SelectStorage = <A, E, R>(
  operation: Exclude<keyof Storage, "createAs" | "inFlight" | "comparesVersions">,
  uri: string,
  call: (storage: Storage) => Effect.Effect<A, E, R>,
) => Effect.Effect<A, E | StorageError, R>

/**
 * Returns a storage that forwards each call to the storage that `select` chooses; `createAs`, `inFlight` and
 * `comparesVersions` stay undefined.
 */
export const forwardStorage = (select: SelectStorage): Storage => ({
  list: (uri) => select("list", uri, (storage) => storage.list(uri)),
  listPage: (uri, next) => select("listPage", uri, (storage) => storage.listPage(uri, next)),
  head: (uri) => select("head", uri, (storage) => storage.head(uri)),
  exists: (uri) => select("exists", uri, (storage) => storage.exists(uri)),
  size: (uri) => select("size", uri, (storage) => storage.size(uri)),
  read: (uri) => select("read", uri, (storage) => storage.read(uri)),
  readRanges: (uri, ranges, into) => select("readRanges", uri, (storage) => storage.readRanges(uri, ranges, into)),
  readTail: (uri, length) => select("readTail", uri, (storage) => storage.readTail(uri, length)),
  write: (uri, bytes) => select("write", uri, (storage) => storage.write(uri, bytes)),
  openWrite: (uri) => select("openWrite", uri, (storage) => storage.openWrite(uri)),
  create: (uri, bytes) => select("create", uri, (storage) => storage.create(uri, bytes)),
  createFolder: (uri) => select("createFolder", uri, (storage) => storage.createFolder(uri)),
  copy: (from, to) => select("copy", to, (storage) => storage.copy(from, to)),
  remove: (uri) => select("remove", uri, (storage) => storage.remove(uri)),
  removeAll: (uris) =>
    uris.length === 0 ? Effect.succeed([]) : select("removeAll", uris[0], (storage) => storage.removeAll(uris)),
  removeFolder: (uri) => select("removeFolder", uri, (storage) => storage.removeFolder(uri)),
  moveFolder: (from, to) =>
    select("moveFolder", to, (storage) => storage.moveFolder?.(from, to) ?? Effect.succeed(false)),
  listAllPage: (uri, next) =>
    select("listAllPage", uri, (storage) => storage.listAllPage?.(uri, next) ?? Effect.succeed(undefined)),
  mode: (uri) => select("mode", uri, (storage) => storage.mode?.(uri) ?? Effect.succeed(undefined)),
  realPath: (uri) => select("realPath", uri, (storage) => storage.realPath?.(uri) ?? Effect.succeed(uri)),
  unlisted: (uri) => select("unlisted", uri, (storage) => storage.unlisted?.(uri) ?? Effect.succeed([])),
})

const kinds: Readonly<Record<StorageOperation, keyof StorageWrappers>> = {
  list: "list",
  listPage: "list",
  listAllPage: "list",
  head: "read",
  exists: "read",
  size: "read",
  read: "read",
  readRanges: "read",
  readTail: "read",
  write: "write",
  openWrite: "write",
  append: "write",
  finish: "write",
  create: "write",
  createFolder: "write",
  copy: "write",
  remove: "write",
  removeAll: "write",
  removeFolder: "write",
  moveFolder: "write",
}

/**
 * Wraps all calls of a storage by kind. `inFlight`, `comparesVersions`, `mode`, `realPath` and `unlisted` are
 * unchanged: they make no requests. Middleware can override single functions: `{ ...mapStorage(storage, { read }),
 * write }`.
 */
export const mapStorage = (storage: Storage, wrappers: StorageWrappers): Storage => {
  const wrap: WrapCall = (call, operation, uri) => wrappers[kinds[operation]]?.(call, operation, uri) ?? call
  const { createAs } = storage
  const mapped = forwardStorage((operation, uri, call) => wrap(call(storage), operation as StorageOperation, uri))
  return {
    ...mapped,
    openWrite: (uri) =>
      Effect.map(mapped.openWrite(uri), (file): FileWriter => ({
        write: (bytes) => wrap(file.write(bytes), "append", uri),
        finish: wrap(file.finish, "finish", uri),
      })),
    listAllPage: storage.listAllPage && mapped.listAllPage,
    moveFolder: storage.moveFolder && mapped.moveFolder,
    createAs: createAs && ((uri, bytes, id) => wrap(createAs(uri, bytes, id), "create", uri)),
    inFlight: storage.inFlight,
    comparesVersions: storage.comparesVersions,
    mode: storage.mode,
    realPath: storage.realPath,
    unlisted: storage.unlisted,
  }
}

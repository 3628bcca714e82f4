/**
 * A storage that is loaded when it is first asked: what needs none of its modules does not wait for them.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Storage } from "./service.ts"

/** The storage that `load` promises, loaded at the first call. */
export const deferStorage = (load: () => Promise<Storage>): Storage => {
  let loading: Promise<Storage> | undefined
  const storage = Effect.promise(() => loading ??= load())
  return {
    list: (uri) => Effect.flatMap(storage, (s) => s.list(uri)),
    size: (uri) => Effect.flatMap(storage, (s) => s.size(uri)),
    read: (uri) => Effect.flatMap(storage, (s) => s.read(uri)),
    readRanges: (uri, ranges, into) => Effect.flatMap(storage, (s) => s.readRanges(uri, ranges, into)),
    readTail: (uri, length) => Effect.flatMap(storage, (s) => s.readTail(uri, length)),
    write: (uri, bytes) => Effect.flatMap(storage, (s) => s.write(uri, bytes)),
    openWrite: (uri) => Effect.flatMap(storage, (s) => s.openWrite(uri)),
    create: (uri, bytes) => Effect.flatMap(storage, (s) => s.create(uri, bytes)),
    createFolder: (uri) => Effect.flatMap(storage, (s) => s.createFolder(uri)),
    remove: (uri) => Effect.flatMap(storage, (s) => s.remove(uri)),
    removeFolder: (uri) => Effect.flatMap(storage, (s) => s.removeFolder(uri)),
  }
}

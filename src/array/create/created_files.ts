/**
 * Records the files that a call creates, so that a failed call removes exactly these files: never a file that existed
 * before, and never one that another program adds meanwhile.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StorageError } from "../../../platform/errors.ts"
import { type FileWriter, Storage } from "../../../platform/storage/service.ts"
import { lastComponent, parseName } from "../../../schema/name/timestamped_name.ts"
import { isTakeoverFile } from "../open/unfinished.ts"

/** A storage that records the files and folders that are created through it. */
export interface CreatedFiles {
  readonly storage: Storage
  /**
   * Removes the recorded files, newest first, then the recorded folders that are empty. Stops at the first file that
   * cannot be removed: a commit must not outlive the files that it names. `removal` restricts which files are removed.
   */
  readonly removeAll: (removal?: Removal) => Effect.Effect<void, StorageError>
}

/** Restricts which recorded files and folders are removed. */
export interface Removal {
  /** Returns whether a file or folder is removed. Default: all. */
  readonly isRemoved?: (uri: string) => boolean
  /**
   * A file that is removed after all other files and before the folders, even though the call overwrote it and did not
   * create it.
   */
  readonly last?: string
}

const folderOf = (uri: string): string => uri.slice(0, Math.max(uri.lastIndexOf("/"), 0))

/**
 * Returns whether no other program uses this name, since the file or its folder is named with a UUID. This process
 * created such a file, even if the response to its creation was lost.
 */
export const isOurs = (uri: string): boolean =>
  parseName(uri) !== undefined || parseName(folderOf(uri)) !== undefined || isTakeoverFile(lastComponent(uri))

/** Wraps a storage and records the files and folders that are created through it. */
export const trackCreated = (storage: Storage): CreatedFiles => {
  const files = new Set<string>()
  const folders = new Set<string>()
  /** folders known to exist */
  const names = new Set<string>()

  const createFolder = (uri: string) =>
    Effect.uninterruptible(Effect.suspend(() => {
      if (isOurs(uri)) folders.add(uri)
      return Effect.map(storage.createFolder(uri), (created) => {
        for (const folder of created) folders.add(folder)
        names.add(uri)
        return created
      })
    }))
  /** Creates the folder of a file explicitly, so that it is recorded. */
  const createParent = (uri: string): Effect.Effect<unknown, StorageError> => {
    const folder = folderOf(uri)
    return folder === "" || folder.endsWith("/") || names.has(folder) ? Effect.void : createFolder(folder)
  }
  const record = <A, E, R>(uri: string, call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) => {
      if (isOurs(uri)) files.add(uri)
      return Effect.tap(restore(call), () => Effect.sync(() => void files.add(uri)))
    })
  const forget = (uri: string): void => {
    files.delete(uri)
    for (const file of files) if (file.startsWith(`${uri}/`)) files.delete(file)
  }
  const openWrite = (uri: string): Effect.Effect<FileWriter, StorageError, Scope.Scope> =>
    Effect.zipRight(
      createParent(uri),
      Effect.map(storage.openWrite(uri), ({ write, finish }) => ({ write, finish: record(uri, finish) })),
    )

  const removeAll = ({ isRemoved = () => true, last }: Removal = {}) =>
    Effect.gen(function* () {
      const newest = [...files].filter((file) => file !== last && isRemoved(file)).reverse()
      for (let from = 0; from < newest.length;) {
        // remove the files of one folder concurrently, since they do not depend on each other
        let to = from + 1
        while (to < newest.length && folderOf(newest[to]) === folderOf(newest[from])) to++
        const failures = yield* storage.removeAll(newest.slice(from, to))
        // keep a folder in which another program created files
        const failure = failures.find(({ reason }) => reason !== "Occupied")
        if (failure !== undefined) return yield* Effect.fail(failure)
        from = to
      }
      if (last !== undefined) yield* storage.removeAll([last])
      files.clear()
      for (const folder of [...folders].filter(isRemoved).reverse()) yield* Effect.ignore(storage.removeFolder(folder))
      folders.clear()
      names.clear()
    })

  return {
    storage: {
      ...storage,
      // do not record overwritten files, which existed before
      write: (uri, bytes) => {
        const call = storage.write(uri, bytes)
        return Effect.zipRight(createParent(uri), isOurs(uri) ? record(uri, call) : call)
      },
      openWrite,
      create: (uri, bytes) => Effect.zipRight(createParent(uri), record(uri, storage.create(uri, bytes))),
      copy: (from, to) => {
        const call = storage.copy(from, to)
        return Effect.zipRight(createParent(to), isOurs(to) ? record(to, call) : call)
      },
      createFolder,
      removeAll: (uris) =>
        Effect.tap(storage.removeAll(uris), (failures) =>
          Effect.sync(() => {
            const failed = new Set(failures.map(({ uri }) => uri))
            for (const uri of uris) if (!failed.has(uri)) forget(uri)
          })),
      remove: (uri) => Effect.tap(storage.remove(uri), () => Effect.sync(() => forget(uri))),
    },
    removeAll,
  }
}

/**
 * Runs an effect that creates files. If it fails or is interrupted, exactly the files and folders that it created are
 * removed, restricted by `removal` (`undefined`: nothing is removed). Files that existed before, and files that other
 * programs add meanwhile, stay.
 */
export const removeOnFailure = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  removal: Effect.Effect<Removal | undefined, never, Storage> = Effect.succeed({}),
): Effect.Effect<A, E, R | Storage> =>
  Effect.flatMap(Storage, (storage) => {
    const created = trackCreated(storage)
    return effect.pipe(
      Effect.provideService(Storage, created.storage),
      Effect.onExit((exit) =>
        exit._tag === "Success" ? Effect.void : Effect.flatMap(
          removal,
          (removed) => removed === undefined ? Effect.void : Effect.ignore(created.removeAll(removed)),
        )
      ),
    )
  }) as Effect.Effect<A, E, R | Storage>

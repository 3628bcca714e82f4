/**
 * Moves files and folders of an array to its quarantine folder, where no reader looks.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import { listAll, Storage } from "../../platform/storage/service.ts"
import { join } from "../array/open/listing.ts"

/** The folder in an array that contains what repairs moved away. Engines ignore folders with other names than theirs. */
export const QUARANTINE_FOLDER = "tessera_quarantine"

/** Returns the folder of one repair, relative to the array. */
export const quarantineFolder = (now: number): string =>
  `${QUARANTINE_FOLDER}/${new Date(now).toISOString().replace(/[-:]|\.\d+/g, "")}`

/**
 * Moves a file or a folder: renames a local folder, or copies all files and then removes exactly these. If copying
 * fails, the source is unchanged.
 */
export const moveToQuarantine = (
  uri: string,
  path: string,
  folder: string,
): Effect.Effect<void, NotFound | StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const [from, to] = [join(uri, path), join(uri, `${folder}/${path}`)]
    if (yield* storage.exists(from)) {
      yield* storage.copy(from, to)
      return yield* storage.remove(from)
    }
    if (storage.moveFolder !== undefined && (yield* storage.moveFolder(from, to))) return
    const paths: Array<string> = []
    yield* Stream.runForEach(listAll(storage, from), (file) => Effect.sync(() => void paths.push(file.path)))
    yield* Effect.forEach(paths, (each) => storage.copy(join(from, each), join(to, each)), {
      concurrency: 8,
      discard: true,
    })
    const [failure] = yield* storage.removeAll(paths.map((each) => join(from, each)))
    if (failure !== undefined) return yield* Effect.fail(failure)
    yield* storage.removeFolder(from)
  })

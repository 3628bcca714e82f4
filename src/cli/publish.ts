/**
 * `tessera publish`.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import { publish } from "../../platform/publish.ts"
import { Storage } from "../../platform/storage.ts"
import type { Request } from "./arguments.ts"
import { type OutputError, print, say, type Terminal } from "./terminal.ts"

/** Writes the manifest of a folder. */
export const runPublish = (
  request: Request,
  terminal: Terminal,
): Effect.Effect<void, NotFound | StorageError | OutputError, Storage> =>
  Effect.gen(function* () {
    const published = yield* publish(yield* Storage, request.uri)
    if (request.on("json")) return yield* print(terminal, [JSON.stringify(published, null, 2), "\n"])
    yield* print(terminal, [published.uri, "\n"])
    yield* say(terminal, `names ${published.files} files of ${published.bytes} bytes; publish again after every change`)
  })

/**
 * Making groups.
 * Format: `group.md`.
 */
import * as Effect from "effect/Effect"
import { AlreadyExists, type StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage.ts"
import { GROUP_FILE, GROUP_FOLDER, METADATA_FOLDER } from "../../schema/name/array_paths.ts"
import type { InvalidOption } from "../array/errors.ts"
import { join } from "../array/listing.ts"
import { placeOf } from "../array/open_options.ts"
import { kindAt, kindOfFolder } from "./object_type.ts"

/** What making a group can fail with. */
export type CreateGroupError = InvalidOption | AlreadyExists | StorageError

/** Makes an empty group; what was begun is removed if it does not come to that. */
export const createGroup = (uri: string): Effect.Effect<void, CreateGroupError, Storage> =>
  Effect.gen(function* () {
    const at = yield* placeOf(uri)
    const storage = yield* Storage
    const before = yield* storage.list(at)
    if (kindOfFolder(before) !== undefined) return yield* Effect.fail(new AlreadyExists({ uri: at }))
    const making = Effect.gen(function* () {
      yield* storage.createFolder(join(at, METADATA_FOLDER))
      // with the mark it is a group
      yield* storage.create(join(at, GROUP_FILE), new Uint8Array(0))
      yield* storage.createFolder(join(at, GROUP_FOLDER))
    })
    const cleaning = Effect.gen(function* () {
      // somebody else may have made one here in between
      if (before.length === 0 && (yield* kindAt(at)) === undefined) yield* storage.remove(at)
    })
    yield* Effect.onExit(making, (exit) => exit._tag === "Success" ? Effect.void : Effect.ignore(cleaning))
  })

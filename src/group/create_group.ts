/**
 * Creates groups. Format: `group.md`.
 */
import * as Effect from "effect/Effect"
import { AlreadyExists, type StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage/service.ts"
import { GROUP_FILE, GROUP_FOLDER, METADATA_FOLDER } from "../../schema/name/array_paths.ts"
import type { InvalidOption } from "../array/open/errors.ts"
import { removeOnFailure } from "../array/create/created_files.ts"
import { join } from "../array/open/listing.ts"
import { placeOf } from "../array/open/open_options.ts"
import { kindOfFolder } from "./object_type.ts"

/** Errors of creating a group. */
export type CreateGroupError = InvalidOption | AlreadyExists | StorageError

/** Creates an empty group. If the call fails, the files and folders that it created are removed. */
export const createGroup = (uri: string): Effect.Effect<void, CreateGroupError, Storage> =>
  Effect.gen(function* () {
    const at = yield* placeOf(uri)
    const before = yield* Effect.flatMap(Storage, (storage) => storage.list(at))
    if (kindOfFolder(before) !== undefined) return yield* Effect.fail(new AlreadyExists({ uri: at }))
    yield* removeOnFailure(Effect.gen(function* () {
      const storage = yield* Storage
      yield* storage.createFolder(join(at, METADATA_FOLDER))
      // this file makes the folder a group
      yield* storage.create(join(at, GROUP_FILE), new Uint8Array(0))
      yield* storage.createFolder(join(at, GROUP_FOLDER))
    }))
  })

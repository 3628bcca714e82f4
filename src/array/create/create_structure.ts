/**
 * Stores structures, each as a generic tile in a new file.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../../platform/errors.ts"
import { createUnique, Storage } from "../../../platform/storage/service.ts"
import { asFormatError, encodeSteps, type Field } from "../../../schema/binary/mod.ts"
import type { Steps } from "../../kernel/steps.ts"
import { attemptTileSteps, type TileError } from "../../tile/attempt.ts"
import { closeGenericTileSteps, type TileAccess } from "../../tile/generic_tile.ts"

/** Errors of storing a structure; `FormatError` if the format version cannot represent it. */
export type StoreError = StorageError | TileError

/** Encodes the file of a structure in a format version. */
function* fileOf<A>(
  access: TileAccess,
  uri: string,
  field: Field<A>,
  value: A,
  version: number,
): Steps<Uint8Array> {
  let bytes: Uint8Array
  try {
    bytes = yield* encodeSteps(field, value, version)
  } catch (error) {
    throw asFormatError(error, version, uri)
  }
  return yield* closeGenericTileSteps(access, bytes, version)
}

/**
 * Stores a structure in a file whose name no other writer uses. The file is created whole or not at all. If a file of
 * that name exists, an earlier attempt created it and its response was lost.
 */
export const createStructure = <A>(
  access: TileAccess,
  uri: string,
  field: Field<A>,
  value: A,
  version: number,
): Effect.Effect<void, StoreError, Storage> =>
  Effect.flatMap(
    Storage,
    (storage) =>
      Effect.flatMap(
        attemptTileSteps(() => fileOf(access, uri, field, value, version)),
        (bytes) => createUnique(storage, uri, bytes),
      ),
  )

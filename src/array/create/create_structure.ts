/**
 * Structures into files: a generic tile each, in a file that nobody wrote before.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../../platform/errors.ts"
import { createUnique, Storage } from "../../../platform/storage/service.ts"
import { asFormatError, encodeSteps, type Field } from "../../../schema/binary/mod.ts"
import type { Steps } from "../../kernel/steps.ts"
import { attemptTileSteps, type TileError } from "../../tile/attempt.ts"
import { closeGenericTileSteps, type TileAccess } from "../../tile/generic_tile.ts"

/** What writing a structure can fail with; `FormatError` where the version cannot hold it. */
export type StoreError = StorageError | TileError

/** The bytes of a structure's file, by a format version. */
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
 * Writes a structure of a format version to a file whose name nobody else chooses: it is there whole, or not at all. A file
 * that is there already is ours, of an attempt whose answer was lost.
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

/**
 * The schema that an array has by now, without its fragments: what changes of the array start from.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import type { Storage } from "../../platform/storage.ts"
import type { ArraySchema } from "../../schema/array_schema.ts"
import type { TimestampedName } from "../../schema/name/timestamped_name.ts"
import type { TileError } from "../tile/attempt.ts"
import { isArray, schemaAt, schemaFiles } from "./directory.ts"
import type { ArrayNotFound } from "./errors.ts"
import { listSchemas } from "./listing.ts"
import { accessOf, noArray } from "./open.ts"
import { loadSchema } from "./schemas.ts"

/** An array by its newest schema. */
export interface LatestSchema {
  readonly uri: string
  readonly schema: ArraySchema
  /** The name of the schema's file. */
  readonly name: TimestampedName
  readonly key: Uint8Array | undefined
  readonly verifyChecksums: boolean
}

/** What loading the newest schema can fail with. */
export type LatestSchemaError = ArrayNotFound | NotFound | StorageError | TileError

/** Loads the newest schema of the array at `uri`: two listings and a read. */
export const loadLatestSchema = (
  uri: string,
  key: Uint8Array | undefined,
): Effect.Effect<LatestSchema, LatestSchemaError, Storage | Codecs> =>
  Effect.gen(function* () {
    const listing = yield* listSchemas(uri)
    const file = isArray(listing) ? schemaAt(schemaFiles(listing), Infinity) : undefined
    if (file === undefined) return yield* Effect.fail(noArray(listing))
    const access = yield* accessOf({ key, verifyChecksums: true })
    const schema = yield* loadSchema(access, file.uri)
    return { uri, schema, name: file.name, key, verifyChecksums: true }
  })

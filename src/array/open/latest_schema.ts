/**
 * Loads the newest schema of an array without its fragments: the starting point of changes.
 */
import * as Effect from "effect/Effect"
import type { EncryptionKey } from "../../../platform/keys.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"
import { type CacheSpace, makeBoundedCache } from "../../kernel/bounded_cache.ts"
import type { TileError } from "../../tile/attempt.ts"
import { isArray, type NamedFile, schemaAt, schemaFiles } from "./directory.ts"
import type { ArrayNotFound } from "./errors.ts"
import { listSchemas, type SchemaListing } from "./listing.ts"
import { accessOf, noArray } from "./open.ts"
import { loadSchema } from "./schemas.ts"

/** An array with its newest schema. */
export interface LatestSchema {
  readonly uri: string
  readonly schema: ArraySchema
  /** Name of the schema file. */
  readonly name: TimestampedName
  /** Files of the earlier schemas. */
  readonly earlier: ReadonlyArray<NamedFile>
  /** Names of the files in the array's own folder. */
  readonly rootFiles: ReadonlyArray<string>
  /** Format version of the oldest fragment in the array's own folder, which contains all fragments up to format 11. */
  readonly oldestFragment: number | undefined
  readonly key: EncryptionKey | undefined
  readonly verifyChecksums: boolean
  /** Cache of the loaded enumerations. */
  readonly schemaCache: CacheSpace
}

/** Errors of loading the newest schema. */
export type LatestSchemaError = ArrayNotFound | NotFound | StorageError | TileError

/** Returns the format version of the oldest fragment. Before format 5, fragment names do not contain the version. */
const oldestOf = ({ root }: SchemaListing): number | undefined => {
  const versions = root.flatMap(({ name, kind }) => kind === "folder" ? parseName(name)?.version ?? [] : [])
  return versions.length === 0 ? undefined : Math.min(...versions.map((version) => version || Since.footer))
}

/** Loads the newest schema of the array at `uri`. Takes two listings and a read. */
export const loadLatestSchema = (
  uri: string,
  key: EncryptionKey | undefined,
): Effect.Effect<LatestSchema, LatestSchemaError, Storage | Codecs> =>
  Effect.gen(function* () {
    const listing = yield* listSchemas(uri)
    const files = schemaFiles(listing)
    const file = isArray(listing) ? schemaAt(files, Infinity) : undefined
    if (file === undefined) return yield* Effect.fail(noArray(listing))
    const access = yield* accessOf({ key, verifyChecksums: true })
    const schema = yield* loadSchema(access, file.uri)
    return {
      uri,
      schema,
      name: file.name,
      earlier: files.filter((other) => other !== file),
      rootFiles: listing.root.filter((entry) => entry.kind === "file").map((entry) => entry.name),
      oldestFragment: oldestOf(listing),
      key,
      verifyChecksums: true,
      schemaCache: makeBoundedCache().makeSpace(),
    }
  })

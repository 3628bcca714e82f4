/**
 * Loads the schemas of an array. Each file is read once, however many fragments use it.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { type ArraySchema, decodeArraySchema } from "../../../schema/array/array_schema.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { ARRAY_SCHEMA_FILE, SCHEMA_FOLDER } from "../../../schema/name/array_paths.ts"
import type { Schemas } from "../../fragment/load/load_fragment.ts"
import { attemptTile, type TileError } from "../../tile/attempt.ts"
import { openGenericTile, type TileAccess } from "../../tile/generic_tile.ts"
import { checkSchema } from "./check_schema.ts"
import type { Directory } from "./directory.ts"

/** Errors of loading a schema. */
export type LoadSchemaError = NotFound | StorageError | TileError

/** Reads one schema file. */
export const loadSchema = (access: TileAccess, uri: string): Effect.Effect<ArraySchema, LoadSchemaError, Storage> =>
  Effect.flatMap(
    Storage,
    (storage) =>
      Effect.flatMap(
        storage.read(uri),
        (file) => attemptTile(() => checkSchema(decodeArraySchema(openGenericTile(access, uri, file).bytes, uri), uri)),
      ),
  )

/** Returns a loader for the schemas of a directory, by file name. The schemas in `known` are not read. */
export const makeSchemas = (
  access: TileAccess,
  directory: Directory,
  cache: ReadonlyMap<string, ArraySchema> = new Map(),
): Schemas<LoadSchemaError, Storage> => {
  const there = new Map(cache)
  /** One lock for each schema, so that concurrent callers do not load it again. */
  const locks = new Map<string, Effect.Semaphore>()
  const lockOf = (name: string): Effect.Semaphore => {
    const existing = locks.get(name)
    if (existing !== undefined) return existing
    const lock = Effect.unsafeMakeSemaphore(1)
    locks.set(name, lock)
    return lock
  }
  const load = (name: string): Effect.Effect<ArraySchema, LoadSchemaError, Storage> => {
    const arraySchema = there.get(name)
    if (arraySchema !== undefined) return Effect.succeed(arraySchema)
    const requested = name === "" ? ARRAY_SCHEMA_FILE : name
    const file = directory.schemas.find((s) => s.name.name === requested)
    if (file === undefined) {
      const reason = `a fragment was written with the schema ${requested}, which is missing`
      return Effect.fail(
        new FormatError({ uri: directory.uri, path: SCHEMA_FOLDER, offset: 0, version: 0, detail: reason }),
      )
    }
    return Effect.map(loadSchema(access, file.uri), (schema) => {
      there.set(requested, schema)
      // fragments written before format 10 use the empty name
      if (requested === ARRAY_SCHEMA_FILE) there.set("", schema)
      return schema
    })
  }
  return {
    known: there,
    load: (name) => Effect.suspend(() => lockOf(name).withPermits(1)(Effect.suspend(() => load(name)))),
  }
}

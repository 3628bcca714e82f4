/**
 * Stores schemas: first the files of new enumerations, then the file of the schema, which makes the change visible.
 * Format: `array_schema.md`, `enumeration.md`.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../../platform/storage/service.ts"
import { ArraySchema } from "../../../schema/array/array_schema.ts"
import { Enumeration } from "../../../schema/array/enumeration.ts"
import { arrayFolders, enumerationPath, SCHEMA_FOLDER, schemaPath } from "../../../schema/name/array_paths.ts"
import { Since } from "../../../schema/version/version.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { removeOnFailure } from "./created_files.ts"
import { createStructure, type StoreError } from "./create_structure.ts"
import { join } from "../open/listing.ts"
import { type NameTime, newName, newUuid } from "./fragment_name.ts"

/** Returns a new name for the file of an enumeration. */
export const newEnumerationName: Effect.Effect<string> = Effect.map(newUuid, (uuid) => `__${uuid}_0`)

/**
 * Returns a new name for the file of a schema of a format version. Before format 10 an array has one schema with a
 * fixed name.
 */
export const newSchemaName = (version: number, time?: NameTime): Effect.Effect<string> =>
  version < Since.schemaFolder ? Effect.succeed("") : newName(time)

/** Returns the folders of schemas in an array of a format version. */
const schemaFolders = (version: number): ReadonlyArray<string> =>
  arrayFolders(version).filter((folder) => folder.startsWith(SCHEMA_FOLDER))

/**
 * Stores a schema, encoded in its own format version, in the array at `uri` under a name of {@link newSchemaName}.
 * Stores the enumerations that do not exist yet before it. The array does not change until the schema's file exists. If
 * the call fails, the files that it created are removed, the schema first. A schema whose name is not unique is not
 * removed: another program may have created it.
 */
export const storeSchema = (
  access: TileAccess,
  uri: string,
  name: string,
  schema: ArraySchema,
  enumerations: ReadonlyArray<Enumeration>,
): Effect.Effect<void, StoreError, Storage> =>
  Effect.gen(function* () {
    const { version } = schema
    const storage = yield* Storage
    for (const folder of schemaFolders(version)) yield* storage.createFolder(join(uri, folder))
    for (const enumeration of enumerations) {
      const file = join(uri, enumerationPath(enumeration.fileName))
      yield* createStructure(access, file, Enumeration, enumeration, version)
    }
    yield* createStructure(access, join(uri, schemaPath(name)), ArraySchema, schema, version)
  }).pipe(removeOnFailure)

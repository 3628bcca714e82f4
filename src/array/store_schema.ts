/**
 * Schemas into an array: the files of new enumerations, then that of the schema, which is what counts.
 * Format: `array_schema.md`, `enumeration.md`.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../platform/storage.ts"
import { ArraySchema } from "../../schema/array_schema.ts"
import { Enumeration } from "../../schema/enumeration.ts"
import { enumerationPath, ENUMERATIONS_FOLDER, schemaPath } from "../../schema/name/array_paths.ts"
import { Since } from "../../schema/version.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { createStructure, type StoreError } from "./create_structure.ts"
import { join } from "./listing.ts"
import { type NameTime, newName, newUuid } from "./new_name.ts"

/** A new name for the file of an enumeration. */
export const newEnumerationName: Effect.Effect<string> = Effect.map(newUuid, (uuid) => `__${uuid}_0`)

/** A new name for the file of a schema of a format version; before format 10 there is one schema, with one name. */
export const newSchemaName = (version: number, time?: NameTime): Effect.Effect<string> =>
  version < Since.schemaFolder ? Effect.succeed("") : newName(time)

/**
 * Writes a schema by its own version into the array at `uri`, under a name of {@link newSchemaName}; first the enumerations
 * that are not there yet. The array is as before until the schema's file is there; if that does not come, what was written
 * is removed, but for a schema whose name others may have used too.
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
    const files: Array<string> = []
    const storing = Effect.gen(function* () {
      if (version >= Since.enumerations) yield* storage.createFolder(join(uri, ENUMERATIONS_FOLDER))
      for (const enumeration of enumerations) {
        const file = join(uri, enumerationPath(enumeration.fileName))
        files.unshift(file)
        yield* createStructure(access, file, Enumeration, enumeration, version)
      }
      const file = join(uri, schemaPath(name))
      if (name !== "") files.unshift(file)
      yield* createStructure(access, file, ArraySchema, schema, version)
    })
    // the last one first: a schema that may be there after all goes before what it names, or nothing goes
    const cleaning = Effect.forEach(files, (file) => storage.remove(file), { discard: true })
    yield* Effect.onExit(storing, (exit) => exit._tag === "Success" ? Effect.void : Effect.ignore(cleaning))
  })

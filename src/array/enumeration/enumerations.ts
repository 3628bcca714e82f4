/**
 * Enumerations: the values that the codes of enumerated attributes represent. Format: `enumeration.md`.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import { decodeSteps } from "../../../schema/binary/mod.ts"
import { Enumeration } from "../../../schema/array/enumeration.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { enumerationPath, SCHEMA_FOLDER } from "../../../schema/name/array_paths.ts"
import { checkInnerPath } from "../../../schema/name/inner_path.ts"
import { cacheKind } from "../../kernel/bounded_cache.ts"
import { attemptFormat, attemptTileSteps, type TileError } from "../../tile/attempt.ts"
import { openGenericTileSteps, type TileAccess } from "../../tile/generic_tile.ts"
import { join } from "../open/listing.ts"
import { accessOf, type OpenedArray } from "../open/open.ts"

/** Errors of loading enumerations. */
export type EnumerationError = NotFound | StorageError | TileError

/** The properties of an open array that locate and decode its enumerations. */
export type Enumerated = Pick<OpenedArray, "uri" | "schema" | "key" | "verifyChecksums" | "schemaCache">

/** Enumerations by file name. These files never change. */
const ENUMERATION = cacheKind<Enumeration>("enumeration")

const loadEnumeration = (
  access: TileAccess,
  array: Enumerated,
  name: string,
  fileName: string,
): Effect.Effect<Enumeration, EnumerationError, Storage> =>
  Effect.gen(function* () {
    const before = array.schemaCache.get(ENUMERATION, fileName)
    if (before?.name === name) return before
    const storage = yield* Storage
    // the schema was validated when it was loaded, but check that the name does not lead out of the array
    const place = { uri: join(array.uri, SCHEMA_FOLDER), path: "enumerations.fileName", version: array.schema.version }
    const uri = join(array.uri, enumerationPath(yield* attemptFormat(() => checkInnerPath(fileName, place, "file"))))
    const fail = (reason: string) =>
      Effect.fail(new FormatError({ uri, path: "name", offset: 0, version: array.schema.version, detail: reason }))
    const file = yield* Effect.catchTag(
      storage.read(uri),
      "NotFound",
      () => fail(`the schema has an enumeration ${JSON.stringify(name)} in this file, which is missing`),
    )
    return yield* attemptTileSteps(function* () {
      const tile = yield* openGenericTileSteps(access, uri, file)
      const enumeration = yield* decodeSteps(Enumeration, tile.bytes, tile.version, uri)
      if (enumeration.name === name) {
        const bytes = enumeration.data.byteLength + (enumeration.offsets?.byteLength ?? 0)
        array.schemaCache.set(ENUMERATION, fileName, enumeration, bytes)
        return enumeration
      }
      throw new FormatError({
        uri,
        path: "name",
        offset: 0,
        version: tile.version,
        detail: `it is the enumeration ${JSON.stringify(enumeration.name)}, the schema says ${JSON.stringify(name)}`,
      })
    })
  })

/**
 * Loads enumerations of an open array in schema order: all, or those with the given names. Reads each enumeration once.
 */
export const loadEnumerations = (
  array: Enumerated,
  names?: Iterable<string>,
): Effect.Effect<ReadonlyArray<Enumeration>, EnumerationError, Storage | Codecs> =>
  withTurns(Effect.gen(function* () {
    const access = yield* accessOf(array)
    const requested = names === undefined ? undefined : new Set(names)
    const list = array.schema.enumerations.filter((e) => requested === undefined || requested.has(e.name))
    return yield* Effect.forEach(list, (e) => loadEnumeration(access, array, e.name, e.fileName), { concurrency: 8 })
  }))

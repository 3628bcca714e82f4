/**
 * Making arrays: folders, then the files of the schema, of which the last one makes it an array.
 * Format: `array_file_hierarchy.md`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import { AlreadyExists } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage.ts"
import {
  ArraySchema as SchemaCodec,
  type ArraySchema as Structure,
  decodeArraySchema,
} from "../../schema/array_schema.ts"
import { encode } from "../../schema/binary/mod.ts"
import { ARRAY_SCHEMA_FILE, arrayFolders, GROUP_FILE, LOCK_FILE } from "../../schema/name/array_paths.ts"
import { CURRENT_VERSION, Since } from "../../schema/version.ts"
import { checkSchemaRules } from "./builder/check_rules.ts"
import type { ArraySchema } from "./builder/schema_value.ts"
import { attemptSchema, type SchemaError } from "./builder/schema_error.ts"
import { enumerationsOf, toStructure } from "./builder/structure.ts"
import { type ChangeOptions, changingOf } from "./change_options.ts"
import { checkFormatVersion, formatVersionRefusal } from "./check_format_version.ts"
import { InvalidOption } from "./errors.ts"
import { handleOf, type TileArray } from "./handle.ts"
import { labelSchema } from "./label_array.ts"
import { join, listSchemas, type SchemaListing } from "./listing.ts"
import { accessOf } from "./open.ts"
import { newEnumerationName, newSchemaName, storeSchema } from "./store_schema.ts"
import type { StoreError } from "./create_structure.ts"

/** How to make an array. */
export interface CreateOptions extends ChangeOptions {
  /**
   * The format version, from 3 on. Default: 22, which engines since 2.25 read; older engines read arrays of the formats of
   * their age. No released engine reads 23.
   */
  readonly formatVersion?: number
}

/** What making an array can fail with. */
export type CreateError = InvalidOption | SchemaError | AlreadyExists | StoreError

type Needs = Storage | Codecs

/** The schema with a file for each of its enumerations: none shares the file of another array. */
const withNewFiles = (schema: ArraySchema): Effect.Effect<ArraySchema> =>
  Effect.map(
    Effect.forEach(
      Object.entries(schema.enumerations),
      ([name, values]) => Effect.map(newEnumerationName, (fileName) => [name, { ...values, fileName }] as const),
    ),
    (enumerations) => ({ ...schema, enumerations: Object.fromEntries(enumerations) }),
  )

/** Whether there is a schema: folders without one are what the making of an array leaves that was killed. */
const hasSchema = ({ root, schemas }: SchemaListing): boolean =>
  root.some((entry) => entry.name === ARRAY_SCHEMA_FILE) || schemas.some((entry) => entry.kind === "file")

/** Writes what makes a folder an array; what was begun is removed if it does not come to that. */
const store = (
  uri: string,
  wasEmpty: boolean,
  { version }: Structure,
  write: Effect.Effect<void, CreateError, Needs>,
): Effect.Effect<void, CreateError, Needs> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const making = Effect.gen(function* () {
      yield* storage.createFolder(uri)
      for (const folder of arrayFolders(version)) yield* storage.createFolder(join(uri, folder))
      // engines of that age do not open an array without it
      if (version <= Since.schemaFolder) yield* storage.write(join(uri, LOCK_FILE), new Uint8Array(0))
      yield* write
    })
    const cleaning = Effect.gen(function* () {
      // somebody else may have made an array here in between
      if (wasEmpty && !hasSchema(yield* listSchemas(uri))) yield* storage.remove(uri)
    })
    yield* Effect.onExit(making, (exit) => exit._tag === "Success" ? Effect.void : Effect.ignore(cleaning))
  })

/**
 * Makes an array, and opens it: empty, and typed by its schema.
 *
 * Dimension labels get arrays of their own, in `__labels/l0` and so on, which are written as any array.
 *
 * Fails with `AlreadyExists` if there is an array or group already, with `SchemaError` if no array of that format version
 * can be so, with `InvalidOption`, and with `StorageError` or `CodecError`; nothing is left of it then. Two that make the
 * same array at the same time may both succeed, as with other engines.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Weather = ArraySchema.dense({
 *   dims: { lat: Dim.int32([1, 180], { tile: 30 }), lon: Dim.int32([1, 360], { tile: 30 }) },
 *   attrs: { temp: Attr.float32() },
 * })
 * const weather = TileArray.create("mem://weather", Weather).pipe(
 *   Effect.catchTag("AlreadyExists", () => TileArray.open("mem://weather", Weather)),
 * )
 * const { schema } = await Effect.runPromise(Effect.provide(weather, Layer.merge(layerMemory, layerNative)))
 * assertEquals([schema.version, schema.arrayType], [22, "dense"])
 * ```
 */
export const create = <S extends ArraySchema>(
  uri: string,
  schema: S,
  options: CreateOptions = {},
): Effect.Effect<TileArray<S>, CreateError, Storage | Codecs> =>
  Effect.zipRight(attemptSchema(() => checkSchemaRules(schema)), createBy(makeLabels, uri, schema, options))

/** Makes the arrays that labels lie in; of external ones they are there already. */
const makeLabels = (
  uri: string,
  schema: ArraySchema,
  options: CreateOptions,
): Effect.Effect<void, CreateError, Needs> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    for (const label of schema.dimensionLabels.filter(({ external }) => !external)) {
      const at = join(uri, label.uri)
      // what the making of an array left that was killed
      yield* storage.remove(at)
      yield* create(at, labelSchema(schema, label), options)
    }
  })

/**
 * As {@link create}, for a schema that an array has: rules that engines got since it was made are not held against it, and
 * of dimension labels the arrays are somebody else's work.
 */
export const createLike = <S extends ArraySchema>(
  uri: string,
  schema: S,
  options: CreateOptions = {},
): Effect.Effect<TileArray<S>, CreateError, Needs> => createBy(() => Effect.void, uri, schema, options)

const createBy = <S extends ArraySchema>(
  makeFirst: (uri: string, schema: S, options: CreateOptions) => Effect.Effect<void, CreateError, Needs>,
  uri: string,
  schema: S,
  options: CreateOptions,
): Effect.Effect<TileArray<S>, CreateError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri: at, time, key } = yield* changingOf(uri, options, ["formatVersion"])
    const version = options.formatVersion ?? CURRENT_VERSION
    const refused = formatVersionRefusal(version)
    if (refused !== undefined) {
      return yield* Effect.fail(new InvalidOption({ uri: at, option: "formatVersion", reason: refused }))
    }
    const named = yield* withNewFiles(schema)
    const structure = yield* attemptSchema(() => {
      const made = toStructure(named, { version })
      checkFormatVersion(made)
      // as whoever opens it sees it
      return decodeArraySchema(encode(SchemaCodec, made, version), at)
    })
    const listing = yield* listSchemas(at)
    if (hasSchema(listing) || listing.root.some((entry) => entry.name === GROUP_FILE)) {
      return yield* Effect.fail(new AlreadyExists({ uri: at }))
    }
    const verifyChecksums = true
    const access = yield* accessOf({ key, verifyChecksums })
    const name = yield* newSchemaName(version, time)
    yield* store(
      at,
      listing.root.length === 0,
      structure,
      Effect.zipRight(
        makeFirst(at, schema, { ...options, formatVersion: version }),
        storeSchema(access, at, name, structure, enumerationsOf(named)),
      ),
    )
    const end = yield* Clock.currentTimeMillis
    return handleOf({
      uri: at,
      schema: structure,
      schemaName: name === "" ? ARRAY_SCHEMA_FILE : name,
      time: { start: 0, end },
      fragments: [],
      deletes: [],
      key,
      verifyChecksums,
    }, schema)
  })

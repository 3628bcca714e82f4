/**
 * Creates arrays: first the folders, then the schema files. The last schema file makes the folder an array. Format:
 * `array_file_hierarchy.md`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { traced } from "../../../platform/observability/spans.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { AlreadyExists, invalidOption, type StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import {
  ArraySchema as SchemaCodec,
  type ArraySchema as Structure,
  decodeArraySchema,
} from "../../../schema/array/array_schema.ts"
import { encode } from "../../../schema/binary/mod.ts"
import {
  ARRAY_SCHEMA_FILE,
  arrayFolders,
  GROUP_FILE,
  LOCK_FILE,
  SCHEMA_FOLDER,
} from "../../../schema/name/array_paths.ts"
import { CURRENT_VERSION, Since } from "../../../schema/version/version.ts"
import { checkSchemaRules } from "../../schema_builder/check_rules.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import { attemptSchema, type SchemaError } from "../../schema_builder/schema_error.ts"
import { enumerationsOf, toStructure } from "../../schema_builder/structure.ts"
import { type ChangeOptions, changingOf } from "./change_options.ts"
import { checkFormatVersion, formatVersionRefusal } from "./check_format_version.ts"
import { removeOnFailure } from "./created_files.ts"
import type { InvalidOption } from "../open/errors.ts"
import { makeBoundedCache } from "../../kernel/bounded_cache.ts"
import { handleOf, type TileArray } from "../open/handle.ts"
import { labelSchema } from "./label_array.ts"
import { join, listSchemas, type SchemaListing } from "../open/listing.ts"
import { accessOf } from "../open/open.ts"
import { removeArray } from "./remove_array.ts"
import { marksIn } from "../open/unfinished.ts"
import { newEnumerationName, newSchemaName, storeSchema } from "./store_schema.ts"
import type { StoreError } from "./create_structure.ts"

/** Options of `create`. */
export interface CreateOptions extends ChangeOptions {
  /**
   * Format version, from 3 on. Default: 22, which engines from 2.25 on can read; older engines read arrays of their own
   * format. No released engine reads 23.
   */
  readonly formatVersion?: number
}

/** Errors of `create`. */
export type CreateError = InvalidOption | SchemaError | AlreadyExists | StoreError

type Needs = Storage | Codecs

/** Assigns a new file to each enumeration of the schema: arrays do not share these files. */
const withNewFiles = (schema: ArraySchema): Effect.Effect<ArraySchema> =>
  Effect.map(
    Effect.forEach(
      Object.entries(schema.enumerations),
      ([name, values]) => Effect.map(newEnumerationName, (fileName) => [name, { ...values, fileName }] as const),
    ),
    (enumerations) => ({ ...schema, enumerations: Object.fromEntries(enumerations) }),
  )

/** Returns whether a listing contains a schema. A killed creation leaves folders without a schema. */
export const hasSchema = ({ root, schemas }: SchemaListing): boolean =>
  root.some((entry) => entry.name === ARRAY_SCHEMA_FILE) || schemas.some((entry) => entry.kind === "file")

/**
 * Creates the folders of an array, except the schema folder: that folder makes its parent an array, so it is created
 * with the schema.
 */
const createFolders = (uri: string, { version }: Structure): Effect.Effect<void, StorageError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    yield* storage.createFolder(uri)
    const folders = arrayFolders(version).filter((folder) => !folder.startsWith(SCHEMA_FOLDER))
    for (const folder of folders) yield* storage.createFolder(join(uri, folder))
    // engines of these formats do not open an array without the lock file
    if (version > Since.schemaFolder) return
    const exists = (yield* storage.list(uri)).some(({ name }) => name === LOCK_FILE)
    if (exists) return
    const lock = join(uri, LOCK_FILE)
    yield* storage.create(lock, new Uint8Array(0)).pipe(
      Effect.catchTag("AlreadyExists", () => Effect.void),
      // remove the file on failure, since it may exist if the response was lost; it did not exist before
      Effect.tapError(() => Effect.ignore(storage.remove(lock))),
    )
  })

/**
 * Creates an array and opens it: empty, and typed by its schema. An open array is an immutable snapshot: it can be
 * written to, but it does not contain these writes. `TileArray.reopen` returns a new snapshot that contains them, and
 * takes three listings and the reads of new files.
 *
 * Dimension labels get arrays of their own, in `__labels/l0` and so on, which are written like any array.
 *
 * Fails with `AlreadyExists` if an array or group exists at the URI, with `SchemaError` if the schema is invalid in
 * that format version, with `InvalidOption`, and with `StorageError` or `CodecError`; a failed call leaves no files
 * behind. Two concurrent calls for the same array may both succeed, as with other engines.
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
  withTurns(Effect.gen(function* () {
    yield* attemptSchema(() => checkSchemaRules(schema))
    const { array, createFolders, storeSchema } = yield* newArray(uri, schema, options)
    const listing = yield* listSchemas(array.uri)
    const has = (name: string): boolean => listing.root.some((entry) => entry.name === name)
    if (hasSchema(listing) || has(GROUP_FILE)) return yield* Effect.fail(new AlreadyExists({ uri: array.uri }))
    if (marksIn(listing.root).length > 0) {
      return yield* Effect.fail(new AlreadyExists({ uri: array.uri, ...UNFINISHED }))
    }
    const { version } = array.schema
    const labels = createLabels(array.uri, schema, { ...options, formatVersion: version })
    yield* removeOnFailure(Effect.zipRight(Effect.zipRight(createFolders, labels), storeSchema))
    return array
  })).pipe(traced("TileArray.create", uri))

/** Creates the arrays of dimension labels, except external ones, which exist already. */
const createLabels = (
  uri: string,
  schema: ArraySchema,
  options: CreateOptions,
): Effect.Effect<void, CreateError, Needs> =>
  Effect.gen(function* () {
    for (const label of schema.dimensionLabels.filter(({ external }) => !external)) {
      const at = join(uri, label.uri)
      // the array does not exist yet, so existing label arrays are the remains of a killed creation
      yield* removeArray(at)
      yield* create(at, labelSchema(schema, label), options)
    }
  })

/**
 * Creates an array with the schema of an existing array. Rules that engines introduced later do not apply, and the
 * caller creates the label arrays.
 */
export const createLike = <S extends ArraySchema>(
  uri: string,
  schema: S,
  options: CreateOptions = {},
): Effect.Effect<TileArray<S>, CreateError, Needs> =>
  Effect.flatMap(newArray(uri, schema, options), ({ array, createFolders, storeSchema }) =>
    Effect.gen(function* () {
      const listing = yield* listSchemas(array.uri)
      if (hasSchema(listing)) return yield* Effect.fail(new AlreadyExists({ uri: array.uri }))
      yield* removeOnFailure(Effect.zipRight(createFolders, storeSchema))
      return array
    }))

const UNFINISHED = { detail: "an unfinished copy or import is here", hint: { _tag: "Resume" } } as const

/** An array whose schema is final but not stored yet. Cells can be written, but the array cannot be opened. */
export interface NewArray<S extends ArraySchema> {
  readonly array: TileArray<S>
  /** Creates its folders, except that of the schema. */
  readonly createFolders: Effect.Effect<void, StorageError, Storage>
  /** Stores the schema, which makes the folder an array. */
  readonly storeSchema: Effect.Effect<void, StoreError, Storage>
}

/**
 * Prepares the schema of a new array. Writes nothing, and does not check the target. `schemaName` is the name of the
 * schema file, if it was chosen before.
 *
 * Rules that engines introduced after an existing schema was written do not apply: {@link create} checks those.
 */
export const newArray = <S extends ArraySchema>(
  uri: string,
  schema: S,
  options: CreateOptions,
  schemaName?: string,
): Effect.Effect<NewArray<S>, CreateError, Codecs> =>
  Effect.gen(function* () {
    const { uri: at, time, key } = yield* changingOf(uri, options, ["formatVersion"])
    const version = options.formatVersion ?? CURRENT_VERSION
    const refused = formatVersionRefusal(version)
    if (refused !== undefined) {
      return yield* Effect.fail(invalidOption(at, "formatVersion", refused, version))
    }
    const named = yield* withNewFiles(schema)
    const structure = yield* attemptSchema(() => {
      const made = toStructure(named, { version })
      checkFormatVersion(made)
      // returns the schema as readers decode it
      return decodeArraySchema(encode(SchemaCodec, made, version), at)
    })
    const verifyChecksums = true
    const access = yield* accessOf({ key, verifyChecksums })
    const name = schemaName ?? (yield* newSchemaName(version, time))
    const end = yield* Clock.currentTimeMillis
    const bounded = makeBoundedCache()
    const array = handleOf({
      uri: at,
      schema: structure,
      schemaName: name === "" ? ARRAY_SCHEMA_FILE : name,
      time: { start: 0, end },
      fragments: [],
      deletes: [],
      key,
      verifyChecksums,
      bounded,
      cache: bounded.makeSpace(),
      schemaCache: bounded.makeSpace(),
    }, schema)
    return {
      array,
      createFolders: createFolders(at, structure),
      storeSchema: storeSchema(access, at, name, structure, enumerationsOf(named)),
    }
  })

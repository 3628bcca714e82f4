/**
 * Copies fragments to another array of the same schema, or to a new array.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs/service.ts"
import { AlreadyExists, type NotFound, type StorageError } from "../../platform/errors.ts"
import type { EncryptionKey } from "../../platform/keys.ts"
import { traced } from "../../platform/observability/spans.ts"
import { createUnique, inFlight, listAll, Storage } from "../../platform/storage/service.ts"
import { ArraySchema } from "../../schema/array/array_schema.ts"
import { encode } from "../../schema/binary/mod.ts"
import {
  ARRAY_SCHEMA_FILE,
  arrayFolders,
  commitPath,
  ENUMERATIONS_FOLDER,
  FRAGMENTS_FOLDER,
  SCHEMA_FOLDER,
} from "../../schema/name/array_paths.ts"
import { FRAGMENT_METADATA_FILE } from "../../schema/name/data_file.ts"
import { Since } from "../../schema/version/version.ts"
import { removeOnFailure } from "../array/create/created_files.ts"
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import { join } from "../array/open/listing.ts"
import { openArray, type OpenedArray, type OpenError } from "../array/open/open.ts"
import {
  attemptOptions,
  checkFlag,
  checkKey,
  checkNameList,
  checkNames,
  checkUri,
  millis,
  refuseFor,
  type TimeInput,
} from "../array/open/open_options.ts"
import type { Fragment } from "../fragment/fragment.ts"
import { MaintenanceError } from "./directory/maintenance_error.ts"
import { openWhole } from "./fragments/run_task.ts"

/** Which fragments are copied: `fragments`, or all of a time range. Default: all. */
export interface CopyFragmentsOptions {
  /** The fragments, by name. */
  readonly fragments?: ReadonlyArray<string>
  /** Copy fragments written entirely from this time on. Default: from the beginning. */
  readonly start?: TimeInput
  /** Copy fragments written entirely up to this time. Default: all later ones. */
  readonly end?: TimeInput
  /** Whether the fragments are only listed. Default: false. */
  readonly dryRun?: boolean
  /** The key of encrypted arrays; both have the same. Default: the key of the open array. */
  readonly key?: EncryptionKey | Uint8Array
}

/** Result of copying fragments. */
export interface CopyFragmentsResult {
  /** Names of the fragments, oldest first. */
  readonly fragments: ReadonlyArray<string>
  /** Number of copied files. */
  readonly files: number
}

/** Errors of copying fragments. */
export type CopyFragmentsError = OpenError | MaintenanceError | AlreadyExists | NotFound | StorageError

const OPTIONS: ReadonlyArray<string> = ["fragments", "start", "end", "dryRun", "key"] satisfies ReadonlyArray<
  keyof CopyFragmentsOptions
>

const validated = (array: AnyTileArray | string, to: string, options: CopyFragmentsOptions) =>
  attemptOptions(() => {
    const opened = typeof array === "object" && array !== null ? openedOf(array) : undefined
    const refuse = refuseFor(opened?.uri ?? array)
    const uri = checkUri(opened?.uri ?? array, refuse)
    const target = checkUri(to, refuseFor(to))
    checkNames(options, OPTIONS, refuse)
    const { fragments, dryRun = false } = options
    checkNameList("fragments", fragments, refuse)
    checkFlag("dryRun", dryRun, refuse)
    const start = millis("start", options.start, refuse) ?? 0
    const end = millis("end", options.end, refuse) ?? Number.MAX_SAFE_INTEGER
    if (fragments !== undefined && (options.start !== undefined || options.end !== undefined)) {
      refuse("fragments", "pass either names or a time range", undefined, { reason: "Conflict" })
    }
    if (start > end) refuse("start", "it is later than end; exchange them", undefined, { reason: "Conflict" })
    return { uri, target, fragments, start, end, dryRun, key: checkKey(options.key, refuse) ?? opened?.key }
  })

type Input = Effect.Effect.Success<ReturnType<typeof validated>>

const refuse = (uri: string, reason: MaintenanceError["reason"], detail: string) =>
  Effect.fail(new MaintenanceError({ uri, reason, detail }))

/** Returns the chosen fragments of an array. Fails if a name is missing, or if deletes apply to the fragments. */
const choose = (array: OpenedArray, { fragments, start, end }: Input) =>
  Effect.gen(function* () {
    const { uri } = array
    const missing = fragments?.find((name) => array.fragments.every((fragment) => fragment.name.name !== name))
    if (missing !== undefined) {
      return yield* refuse(uri, "Missing", `the array has no visible fragment ${JSON.stringify(missing)}`)
    }
    const chosen = array.fragments.filter(({ name }) =>
      fragments === undefined ? start <= name.start && name.end <= end : fragments.includes(name.name)
    )
    const first = chosen.reduce((time, { name }) => Math.min(time, name.start), Infinity)
    if (array.deletes.some(({ time }) => time >= first)) {
      const detail = "deletes of the array apply to these fragments, and deleted cells would reappear in the copy; " +
        "consolidate with purgeDeleted first"
      return yield* refuse(uri, "LosesCells", detail)
    }
    return chosen
  })

/** Returns a text that is equal for equal schemas. Dimensions without filters have the filters of coordinates. */
const textOf = (schema: ArraySchema): string => {
  const dimensions = schema.dimensions.map((dimension) => ({
    ...dimension,
    filters: dimension.filters.filters.length === 0 ? schema.coordsFilters : dimension.filters,
  }))
  return new TextDecoder("latin1").decode(encode(ArraySchema, { ...schema, dimensions }, schema.version))
}

/** Returns the path of a fragment's folder, relative to its array. */
const folderOf = ({ name, version }: Fragment): string =>
  version >= Since.folders ? `${FRAGMENTS_FOLDER}/${name.name}` : name.name

/** Copies files below `from`; returns their number. */
const copyPaths = (from: string, to: string, paths: ReadonlyArray<string>) =>
  Effect.flatMap(Storage, (storage) =>
    Effect.as(
      Effect.forEach(paths, (path) => storage.copy(join(from, path), join(to, path)), {
        concurrency: inFlight(storage, to, 16),
        discard: true,
      }),
      paths.length,
    ))

/** Copies the files of fragments, their metadata last, and then creates their commits, oldest first. */
const copyData = (to: string, chosen: ReadonlyArray<Fragment>) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    let files = 0
    for (const fragment of chosen) {
      const paths: Array<string> = []
      yield* Stream.runForEach(listAll(storage, fragment.uri), ({ path }) => Effect.sync(() => void paths.push(path)))
      const target = join(to, folderOf(fragment))
      // before format 5 the metadata is the commit
      files += yield* copyPaths(fragment.uri, target, paths.filter((path) => path !== FRAGMENT_METADATA_FILE))
      files += yield* copyPaths(fragment.uri, target, paths.filter((path) => path === FRAGMENT_METADATA_FILE))
    }
    for (const { name, version } of chosen) {
      const commit = commitPath(version, name.name, "write")
      if (commit !== undefined) yield* createUnique(storage, join(to, commit), new Uint8Array())
    }
    return files
  })

/** Returns the schema files and enumerations that the target lacks. */
const missingSchemas = (from: string, to: string, names: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const paths: Array<string> = []
    for (const folder of [ENUMERATIONS_FOLDER, SCHEMA_FOLDER]) {
      const existing = new Set((yield* storage.list(join(to, folder))).map(({ name }) => name))
      for (const { name, kind } of yield* storage.list(join(from, folder))) {
        const isNeeded = kind === "file" && !existing.has(name) && (folder === ENUMERATIONS_FOLDER || names.has(name))
        if (isNeeded) paths.push(`${folder}/${name}`)
      }
    }
    return paths
  })

/**
 * Copies fragments to another array of the same schema, as they are: with their names and times, so that reads at any
 * time see them at the same times, and without decoding them. Fragments that another one replaces are not copied. The
 * commits are created after all data; if the call fails or is interrupted, what it copied is removed.
 *
 * Fails with `MaintenanceError`: `Mismatch` if a fragment was written with another schema than the target's, `Overlap` if
 * the target has a fragment of the same name, `LosesCells` if deletes of the source apply to the fragments, `Missing` for
 * an unknown name. Otherwise fails as `TileArray.open` does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const january = yield* TileArray.create("mem://january", Log)
 *   const all = yield* TileArray.create("mem://all", Log)
 *   yield* Sparse.write(january, { x: [1], n: [7] }, { at: 1000 })
 *   yield* Sparse.write(all, { x: [2], n: [8] }, { at: 2000 })
 *   yield* TileArray.copyFragments("mem://january", "mem://all")
 *   return (yield* Sparse.read(yield* TileArray.reopen(all))).length
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), 2)
 * ```
 */
export const copyFragments = (
  from: AnyTileArray | string,
  to: string,
  options: CopyFragmentsOptions = {},
): Effect.Effect<CopyFragmentsResult, CopyFragmentsError, Storage | Codecs> =>
  Effect.gen(function* () {
    const input = yield* validated(from, to, options)
    const { uri, target, dryRun, key } = input
    const source = yield* openWhole(uri, key)
    const into = yield* openArray(target, { end: Number.MAX_SAFE_INTEGER, ...(key === undefined ? {} : { key }) })
    const chosen = yield* choose(source, input)
    const expected = textOf(into.schema)
    const other = chosen.find(({ schema }) => textOf(schema) !== expected)
    if (other !== undefined) {
      const detail = `the fragment ${other.name.name} was written with another schema than the one of the target`
      return yield* refuse(target, "Mismatch", detail)
    }
    const storage = yield* Storage
    const existing = new Set(
      [...(yield* storage.list(target)), ...(yield* storage.list(join(target, FRAGMENTS_FOLDER)))].map(({ name }) =>
        name
      ),
    )
    const taken = chosen.find(({ name }) => existing.has(name.name))
    if (taken !== undefined) {
      return yield* refuse(target, "Overlap", `the target has a fragment ${taken.name.name}`)
    }
    const fragments = chosen.map(({ name }) => name.name)
    if (dryRun || chosen.length === 0) return { fragments, files: 0 }
    const schemas = new Set(chosen.map(({ schemaName }) => schemaName === "" ? ARRAY_SCHEMA_FILE : schemaName))
    const files = yield* removeOnFailure(Effect.gen(function* () {
      // fragments name their schema file
      const copied = yield* copyPaths(uri, target, yield* missingSchemas(uri, target, schemas))
      return copied + (yield* copyData(target, chosen))
    }))
    return { fragments, files }
  }).pipe(traced("TileArray.copyFragments", from))

/**
 * Creates an array from fragments of another one: with all its schemas and enumerations, and the chosen fragments as they
 * are. The array becomes visible at the end; if the call fails or is interrupted, what it copied is removed. Metadata is
 * not copied.
 *
 * Fails with `AlreadyExists` if something exists at the target, and with `MaintenanceError`: `LosesCells` if deletes of
 * the source apply to the fragments, `Missing` for an unknown name, `Unsupported` for arrays with dimension labels.
 * Otherwise fails as `TileArray.open` does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const log = yield* TileArray.create("mem://log", Log)
 *   yield* Sparse.write(log, { x: [1], n: [7] }, { at: 1000 })
 *   yield* Sparse.write(log, { x: [2], n: [8] }, { at: 2000 })
 *   yield* TileArray.createFromFragments("mem://log", "mem://first", { end: 1500 })
 *   return (yield* Sparse.read(yield* TileArray.open("mem://first"))).length
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), 1)
 * ```
 */
export const createFromFragments = (
  from: AnyTileArray | string,
  to: string,
  options: CopyFragmentsOptions = {},
): Effect.Effect<CopyFragmentsResult, CopyFragmentsError, Storage | Codecs> =>
  Effect.gen(function* () {
    const input = yield* validated(from, to, options)
    const { uri, target, dryRun, key } = input
    const source = yield* openWhole(uri, key)
    const chosen = yield* choose(source, input)
    if (source.schema.dimensionLabels.length > 0) {
      return yield* refuse(uri, "Unsupported", "the array has dimension labels; copy it instead")
    }
    const storage = yield* Storage
    if ((yield* storage.list(target)).length > 0 || (yield* storage.exists(target))) {
      const detail = "the target exists"
      return yield* Effect.fail(new AlreadyExists({ uri: target, detail, hint: { _tag: "ChooseTarget" } }))
    }
    const fragments = chosen.map(({ name }) => name.name)
    if (dryRun) return { fragments, files: 0 }
    const files = yield* removeOnFailure(Effect.gen(function* () {
      const tracked = yield* Storage
      yield* tracked.createFolder(target)
      // engines expect these folders in local arrays
      yield* Effect.forEach(
        arrayFolders(source.schema.version),
        (folder) => tracked.createFolder(join(target, folder)),
        {
          discard: true,
        },
      )
      const data = yield* copyData(target, chosen)
      const inFolder = (yield* tracked.list(join(uri, SCHEMA_FOLDER))).filter(({ kind }) => kind === "file")
      const names = new Set(inFolder.map(({ name }) => name))
      const hasOldSchema = (yield* tracked.list(uri)).some(({ name }) => name === ARRAY_SCHEMA_FILE)
      // schemas last: they make the folder an array
      const schemas = [
        ...yield* missingSchemas(uri, target, names),
        ...(hasOldSchema ? [ARRAY_SCHEMA_FILE] : []),
      ]
      return data + (yield* copyPaths(uri, target, schemas))
    }))
    return { fragments, files }
  }).pipe(traced("TileArray.createFromFragments", from))

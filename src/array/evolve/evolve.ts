/**
 * Schema evolution: writes a new schema next to the existing ones, which remain valid for the fragments written with
 * them.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { traced } from "../../../platform/observability/spans.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { StorageError } from "../../../platform/errors.ts"
import { compareBytewise } from "../../../platform/storage/utf8_order.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { withTurns } from "../../../platform/host/event_loop_turns.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import type { Attribute } from "../../../schema/array/attribute.ts"
import type { ConditionNode } from "../../../schema/condition_ast.ts"
import { ARRAY_SCHEMA_FILE, arrayFolders } from "../../../schema/name/array_paths.ts"
import { formatName, parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION, NEWEST_VERSION, Since } from "../../../schema/version/version.ts"
import { attemptSchemaSteps, SchemaError } from "../../schema_builder/schema_error.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { type ChangeOptions, changingOf } from "../create/change_options.ts"
import { checkFormatVersion } from "../create/check_format_version.ts"
import type { StoreError } from "../create/create_structure.ts"
import { loadDeleteCondition } from "../open/delete_condition.ts"
import { loadDirectory, schemaAt, schemaFiles } from "../open/directory.ts"
import { loadEnumerations } from "../enumeration/enumerations.ts"
import { Conflict, InvalidOption } from "../open/errors.ts"
import {
  type EvolvedSchema,
  evolveSchemaSteps,
  isChange,
  neededEnumerations,
  remainingChangesSteps,
  type SchemaChanges,
} from "./evolve_schema.ts"
import { type AnyTileArray, openedOf } from "../open/handle.ts"
import { type LatestSchema, type LatestSchemaError, loadLatestSchema } from "../open/latest_schema.ts"
import { join, listSchemas } from "../open/listing.ts"
import { readListed } from "../open/read_listed.ts"
import { momentAfter, sleepReal, waitUntil } from "../create/write_time.ts"
import { attemptOptions, checkNames, type Refuse, refuseFor } from "../open/open_options.ts"
import { type NameTime, newUuidAfter } from "../create/fragment_name.ts"
import { accessOf } from "../open/open.ts"
import { type Claim, claimsIn, createClaim, nextClaim, plannedName, removeClaims } from "../create/schema_claim.ts"
import { loadSchema } from "../open/schemas.ts"
import { newEnumerationName, storeSchema } from "../create/store_schema.ts"

/** Options of `evolve`. */
export interface EvolveOptions extends ChangeOptions {
  /**
   * Format version of the new schema, and therefore of later writes: 10 or later, and not below that of the array.
   * Default: 22, as in engines, or 23 if the array has format 23.
   */
  readonly formatVersion?: number
}

const CHANGES: ReadonlyArray<string> = [
  "addAttributes",
  "dropAttributes",
  "addEnumerations",
  "extendEnumerations",
  "dropEnumerations",
  "currentDomain",
] satisfies ReadonlyArray<keyof SchemaChanges>

/** Rejects unknown changes, so that they are not ignored. */
const checkChanges = (changes: SchemaChanges, refuse: Refuse): void => {
  checkNames(changes, CHANGES, refuse)
  for (const name of ["dropAttributes", "dropEnumerations"] as const) {
    if (changes[name] !== undefined && !Array.isArray(changes[name])) refuse(name, "give a list of names")
  }
}

/** Errors of `evolve`. */
export type EvolveError = InvalidOption | SchemaError | Conflict | LatestSchemaError | StoreError

/** Returns the format version of the new schema. */
const versionOf = (
  { uri, schema }: LatestSchema,
  request: number | undefined,
): Effect.Effect<number, InvalidOption> => {
  const version = request ?? Math.max(CURRENT_VERSION, schema.version)
  const min = Math.max(Since.schemaFolder, schema.version)
  if (Number.isInteger(version) && version >= min && version <= NEWEST_VERSION) return Effect.succeed(version)
  const why = schema.version < Since.schemaFolder
    ? "before 10 an array has one schema for good"
    : `the array has ${min}`
  const detail =
    `${version} is not a format version of its next schema; expected ${min} to ${NEWEST_VERSION}, since ${why}`
  return Effect.fail(new InvalidOption({ uri, option: "formatVersion", reason: "Conflict", detail }))
}

/**
 * Checks that old fragments stay readable. Engines up to 2.30 locate the footers of old fragments by the array's
 * current number of attributes, and cannot open an array whose number of attributes has changed, even if they changed
 * it themselves.
 */
const checkOldFragments = (latest: LatestSchema, evolved: ArraySchema): Effect.Effect<void, SchemaError> => {
  const { oldestFragment, schema } = latest
  if (oldestFragment === undefined || oldestFragment >= Since.schemaFolder) return Effect.void
  const [before, after] = [schema.attributes.length, evolved.attributes.length]
  if (before === after) return Effect.void
  const field = after > before ? "addAttributes" : "dropAttributes"
  const detail = `the array has fragments of format version ${oldestFragment}, and with another number of attributes ` +
    `engines could not open it any more; copy it into a new array, or consolidate and vacuum it first`
  return Effect.fail(new SchemaError({ field, reason: "Unsupported", detail }))
}

/** Returns whether engines decode the cells of two attributes in the same way. */
const sameCells = (a: Attribute, b: Attribute): boolean =>
  a.type === b.type && a.cellValNum === b.cellValNum && a.nullable === b.nullable &&
  JSON.stringify(a.filters) === JSON.stringify(b.filters)

/**
 * Checks attributes that are added again. They make the cells visible that old fragments store under that name, and
 * engines decode these cells with the new attribute's type and filters. So the attribute must have its former type and
 * filters.
 */
const checkFormerAttributes = (
  access: TileAccess,
  latest: LatestSchema,
  evolved: ArraySchema,
): Effect.Effect<void, SchemaError | LatestSchemaError, Storage> =>
  Effect.gen(function* () {
    const added = evolved.attributes.filter(({ name }) => !latest.schema.attributes.some((a) => a.name === name))
    if (added.length === 0) return
    const load = ({ uri }: { readonly uri: string }) => loadSchema(access, uri)
    for (const { attributes } of yield* Effect.forEach(latest.earlier, load, { concurrency: 8 })) {
      for (const attribute of added) {
        const { name } = attribute
        const former = attributes.find((a) => a.name === name)
        if (former === undefined || sameCells(former, attribute)) continue
        const detail =
          "the array had another attribute of this name, and engines would read its cells as cells of the new one; " +
          "use another name, or the former datatype, number of values, nullability and filters"
        return yield* Effect.fail(new SchemaError({ field: name, reason: "InUse", detail }))
      }
    }
  })

/** Returns the fields that a delete condition uses. */
const namesIn = (node: ConditionNode): ReadonlyArray<string> =>
  node.kind === "value" ? [node.field] : node.children.flatMap(namesIn)

/** Checks that no delete condition uses a dropped attribute: no engine can read such an array. */
const checkDeletes = (
  access: TileAccess,
  { uri, schema }: LatestSchema,
  evolved: ArraySchema,
): Effect.Effect<void, SchemaError | LatestSchemaError, Storage> =>
  Effect.gen(function* () {
    const dropped = schema.attributes.filter(({ name }) => !evolved.attributes.some((a) => a.name === name))
    if (dropped.length === 0 || schema.arrayType === "dense") return
    const { deletes } = yield* readListed(uri, loadDirectory)
    for (const { condition } of yield* Effect.forEach(deletes, (entry) => loadDeleteCondition(access, entry))) {
      const names = namesIn(condition)
      const looked = dropped.find(({ name }) => names.includes(name))
      if (looked === undefined) continue
      const detail =
        "a delete condition uses this attribute, and without it no engine could read the array any more; " +
        "copy the array into a new one, and drop it there"
      return yield* Effect.fail(new SchemaError({ field: looked.name, reason: "InUse", detail }))
    }
  })

/**
 * Returns the name of the next schema. Schemas are ordered by the bytes of their names, so it must follow the newest
 * existing one; otherwise the change would have no effect.
 */
const nextName = (
  uri: string,
  newest: TimestampedName,
  at: NameTime | undefined,
): Effect.Effect<string, InvalidOption> =>
  Effect.gen(function* () {
    const first = newest.name === ARRAY_SCHEMA_FILE
    // the digits are chosen below, so that they follow those of the newest schema
    const [time] = at ?? (yield* momentAfter(uri, first ? undefined : { end: newest.end, isShared: true }))
    const same = !first && time === newest.start && time === newest.end
    const name = formatName(time, time, yield* newUuidAfter(same ? newest.uuid : ""))
    if (at === undefined) yield* waitUntil([time, time])
    if (first || compareBytewise(newest.name, name) < 0) return name
    const detail = time < newest.end
      ? `the newest schema has the time ${newest.end} and would hide one of time ${time}; pass a later time`
      : `a schema of time ${time} sorts before the newest one, of time ${newest.end}, since engines compare names as text; pass a time with more digits`
    return yield* Effect.fail(new InvalidOption({ uri, option: "at", reason: "Conflict", detail }))
  })

/** A schema that is ready to be written. */
interface Prepared extends EvolvedSchema {
  readonly version: number
  readonly access: TileAccess
}

/** The requested change of an array's schema. */
interface EvolveRequest {
  readonly changes: SchemaChanges
  readonly formatVersion: number | undefined
  readonly isNeeded: (schema: LatestSchema, version: number) => boolean
}

/** Returns the changed schema; `undefined` if nothing changes. */
const prepare = (
  latest: LatestSchema,
  { changes, formatVersion, isNeeded }: EvolveRequest,
): Effect.Effect<Prepared | undefined, EvolveError, Storage | Codecs> =>
  Effect.gen(function* () {
    const version = yield* versionOf(latest, formatVersion)
    if (!isNeeded(latest, version)) return undefined
    return yield* prepareChanges(latest, changes, version, false)
  })

/**
 * Like {@link prepare}, after other changes came first: skips changes that were already made, and fails with {@link
 * Conflict} for contradictory ones.
 */
const prepareAfter = (
  latest: LatestSchema,
  { changes, formatVersion }: EvolveRequest,
): Effect.Effect<Prepared | undefined, EvolveError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri, schema } = latest
    // the format version of an array never decreases
    const version = yield* versionOf(
      latest,
      formatVersion === undefined ? undefined : Math.max(formatVersion, schema.version),
    )
    const enumerations = yield* loadEnumerations(latest, neededEnumerations(changes))
    const remaining = yield* attemptSchemaSteps(() => remainingChangesSteps(schema, changes, enumerations))
    if (!isChange(remaining) && schema.version >= version) return undefined
    return yield* prepareChanges(latest, remaining, version, true).pipe(
      Effect.catchTag("SchemaError", ({ field, detail: reason }) => {
        const why = `another change of the schema came first, and this one contradicts it: ${reason}`
        return Effect.fail(new Conflict({ uri, field, reason: "SchemaChanged", detail: why }))
      }),
    )
  })

const prepareChanges = (
  latest: LatestSchema,
  changes: SchemaChanges,
  version: number,
  merge: boolean,
): Effect.Effect<Prepared, EvolveError, Storage | Codecs> =>
  Effect.gen(function* () {
    const enumerations = yield* loadEnumerations(latest, neededEnumerations(changes))
    const request = [...Object.keys(changes.addEnumerations ?? {}), ...Object.keys(changes.extendEnumerations ?? {})]
    const files = new Map(
      yield* Effect.forEach(request, (name) => Effect.map(newEnumerationName, (file) => [name, file] as const)),
    )
    const evolved = yield* attemptSchemaSteps(function* () {
      const made = yield* evolveSchemaSteps(latest.schema, changes, version, enumerations, (name) =>
        files.get(name)!, merge)
      checkFormatVersion(made.schema)
      return made
    })
    yield* checkOldFragments(latest, evolved.schema)
    const access = yield* accessOf(latest)
    yield* checkFormerAttributes(access, latest, evolved.schema)
    yield* checkDeletes(access, latest, evolved.schema)
    return { ...evolved, version, access }
  })

/** The schema that a change has stored. */
interface StoredSchema {
  /** Name of the newest schema of this change. */
  readonly name: string
  /** Names of all schemas that existed before it was stored. */
  readonly known: ReadonlySet<string>
}

/**
 * Returns the schema to which a change is applied: the newest one. If this change stored the newest schema, returns the
 * concurrent schema that it hides (of an engine, which does not wait); `undefined` if it hides none.
 */
const startFrom = (
  latest: LatestSchema,
  published: StoredSchema | undefined,
): Effect.Effect<LatestSchema | undefined, LatestSchemaError, Storage | Codecs> =>
  Effect.gen(function* () {
    if (published === undefined || latest.name.name !== published.name) return latest
    const hidden = latest.earlier.findLast(({ name }) => !published.known.has(name.name))
    if (hidden === undefined) return undefined
    const schema = yield* loadSchema(yield* accessOf(latest), hidden.uri)
    return { ...latest, schema, earlier: latest.earlier.filter((file) => file !== hidden) }
  })

/** Milliseconds between two checks of other processes' claims. */
const CHECK_INTERVAL = 5

/** A claim is taken over if it has not changed for this many milliseconds or this many checks, whichever is longer. */
const MIN_TAKEOVER_TIME = 500
const MIN_TAKEOVER_CHECKS = 30

/**
 * Result of an attempt: nothing was stored; or the array has the schema of this change, alone or beside concurrent
 * ones.
 */
type Attempt = { readonly _tag: "again" } | { readonly _tag: "done" } | ({ readonly _tag: "beside" } & StoredSchema)

/** Lists the schemas and claims of an array. */
const listState = (uri: string) =>
  Effect.map(listSchemas(uri), (listing) => {
    const files = schemaFiles(listing)
    return {
      names: new Set(files.map(({ name }) => name.name)),
      newest: schemaAt(files, Infinity)?.name.name,
      claims: claimsIn(listing.root.map(({ name }) => name)),
    }
  })

/**
 * Creates a claim and stores a schema, unless another process was faster. `stale` are the claims that are taken over.
 */
const attemptStore = (
  latest: LatestSchema,
  { schema, enumerations, version, access }: Prepared,
  name: string,
  stale: ReadonlyArray<Claim>,
): Effect.Effect<Attempt, StoreError, Storage> => {
  const { uri } = latest
  const claim = nextClaim(latest.name.name, stale)
  const isLater = (other: Claim): boolean => other.base === claim.base && other.generation > claim.generation
  // the owner of a claim to an older schema may have stored the current one and still be running
  const isBlocking = (other: Claim): boolean =>
    isLater(other) || (other.base !== claim.base && stale.every(({ file }) => file !== other.file))
  return Effect.acquireUseRelease(
    createClaim(uri, claim, name),
    (isOurs): Effect.Effect<Attempt, StoreError, Storage> =>
      Effect.gen(function* () {
        if (!isOurs) return { _tag: "again" }
        const before = yield* listState(uri)
        if (before.newest !== claim.base || before.claims.some(isBlocking)) return { _tag: "again" }
        if (latest.schema.version < version) {
          const storage = yield* Storage
          for (const folder of arrayFolders(version)) yield* storage.createFolder(join(uri, folder))
        }
        yield* storeSchema(access, uri, name, schema, enumerations)
        const after = yield* listState(uri)
        const isAlone = [...after.names].every((item) => item === name || before.names.has(item))
        if (!isAlone || after.claims.some(isLater)) return { _tag: "beside", name, known: before.names }
        yield* removeClaims(uri, stale)
        return { _tag: "done" }
      }),
    (isOurs) => isOurs ? removeClaims(uri, [claim]) : Effect.void,
  )
}

/**
 * Returns the last of the newest schema's name and of the names under which owners of claims may still store a schema.
 */
const newestPlanned = (
  { uri, name }: LatestSchema,
  claims: ReadonlyArray<Claim>,
): Effect.Effect<TimestampedName, StorageError, Storage> =>
  Effect.map(Effect.forEach(claims, (claim) => plannedName(uri, claim)), (planned) =>
    planned.reduce((newest, name) => {
      const parsed = name === undefined ? undefined : parseName(name)
      return parsed !== undefined && compareBytewise(newest.name, parsed.name) < 0 ? parsed : newest
    }, name))

const evolveTo = (
  array: AnyTileArray | string,
  changes: SchemaChanges,
  options: EvolveOptions,
  isNeeded: (schema: LatestSchema, version: number) => boolean,
): Effect.Effect<void, EvolveError, Storage | Codecs> =>
  withTurns(Effect.gen(function* () {
    const opened = typeof array === "string" ? array : openedOf(array)
    const { uri, time, key } = yield* changingOf(opened, options, ["formatVersion"])
    const evolveRequest: EvolveRequest = { changes, formatVersion: options.formatVersion, isNeeded }
    const first = yield* loadLatestSchema(uri, key)
    const firstPrepared = yield* prepare(first, evolveRequest)
    if (firstPrepared === undefined) return

    let latest = first
    let published: StoredSchema | undefined
    let takeoverTime = MIN_TAKEOVER_TIME
    let waited = 0
    let lastState = ""
    /** pauses, and then lists again */
    const reload = Effect.gen(function* () {
      // random, so that waiting processes do not retry at the same time
      const pause = CHECK_INTERVAL * (1 + Math.random())
      yield* sleepReal(pause)
      const [duration, loaded] = yield* Effect.timed(loadLatestSchema(uri, key))
      waited += pause
      takeoverTime = Math.max(MIN_TAKEOVER_TIME, MIN_TAKEOVER_CHECKS * Duration.toMillis(duration))
      return loaded
    })
    for (;;) {
      const claims = claimsIn(latest.rootFiles)
      const state = [latest.name.name, ...claims.map(({ file }) => file)].join()
      if (state !== lastState) {
        lastState = state
        waited = 0
      }
      if (claims.length > 0 && waited < takeoverTime) {
        latest = yield* reload
        continue
      }
      // the remaining claims belong to processes that ended or are slow
      const start = yield* startFrom(latest, published)
      const prepared = latest === first
        ? firstPrepared
        : start === undefined
        ? undefined
        : yield* prepareAfter(start, evolveRequest)
      const newest = yield* newestPlanned(latest, claims)
      if (prepared === undefined && newest === latest.name) {
        // remove claims to older schemas, which have no effect
        return yield* removeClaims(uri, claims.filter(({ base }) => base !== latest.name.name))
      }
      // store again under a later name: a schema that a slow process still stores must not hide the change
      const next = prepared ?? (yield* prepareChanges(start ?? latest, {}, latest.schema.version, true))
      const name = yield* nextName(uri, newest, time)
      const turn = yield* attemptStore(latest, next, name, claims)
      if (turn._tag === "done") return
      if (turn._tag === "beside") published = turn
      latest = yield* reload
    }
  }))

/**
 * Changes the schema of an array: adds and drops attributes; adds, extends and drops enumerations; expands the current
 * domain. Existing data does not change: existing cells have the fill values of added attributes (null for nullable
 * ones), and reads at earlier times use the schema of that time. `array` is an open array or a URI; the newest schema
 * is changed, at whatever time the array was opened. Open the array again to use the new schema.
 *
 * Fails with `SchemaError`, which names the attribute or enumeration, for an invalid change. This includes dropping an
 * attribute that a delete condition uses, which would make the array unreadable for every engine. Fails with
 * `InvalidOption` for a time before the newest schema, which would hide the change; with `ArrayNotFound`,
 * `StorageError`, and `FormatError`, `CodecError`, `ChecksumMismatch` or `DecryptionFailed` for an unreadable schema.
 * After a failure the array is unchanged.
 *
 * Concurrent changes are never lost: they are applied in sequence, each to the result of the previous one. If two
 * changes expand the current domain concurrently, the result contains both domains. A change that contradicts an
 * earlier one – both add an attribute of the same name with different properties – fails with `Conflict`. Processes of
 * this library wait for each other by means of a file in the array's folder, `__tessera_evolve.….claim`, which engines
 * ignore; after a killed process, the next one waits half a second. Engines do not wait: a schema that an engine stores
 * during a change is detected afterwards, and the change is applied again on top of it. Takes two additional listings,
 * and one file that is created and removed.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const uri = "mem://weather"
 *   const schema = ArraySchema.dense({ dims: { day: Dim.int32([1, 366]) }, attrs: { temperature: Attr.float32() } })
 *   yield* TileArray.create(uri, schema)
 *   yield* TileArray.evolve(uri, {
 *     addEnumerations: { skies: ["clear", "cloudy"] },
 *     addAttributes: { sky: Attr.enumerated(Attr.uint8(), "skies") },
 *   })
 *   yield* TileArray.evolve(uri, { extendEnumerations: { skies: ["rain"] }, dropAttributes: ["temperature"] })
 *   return (yield* TileArray.open(uri)).schema.attributes.map((attribute) => attribute.name)
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), ["sky"])
 * ```
 */
export const evolve = (
  array: AnyTileArray | string,
  changes: SchemaChanges,
  options: EvolveOptions = {},
): Effect.Effect<void, EvolveError, Storage | Codecs> =>
  Effect.zipRight(
    attemptOptions(() => checkChanges(changes, refuseFor(typeof array === "string" ? array : array.uri))),
    evolveTo(array, changes, options, () => isChange(changes)),
  ).pipe(traced("TileArray.evolve", array))

/**
 * Upgrades an array to a newer format version, by default 22. Later writes use that version; existing fragments and
 * schemas do not change. Has no effect if the array has that version. Fails as {@link evolve} does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
 *   yield* TileArray.create("mem://array", schema, { formatVersion: 16 })
 *   yield* TileArray.upgrade("mem://array")
 *   assertEquals((yield* TileArray.open("mem://array")).schema.version, 22)
 * })
 * await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * ```
 */
export const upgrade = (
  array: AnyTileArray | string,
  options: EvolveOptions = {},
): Effect.Effect<void, EvolveError, Storage | Codecs> =>
  evolveTo(array, {}, options, ({ schema }, version) => schema.version < version).pipe(
    traced("TileArray.upgrade", array),
  )

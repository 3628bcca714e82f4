/**
 * Opens arrays and returns their properties.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { countFragments, traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { Enumeration } from "../../schema/array/enumeration.ts"
import type { ArraySchema } from "../schema_builder/schema_value.ts"
import { type DomainRanges, domainRanges, type FragmentInfo, fragmentInfo } from "./describe/domain_values.ts"
import { type EnumerationError, loadEnumerations } from "./enumeration/enumerations.ts"
import { describeOpenFragments, type FragmentsError } from "./describe/fragment_descriptions.ts"
import { type AnyTileArray, handleOf, openedOf, type TileArray } from "./open/handle.ts"
import { loadMetadata, type MetadataError, type MetadataItem } from "./metadata/metadata.ts"
import { nonEmptyDomain as nonEmptyDomainOf } from "./describe/non_empty_domain.ts"
import { resolveTags } from "./metadata/tag_times.ts"
import { accessOf, openArray, type OpenError, reopenArray, type ReopenOptions } from "./open/open.ts"
import { isArray } from "./open/directory.ts"
import type { InvalidOption } from "./open/errors.ts"
import { listSchemas } from "./open/listing.ts"
import { type OpenOptions, placeOf } from "./open/open_options.ts"
import type { StorageError } from "../../platform/errors.ts"
import { schemaDifferences, SchemaMismatch } from "./open/schema_mismatch.ts"

export type { ChangeOptions } from "./create/change_options.ts"
export { create, type CreateError, type CreateOptions } from "./create/create.ts"
export type { StoreError } from "./create/create_structure.ts"
export type { TimeRange } from "./open/directory.ts"
export type { MetadataEdit, MetadataEntriesInput } from "./metadata/edit_metadata.ts"
export type { EnumerationError } from "./enumeration/enumerations.ts"
export { evolve, type EvolveError, type EvolveOptions, upgrade } from "./evolve/evolve.ts"
export type { SchemaChanges } from "./evolve/evolve_schema.ts"
export type { BoundOf, CoordinateValue, DomainRanges, FragmentInfo } from "./describe/domain_values.ts"
export type { FragmentDescription } from "./describe/describe.ts"
export type { DimensionType, ValueOf } from "../schema_builder/datatype_values.ts"
export type { FragmentsError } from "./describe/fragment_descriptions.ts"
export type { AnyTileArray, TileArray } from "./open/handle.ts"
export type { LatestSchemaError } from "./open/latest_schema.ts"
export type { MetadataError, MetadataItem } from "./metadata/metadata.ts"
export type { OpenError, ReopenOptions } from "./open/open.ts"
export type { OpenOptions, TimeInput } from "./open/open_options.ts"
export { deleteMetadata, editMetadata, putMetadata, type PutMetadataError } from "./metadata/put_metadata.ts"
export type { SchemaDifference } from "./open/schema_mismatch.ts"

/** Returns whether an argument is a schema rather than options. */
const isSchema = (input: object | undefined): input is ArraySchema =>
  typeof input === "object" && input !== null && "arrayType" in input && "dims" in input && "attrs" in input

/** Adds the number of fragments of an open array to the current span. */
const countOpened = (array: AnyTileArray): Effect.Effect<void> => countFragments(openedOf(array).fragments)

/**
 * Opens an array in its current state, at a time, or over a time range.
 *
 * With a schema, its declarations are checked against the array – the array type, the dimensions in order, and for each
 * declared attribute the datatype, nullability and number of values – and TypeScript derives the columns from it.
 * Attributes that are not declared are hidden; domains, tiles, orders and filters may differ. Without a schema, columns
 * carry their types at run time.
 *
 * Takes at most four listings, a read of the schema, and one read of the end of each fragment's metadata, unless those
 * are consolidated. Fails with `ArrayNotFound` if there is no array, with `SchemaMismatch` if the array differs from
 * the schema, with `InvalidOption` before any request, with `StorageError` or `NotFound`, and with `FormatError`,
 * `CodecError`, `ChecksumMismatch` or `DecryptionFailed` for unreadable files; the `FormatError` for a later format
 * version is marked as unsupported. Format: `array_file_hierarchy.md`.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const Quakes = ArraySchema.sparse({
 *   dims: { lat: Dim.float64([-90, 90]), lon: Dim.float64([-180, 180]) },
 *   attrs: { depth: Attr.float32() },
 * })
 * const quakes = await Effect.runPromise(Effect.provide(TileArray.open("tests/support/quakes", Quakes), layerDefault))
 * assertEquals(quakes.declared.attributeNames, ["depth"])
 * assertEquals(quakes.schema.attributes.length, 4)
 * ```
 */
export function open<S extends ArraySchema>(
  uri: string,
  schema: S,
  options?: OpenOptions,
): Effect.Effect<TileArray<S>, OpenError | SchemaMismatch, Storage | Codecs>
/**
 * Opens an array without a schema: its columns carry their types at run time.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const monday = TileArray.open("tests/golden/demo/weather", { at: new Date("2024-03-04T08:00:00Z") })
 * const { schema, time } = await Effect.runPromise(Effect.provide(monday, layerDefault))
 * assertEquals([schema.arrayType, time.end], ["dense", 1709539200000])
 * ```
 */
export function open(uri: string, options?: OpenOptions): Effect.Effect<TileArray, OpenError, Storage | Codecs>
export function open(
  uri: string,
  input?: ArraySchema | OpenOptions,
  options?: OpenOptions,
): Effect.Effect<AnyTileArray, OpenError | SchemaMismatch, Storage | Codecs> {
  const openTagged = (options: OpenOptions = {}) =>
    Effect.flatMap(resolveTags(uri, options, options?.key), (resolved) => openArray(uri, resolved))
  const opening: Effect.Effect<AnyTileArray, OpenError | SchemaMismatch, Storage | Codecs> = isSchema(input)
    ? Effect.flatMap(openTagged(options), (opened) => declare(handleOf(opened), input))
    : Effect.map(openTagged(input === undefined ? options : input), (opened) => handleOf(opened))
  return opening.pipe(Effect.tap(countOpened), traced("TileArray.open", uri))
}

/**
 * Opens an array again, in its current state or at another time; a declared schema is checked again. The original
 * handle does not change. Uses the key and the schema of the first opening.
 *
 * Takes three listings and reads only new files. Fails as {@link open} does.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const before = yield* TileArray.create("mem://log", Log)
 *   yield* Sparse.write(before, { x: Uint32Array.of(1), n: Uint8Array.of(7) })
 *   const after = yield* TileArray.reopen(before)
 *   return [(yield* Sparse.read(before)).length, (yield* Sparse.read(after)).length]
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [0, 1])
 * ```
 */
export function reopen<S extends ArraySchema>(
  array: TileArray<S>,
  options?: ReopenOptions,
): Effect.Effect<TileArray<S>, OpenError | SchemaMismatch, Storage | Codecs>
/**
 * Opens an array that was opened without a schema again.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   const monday = yield* TileArray.reopen(weather, { at: new Date("2024-03-04T08:00:00Z") })
 *   return (yield* TileArray.fragments(monday)).length
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), 1)
 * ```
 */
export function reopen(
  array: TileArray,
  options?: ReopenOptions,
): Effect.Effect<TileArray, OpenError, Storage | Codecs>
export function reopen(
  array: AnyTileArray,
  options?: ReopenOptions,
): Effect.Effect<AnyTileArray, OpenError | SchemaMismatch, Storage | Codecs> {
  const opened = openedOf(array)
  return Effect.flatMap(
    Effect.flatMap(
      resolveTags(opened.uri, options === undefined ? {} : options, opened.key),
      (resolved) => reopenArray(opened, resolved),
    ),
    (opened): Effect.Effect<AnyTileArray, SchemaMismatch> =>
      array.declared === undefined ? Effect.succeed(handleOf(opened)) : declare(handleOf(opened), array.declared),
  ).pipe(Effect.tap(countOpened), traced("TileArray.reopen", array))
}

/**
 * Returns the same open array with a declared schema, which is checked as {@link open} does. Takes no request. Fails
 * with `SchemaMismatch`.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const Depths = ArraySchema.sparse({
 *   dims: { lat: Dim.float64([-90, 90]), lon: Dim.float64([-180, 180]) },
 *   attrs: { depth: Attr.float32() },
 * })
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const { columns } = yield* Sparse.read(yield* TileArray.declare(quakes, Depths), { select: ["depth"] })
 *   return columns.depth
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), Float32Array.of(33.5, 10, 29))
 * ```
 */
export const declare = <S extends ArraySchema>(
  array: AnyTileArray,
  schema: S,
): Effect.Effect<TileArray<S>, SchemaMismatch> =>
  Effect.suspend(() => {
    const differences = schemaDifferences(schema, array.schema)
    return differences.length === 0
      ? Effect.succeed(handleOf(openedOf(array), schema))
      : Effect.fail(new SchemaMismatch({ uri: array.uri, differences }))
  })

/**
 * Returns the same open array without its schema: all attributes are visible, and columns carry their types. Takes no
 * request.
 *
 * ```ts
 * import { ArraySchema, Attr, Cells, Dim, layerDefault, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const Depths = ArraySchema.sparse({
 *   dims: { lat: Dim.float64([-90, 90]), lon: Dim.float64([-180, 180]) },
 *   attrs: { depth: Attr.float32() },
 * })
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes", Depths)
 *   const { columns } = yield* Sparse.read(TileArray.undeclare(quakes), { select: ["place"] })
 *   return Cells.texts(columns.place)
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), ["Crete", "Niigata", "Tōhoku"])
 * ```
 */
export const undeclare = (array: AnyTileArray): TileArray => handleOf(openedOf(array))

/**
 * Returns the lowest and the highest coordinate of all cells of the open array, by dimension name; `undefined` if
 * nothing was written. Takes no request, since the footers contain the ranges of each fragment.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const weather = await Effect.runPromise(Effect.provide(TileArray.open("tests/golden/demo/weather"), layerDefault))
 * assertEquals(TileArray.nonEmptyDomain(weather)?.day, [57, 63])
 * ```
 */
export const nonEmptyDomain = <S extends ArraySchema | undefined>(array: TileArray<S>): DomainRanges<S> | undefined => {
  const ranges = nonEmptyDomainOf(openedOf(array))
  return ranges === undefined ? undefined : domainRanges<S>(array.schema, ranges)
}

/**
 * Returns the array's metadata over its time range, sorted by the bytes of the keys; `Metadata` converts it to values.
 * Takes a listing, and a read of each metadata file in the time range. Fails with `StorageError` or `NotFound`, and
 * with `FormatError`, `CodecError`, `ChecksumMismatch` or `DecryptionFailed` for unreadable files. Format:
 * `metadata.md`.
 *
 * ```ts
 * import { layerDefault, Metadata, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const weather = yield* TileArray.open("tests/golden/demo/weather")
 *   return Metadata.values(yield* TileArray.metadata(weather)).get("unit")
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), "°C")
 * ```
 */
export const metadata = (
  array: AnyTileArray,
): Effect.Effect<ReadonlyArray<MetadataItem>, MetadataError, Storage | Codecs> =>
  Effect.flatMap(accessOf(openedOf(array)), (access) => loadMetadata(array.uri, array.time, access)).pipe(
    traced("TileArray.metadata", array),
  )

/**
 * Returns the enumerations of the array's schema with their values: all, or those with the given names; unknown names
 * are ignored. `Cells.resolve` and rows replace codes by these values. Takes one read for each. Fails with
 * `FormatError` for missing or damaged files, with `StorageError`, `CodecError`, `ChecksumMismatch` or
 * `DecryptionFailed`. Format: `enumeration.md`.
 *
 * ```ts
 * import { Cells, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const quakes = yield* TileArray.open("tests/support/quakes")
 *   const [scales] = yield* TileArray.enumerations(quakes)
 *   return Cells.texts(Cells.enumerationColumn(scales))
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, layerDefault)), ["mw", "ml"])
 * ```
 */
export const enumerations = (
  array: AnyTileArray,
  names?: Iterable<string>,
): Effect.Effect<ReadonlyArray<Enumeration>, EnumerationError, Storage | Codecs> =>
  loadEnumerations(openedOf(array), names).pipe(traced("TileArray.enumerations", array))

/**
 * Returns the fragments that a read includes, oldest first, with their sizes and first MBRs. Takes a listing of each
 * fragment, a request for the size of each file if listings do not contain sizes (as for local files), and for sparse
 * fragments a read of the R-tree, unless it is loaded already. Fails with `NotFound` or `StorageError`, and with
 * `FormatError`, `CodecError`, `ChecksumMismatch` or `DecryptionFailed` for unreadable metadata. Format: `fragment.md`.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(TileArray.open("tests/golden/demo/weather"), TileArray.fragments)
 * const [monday, tuesday] = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals([monday.start, tuesday.start], [1709539200000, 1709625600000])
 * ```
 */
export const fragments = <S extends ArraySchema | undefined>(
  array: TileArray<S>,
): Effect.Effect<ReadonlyArray<FragmentInfo<S>>, FragmentsError, Storage | Codecs> =>
  Effect.map(
    describeOpenFragments(openedOf(array)),
    (fragments) => fragments.map((fragment) => fragmentInfo<S>(array.schema, fragment)),
  ).pipe(traced("TileArray.fragments", array))

/**
 * Returns whether there is an array at `uri`; a group is not an array. Takes two listings. Fails with `StorageError`,
 * and with `InvalidOption` for an invalid URI.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const exist = ["tests/golden/demo/weather", "tests/golden/demo"].map(TileArray.exists)
 * assertEquals(await Effect.runPromise(Effect.provide(Effect.all(exist), layerDefault)), [true, false])
 * ```
 */
export const exists = (uri: string): Effect.Effect<boolean, InvalidOption | StorageError, Storage> =>
  Effect.flatMap(placeOf(uri), listSchemas).pipe(Effect.map(isArray), traced("TileArray.exists", uri))

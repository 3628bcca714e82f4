/**
 * Arrays: open one, and ask what it is.
 *
 * ```ts
 * import { TileArray } from "@tessera/array"
 * import { layerDefault } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const array = yield* TileArray.open("tests/golden/demo/weather", { at: new Date("2024-03-04T08:00:00Z") })
 *   const metadata = yield* TileArray.metadata(array)
 *   return [array.schema.attributes.map((a) => a.name), (yield* TileArray.fragments(array)).length, metadata.length]
 * })
 * const found = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(found, [["temperature", "note"], 1, 0])
 * ```
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs.ts"
import type { Storage } from "../../platform/storage.ts"
import type { Enumeration } from "../../schema/enumeration.ts"
import type { Range } from "../../schema/range.ts"
import type { FragmentDescription } from "./describe.ts"
import { type EnumerationError, loadEnumerations } from "./enumerations.ts"
import { describeOpenFragments, type FragmentsError } from "./fragment_descriptions.ts"
import { handleOf, openedOf, type TileArray } from "./handle.ts"
import { loadMetadata, type MetadataError, type MetadataItem } from "./metadata.ts"
import { nonEmptyDomain as nonEmptyDomainOf } from "./non_empty_domain.ts"
import { accessOf, openArray, type OpenError } from "./open.ts"
import type { OpenOptions } from "./open_options.ts"

export type { TimeRange } from "./directory.ts"
export type { EnumerationError } from "./enumerations.ts"
export type { FragmentDescription } from "./describe.ts"
export type { FragmentsError } from "./fragment_descriptions.ts"
export type { TileArray } from "./handle.ts"
export type { MetadataError, MetadataItem } from "./metadata.ts"
export type { OpenError } from "./open.ts"
export type { OpenOptions } from "./open_options.ts"

/** Opens an array as it is now, at a moment, or over a range of time. */
export const open = (
  uri: string,
  options: OpenOptions = {},
): Effect.Effect<TileArray, OpenError, Storage | Codecs> => Effect.map(openArray(uri, options), handleOf)

/**
 * The smallest box that holds all cells that the open array sees: raw bounds by dimension, both inclusive. `undefined` if
 * nothing was written. Costs nothing: the footers say it.
 */
export const nonEmptyDomain = (array: TileArray): ReadonlyArray<Range> | undefined => nonEmptyDomainOf(openedOf(array))

/** The array's metadata over the range of time that it was opened for, sorted by the bytes of the keys. */
export const metadata = (
  array: TileArray,
): Effect.Effect<ReadonlyArray<MetadataItem>, MetadataError, Storage | Codecs> =>
  Effect.flatMap(accessOf(openedOf(array)), (access) => loadMetadata(array.uri, array.time, access))

/** The enumerations of the array's schema: all, or those that are named. */
export const enumerations = (
  array: TileArray,
  names?: Iterable<string>,
): Effect.Effect<ReadonlyArray<Enumeration>, EnumerationError, Storage | Codecs> =>
  loadEnumerations(openedOf(array), names)

/** The fragments that a read sees, oldest first, with their sizes and first rectangles. */
export const fragments = (
  array: TileArray,
): Effect.Effect<ReadonlyArray<FragmentDescription>, FragmentsError, Storage | Codecs> =>
  describeOpenFragments(openedOf(array))

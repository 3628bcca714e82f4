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
 *   return [array.schema.attributes.map((a) => a.name), array.fragments.length, metadata.length]
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
import type { FragmentDescription } from "./describe.ts"
import { type EnumerationError, loadEnumerations } from "./enumerations.ts"
import { describeOpenFragments, type FragmentsError } from "./fragment_descriptions.ts"
import { loadMetadata, type MetadataError, type MetadataItem } from "./metadata.ts"
import { accessOf, openArray, type OpenError, type OpenOptions, type TileArray } from "./open.ts"

export type { TimeRange } from "./directory.ts"
export type { EnumerationError } from "./enumerations.ts"
export type { FragmentDescription } from "./describe.ts"
export type { FragmentsError } from "./fragment_descriptions.ts"
export type { MetadataError, MetadataItem } from "./metadata.ts"
export { nonEmptyDomain } from "./non_empty_domain.ts"
export type { OpenError, OpenOptions, TileArray } from "./open.ts"

/** Opens an array as it is now, at a moment, or over a range of time. */
export const open: (
  uri: string,
  options?: OpenOptions,
) => Effect.Effect<TileArray, OpenError, Storage | Codecs> = openArray

/** The array's metadata over the range of time that it was opened for, sorted by the bytes of the keys. */
export const metadata = (
  array: TileArray,
): Effect.Effect<ReadonlyArray<MetadataItem>, MetadataError, Storage | Codecs> =>
  Effect.flatMap(accessOf(array), (access) => loadMetadata(array.uri, array.time, access))

/** The enumerations of the array's schema: all, or those that are named. */
export const enumerations: (
  array: TileArray,
  names?: Iterable<string>,
) => Effect.Effect<ReadonlyArray<Enumeration>, EnumerationError, Storage | Codecs> = loadEnumerations

/** The fragments that a read sees, oldest first, with their sizes and first rectangles. */
export const fragments: (
  array: TileArray,
) => Effect.Effect<ReadonlyArray<FragmentDescription>, FragmentsError, Storage | Codecs> = describeOpenFragments

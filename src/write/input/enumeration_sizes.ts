/**
 * Numbers of enumeration values, used to validate codes before they are written.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { cacheKind } from "../../kernel/bounded_cache.ts"
import { valueCount, valuesOfEnumeration } from "../../schema_builder/enumeration_values.ts"
import { type EnumerationError, loadEnumerations } from "../../array/enumeration/enumerations.ts"
import type { OpenedArray } from "../../array/open/open.ts"

/** Numbers of values of enumerations, by name. */
export type EnumerationSizes = ReadonlyMap<string, number>

const none: EnumerationSizes = new Map()
const SIZES = cacheKind<EnumerationSizes>("enumeration sizes")

/** Returns the sizes of the enumerations that an open array's attributes use. Reads each enumeration once. */
export const loadEnumerationSizes = (
  array: OpenedArray,
): Effect.Effect<EnumerationSizes, EnumerationError, Storage | Codecs> => {
  const names = new Set(array.schema.attributes.map(({ enumeration }) => enumeration).filter((name) => name !== ""))
  if (names.size === 0) return Effect.succeed(none)
  const existing = array.schemaCache.get(SIZES, array.schemaName)
  if (existing !== undefined) return Effect.succeed(existing)
  return Effect.map(loadEnumerations(array, names), (enumerations) => {
    const sizes = new Map(
      enumerations.map((enumeration) => [enumeration.name, valueCount(valuesOfEnumeration(enumeration))]),
    )
    array.schemaCache.set(SIZES, array.schemaName, sizes, 64 * sizes.size)
    return sizes
  })
}

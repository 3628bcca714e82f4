/**
 * The properties of enumerations that a write needs: numbers of values, used to validate codes, and codes of texts.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { cacheKind } from "../../kernel/bounded_cache.ts"
import { valueCount, valuesOfEnumeration } from "../../schema_builder/enumeration_values.ts"
import { type EnumerationError, loadEnumerations } from "../../array/enumeration/enumerations.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { type EnumerationTexts, enumerationTexts, enumerationTextsSize } from "./enumeration_texts.ts"

/** The properties of enumerations, by name. */
export interface WriteEnumerations {
  /** Numbers of values. */
  readonly enumerationSizes: ReadonlyMap<string, number>
  /** Codes of the values, for enumerations of text. */
  readonly enumerationTexts: ReadonlyMap<string, EnumerationTexts>
}

const none: WriteEnumerations = { enumerationSizes: new Map(), enumerationTexts: new Map() }
const ENUMERATIONS = cacheKind<WriteEnumerations>("enumerations of writes")

/** Returns the properties of the enumerations that an open array's attributes use. Reads each enumeration once. */
export const loadWriteEnumerations = (
  array: OpenedArray,
): Effect.Effect<WriteEnumerations, EnumerationError, Storage | Codecs> => {
  const names = new Set(array.schema.attributes.map(({ enumeration }) => enumeration).filter((name) => name !== ""))
  if (names.size === 0) return Effect.succeed(none)
  const existing = array.schemaCache.get(ENUMERATIONS, array.schemaName)
  if (existing !== undefined) return Effect.succeed(existing)
  return Effect.map(loadEnumerations(array, names), (enumerations) => {
    const sizes = new Map<string, number>()
    const texts = new Map<string, EnumerationTexts>()
    let bytes = 0
    for (const enumeration of enumerations) {
      sizes.set(enumeration.name, valueCount(valuesOfEnumeration(enumeration)))
      const codes = enumerationTexts(enumeration)
      if (codes !== undefined) texts.set(enumeration.name, codes)
      bytes += 64 + (codes === undefined ? 0 : enumerationTextsSize(enumeration))
    }
    const loaded = { enumerationSizes: sizes, enumerationTexts: texts }
    array.schemaCache.set(ENUMERATIONS, array.schemaName, loaded, bytes)
    return loaded
  })
}

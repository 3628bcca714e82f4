/**
 * Enumerations of the attributes that are written: validates codes, and maps values to codes.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import { isText } from "../../../schema/array/scalar.ts"
import { nearestNames } from "../../../schema/errors/nearest.ts"
import { codesOf } from "../../array/enumeration/enumeration_codes.ts"
import { type EnumerationError, loadEnumerations } from "../../array/enumeration/enumerations.ts"
import { WriteError } from "../../array/open/errors.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Field } from "../../fragment/field.ts"
import { cacheKind } from "../../kernel/bounded_cache.ts"
import { inParts, type Steps } from "../../kernel/steps.ts"
import type { EnumeratedInput } from "./column_input.ts"
import { partsOf, valueCount, valuesOfEnumeration } from "../../schema_builder/enumeration_values.ts"

/** An enumeration of an attribute that is written. */
export interface WrittenEnumeration {
  /** Number of its values. */
  readonly size: number
  /** Whether its values are text. */
  readonly isText: boolean
  /** Returns what maps a value to its code; `undefined` for other values. Takes a map of all values, made once. */
  readonly codes: () => (value: unknown) => number | undefined
  /** Returns the texts that are similar to a value. */
  readonly similar: (value: string) => ReadonlyArray<string>
}

/** The enumerations of the attributes that are written, by name. */
export type WrittenEnumerations = ReadonlyMap<string, WrittenEnumeration>

const none: WrittenEnumerations = new Map()
const WRITTEN = cacheKind<WrittenEnumerations>("written enumerations")

/** The largest number of values that are compared with an unknown value. */
const MAX_COMPARED = 10_000

/** Estimated size of an entry in the map from values to codes, in bytes. */
const ENTRY_SIZE = 100

const writtenEnumeration = (enumeration: Enumeration, onCodes: (bytes: number) => void): WrittenEnumeration => {
  const values = valuesOfEnumeration(enumeration)
  const size = valueCount(values)
  let codes: ReturnType<typeof codesOf> | undefined
  return {
    size,
    isText: isText(enumeration.type),
    codes: () => {
      if (codes !== undefined) return codes
      onCodes(ENTRY_SIZE * size)
      return codes = codesOf(enumeration)
    },
    similar: (value) =>
      size > MAX_COMPARED ? [] : nearestNames(value, partsOf(values).map((bytes) => new TextDecoder().decode(bytes))),
  }
}

/** Returns the enumerations that an open array's attributes use. Reads each enumeration once. */
export const loadWrittenEnumerations = (
  array: OpenedArray,
): Effect.Effect<WrittenEnumerations, EnumerationError, Storage | Codecs> => {
  const names = new Set(array.schema.attributes.map(({ enumeration }) => enumeration).filter((name) => name !== ""))
  if (names.size === 0) return Effect.succeed(none)
  const existing = array.schemaCache.get(WRITTEN, array.schemaName)
  if (existing !== undefined) return Effect.succeed(existing)
  return Effect.map(loadEnumerations(array, names), (enumerations) => {
    let bytes = 0
    const written: Map<string, WrittenEnumeration> = new Map()
    const cache = (more: number): void => {
      bytes += more
      array.schemaCache.set(WRITTEN, array.schemaName, written, bytes)
    }
    for (const enumeration of enumerations) {
      bytes += enumeration.data.byteLength + (enumeration.offsets?.byteLength ?? 0)
      written.set(enumeration.name, writtenEnumeration(enumeration, cache))
    }
    cache(0)
    return written
  })
}

const isByValue = (input: unknown): input is EnumeratedInput =>
  typeof input === "object" && input !== null && "byValue" in input

/**
 * Returns the cells of an enumerated attribute with codes instead of values: of `{ byValue }`, and of the texts in a
 * list if the values of the enumeration are text. Returns other input unchanged. Throws {@link WriteError}.
 */
export function* withCodes(
  field: Field,
  input: unknown,
  enumerations: WrittenEnumerations | undefined,
): Steps<unknown> {
  const refuse = (reason: "WrongType" | "InvalidValue", detail: string, cell?: number): never => {
    throw new WriteError({ field: field.name, reason, detail, ...(cell === undefined ? {} : { cell }) })
  }
  const enumeration = field.enumeration === undefined ? undefined : enumerations?.get(field.enumeration)
  const all = isByValue(input)
  if (enumeration === undefined) {
    return all ? refuse("WrongType", "byValue is for attributes with an enumeration; pass the cells themselves") : input
  }
  const cells: unknown = all ? input.byValue : input
  if (!Array.isArray(cells)) return all ? refuse("WrongType", "byValue is a list with one value per cell") : input
  if (!all && !(enumeration.isText && cells.some((cell) => typeof cell === "string"))) return input
  const codeOf = enumeration.codes()
  const codes: Array<unknown> = new Array(cells.length)
  yield* inParts(cells.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const cell: unknown = cells[i]
      if (cell === null || (!all && typeof cell !== "string")) {
        codes[i] = cell
        continue
      }
      const code = codeOf(typeof cell === "boolean" ? Number(cell) : cell)
      codes[i] = code ?? refuse("InvalidValue", unknownValue(field, enumeration, cell), i)
    }
  })
  return codes
}

const unknownValue = (field: Field, enumeration: WrittenEnumeration, cell: unknown): string => {
  const shown = typeof cell === "bigint" ? String(cell) : JSON.stringify(cell) ?? String(cell)
  const similar = typeof cell === "string" && enumeration.isText ? enumeration.similar(cell) : []
  const advice = similar.length === 0
    ? "add it with TileArray.evolve({ extendEnumerations })"
    : `did you mean ${similar.slice(0, 3).map((name) => JSON.stringify(name)).join(" or ")}?`
  return `${shown} is not a value of the enumeration ${JSON.stringify(field.enumeration)}; ${advice}`
}

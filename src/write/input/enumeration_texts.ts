/**
 * Columns of enumerated attributes that contain texts: values of the enumeration in the place of their codes.
 */
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import { isText } from "../../../schema/array/scalar.ts"
import { nearestNames } from "../../../schema/errors/nearest.ts"
import { codesByText } from "../../array/enumeration/enumeration_codes.ts"
import { WriteError } from "../../array/open/errors.ts"
import type { Field } from "../../fragment/field.ts"
import { findInParts, inParts, STEP, type Steps } from "../../kernel/steps.ts"

/** The values of an enumeration of text, with their codes. */
export type EnumerationTexts = () => ReadonlyMap<string, number>

/** Approximate size of the codes of an enumeration's texts in memory, per value, in bytes. */
const VALUE_SIZE = 64

/** Returns the codes of an enumeration's texts, computed at the first call; `undefined` for other datatypes. */
export const enumerationTexts = (enumeration: Enumeration): EnumerationTexts | undefined => {
  if (!isText(enumeration.type)) return undefined
  let codes: ReadonlyMap<string, number> | undefined
  return () => codes ??= codesByText(enumeration)
}

/** Returns the size of an enumeration and the codes of its texts in memory, in bytes. */
export const enumerationTextsSize = ({ data, offsets }: Enumeration): number =>
  3 * data.byteLength + VALUE_SIZE * (offsets?.length ?? 0)

/** Maximum number of values that are compared with a misspelled one. */
const MAX_COMPARED_VALUES = 10_000

/** Maximum number of values that a message lists. */
const MAX_LISTED_VALUES = 8

/** Returns the values that a message offers in the place of an unknown one: similar values, or all of a few. */
const offered = (text: string, codes: ReadonlyMap<string, number>): string => {
  const quote = (values: ReadonlyArray<string>) => values.map((value) => JSON.stringify(value)).join(", ")
  if (codes.size > MAX_COMPARED_VALUES) return ""
  const texts = [...codes.keys()]
  const near = nearestNames(text, texts).slice(0, 3)
  if (near.length > 0) return `; did you mean ${near.map((value) => JSON.stringify(value)).join(" or ")}?`
  return texts.length <= MAX_LISTED_VALUES
    ? `, which has ${quote(texts)}`
    : `, which has ${codes.size} values: ${quote(texts.slice(0, MAX_LISTED_VALUES - 1))}, …`
}

/**
 * Replaces the texts in a list of cells by their codes. Numbers and bigints are codes, `null` is null, and other forms of
 * columns contain only codes: they are returned unchanged. Throws {@link WriteError} for an unknown text.
 */
export function* withCodes(field: Field, input: unknown, texts: EnumerationTexts | undefined): Steps<unknown> {
  if (texts === undefined || field.var || field.cellValNum !== 1 || !Array.isArray(input)) return input
  const cells: ReadonlyArray<unknown> = input
  const first = yield* findInParts(cells.length, (from, to) => {
    for (let i = from; i < to; i++) if (typeof cells[i] === "string") return i
    return -1
  }, STEP)
  if (first < 0) return input
  const codes = texts()
  const coded = new Array<unknown>(cells.length)
  yield* inParts(cells.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const cell = cells[i]
      if (typeof cell !== "string") {
        coded[i] = cell
        continue
      }
      const code = codes.get(cell)
      if (code === undefined) {
        const detail = `${JSON.stringify(cell)} is not a value of the enumeration ${JSON.stringify(field.enumeration)}`
        throw new WriteError({
          field: field.name,
          cell: i,
          reason: "InvalidValue",
          detail: detail + offered(cell, codes),
        })
      }
      coded[i] = code
    }
  }, STEP)
  return coded
}

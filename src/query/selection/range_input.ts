/**
 * The forms in which users select part of a dimension: a point, a range, several ranges, or many points.
 *
 * @module
 */
import { ScalarError, type ScalarInput } from "../../../schema/array/scalar.ts"

/**
 * One value of a dimension: a number, bigint, string, Date (datetimes), or the raw bytes of a value. 64-bit integers
 * and dates may be strings: `"9007199254740993"`, `"2024-02-29"`.
 */
export type Point = ScalarInput | Date

/** One end of a range; `null` means the end of the (current) domain. */
export type Bound<P extends Point = Point> = P | null

/** A range, both ends inclusive. */
export type Pair<P extends Point = Point> = readonly [low: Bound<P>, high: Bound<P>]

/** Many single values, in any order; duplicates count once. Typed arrays are fastest. */
export interface Points<P extends Point = Point> {
  /** The values: a list, a typed array or any other iterable. */
  readonly points: Iterable<P>
}

/**
 * The selected part of one dimension:
 *
 * - `3` – a point
 * - `[1, 5]` – a range, both ends inclusive; `null` is an open end
 * - `[[1, 5], [8, 9]]` – several ranges; later items may be points: `[[1, 5], 7]`
 * - `{ points: [3, 7, 9] }` – many points
 *
 * A flat list of three or more values is rejected: `[3, 7]` is a range, so `[3, 7, 9]` would be ambiguous. An empty
 * list of ranges or points selects nothing.
 */
export type RangeInput<P extends Point = Point> =
  | P
  | Pair<P>
  | ReadonlyArray<Pair<P>>
  | readonly [Pair<P>, ...ReadonlyArray<Pair<P> | P>]
  | Points<P>

/** Selected parts by dimension name; dimensions without an entry are selected whole. */
export type RegionInput = Readonly<Record<string, RangeInput | undefined>>

/** Parsed input: ranges and points as pairs, or many points. */
export type RangesOrPoints = { readonly pairs: ReadonlyArray<Pair> } | { readonly points: Iterable<unknown> }

const isObject = (input: unknown): input is object => typeof input === "object" && input !== null

/** Converts a value to the form that datatypes accept. Throws {@link ScalarError}. */
export const inputOf = (input: unknown): ScalarInput => {
  if (typeof input === "number" || typeof input === "bigint" || typeof input === "string") return input
  if (input instanceof Uint8Array) return input
  if (input instanceof Date) {
    if (Number.isNaN(input.getTime())) throw new ScalarError("an invalid Date is not a bound of a range")
    return input.toISOString()
  }
  if (isObject(input) && typeof (input as { hex?: unknown }).hex === "string") return input as { hex: string }
  if (input === null) throw new ScalarError("null is not a point; write a range with an open end as [null, high]")
  throw new ScalarError(
    Array.isArray(input)
      ? "a list is not a bound of a range; write ranges as [[low, high], …]"
      : `${isObject(input) ? "an object" : String(input)} is not a value; write a value, [low, high], ` +
        `[[low, high], …] or { points: […] }`,
  )
}

const pairOf = (input: ReadonlyArray<unknown>): Pair => {
  if (input.length === 2) return input as unknown as Pair
  throw new ScalarError(`a range is a pair [low, high]; here are ${input.length} values`)
}

/** Parses the input of one dimension. Throws {@link ScalarError}. */
export const rangesInput = (input: unknown): RangesOrPoints => {
  if (Array.isArray(input)) {
    const list: ReadonlyArray<unknown> = input
    if (list.some(Array.isArray)) {
      return { pairs: list.map((r) => Array.isArray(r) ? pairOf(r) : [inputOf(r), inputOf(r)]) }
    }
    if (list.length === 2) return { pairs: [pairOf(list)] }
    if (list.length === 0) return { pairs: [] }
    throw new ScalarError(
      `a list of ${list.length} ${
        list.length === 1 ? "value" : "values"
      } is not a range; write { points: […] } for single ` +
        `values, [low, high] for a range, [[low, high], …] for several`,
    )
  }
  if (isObject(input) && "points" in input) {
    const { points } = input
    if (isObject(points) && Symbol.iterator in points) return { points: points as Iterable<unknown> }
    throw new ScalarError("points is a list of values: { points: [3, 7, 9] }")
  }
  const point = inputOf(input)
  return { pairs: [[point, point]] }
}

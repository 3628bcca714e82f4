/**
 * How to write cells, checked: what is asked is either understood or refused.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { ArrayType } from "../../../schema/array/array_schema.ts"
import { Since } from "../../../schema/version/version.ts"
import { type InvalidOption, WriteError } from "../../array/open/errors.ts"
import { type AnyTileArray, openedOf } from "../../array/open/handle.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import { attemptOptions, checkNames, millis, type Refuse, refusing } from "../../array/open/open_options.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { CheckOptions } from "../input/check_columns.ts"
import { loadEnumerationSizes } from "../input/enumeration_sizes.ts"
import type { WriteFailure, WriteProgress } from "../result/write_result.ts"

/** How cells are written. */
export interface WriteOptions {
  /**
   * The moment that the cells belong to, in whole milliseconds since 1970 (number or bigint) or as a Date. Default: now, or
   * the millisecond after the newest commit of the array if the clock is behind it, by an hour at most; a write by a clock
   * that is further behind fails with `InvalidOption`. To know the newest commit, a write without `at` lists the array's
   * commits once.
   *
   * Do not write a cell twice at one moment: once the array has more than 16 fragments, TileDB 2.30 may read another of the
   * two as the newest than this library does, which takes the last by name. A write at the moment of another one lists the
   * commits, too. Where both have the same cells of a dense array, it fails with `WriteError` if there are more than 16
   * fragments, and logs a warning otherwise; in sparse arrays without duplicates it logs a warning if the boxes of their cells
   * overlap. Cells that cannot be the same may share a moment.
   */
  readonly at?: number | bigint | Date
  /** Is told from time to time how far the write is. */
  readonly onProgress?: (progress: WriteProgress) => void
}

/** How cells are written that come in batches. */
export interface BatchOptions extends WriteOptions {
  /**
   * Begins another fragment where one has so many bytes, as soon as that can be; all of them count at once. Needs an array
   * of format 12 or later. Default: one fragment.
   */
  readonly maxFragmentSize?: number
}

/** What the common options mean. */
export interface WriteRequest {
  readonly time: NameTime | undefined
  readonly onProgress: ((progress: WriteProgress) => void) | undefined
}

/** One of several words, the first of them if nothing is said. */
export const oneOf = <const A extends string>(
  option: string,
  given: unknown,
  [first, ...rest]: readonly [A, ...ReadonlyArray<A>],
  refuse: Refuse,
): A => {
  const words = [first, ...rest]
  if (given === undefined) return first
  const found = words.find((word) => word === given)
  return found ??
    refuse(
      option,
      `${JSON.stringify(given)} is invalid; expected one of ${words.map((w) => JSON.stringify(w)).join(", ")}`,
      given,
    )
}

/** What the options of a write mean; `more` are the names of those that `check` looks at. */
export const checkWrite = <A extends object>(
  array: AnyTileArray,
  arrayType: ArrayType,
  options: WriteOptions,
  more: ReadonlyArray<string>,
  check: (refuse: Refuse) => A,
): Effect.Effect<WriteRequest & A, InvalidOption | WriteError> => {
  if (array.schema.arrayType !== arrayType) {
    const [is, its] = arrayType === "dense" ? ["sparse", "Sparse"] : ["dense", "Dense"]
    const reason = `the array is ${is}; ${its}.write writes it`
    return Effect.fail(new WriteError({ uri: array.uri, field: "", detail: reason }))
  }
  return attemptOptions(() => {
    const refuse = refusing(array.uri)
    checkNames(options, ["at", "onProgress", ...more], refuse)
    const at = millis("at", options.at, refuse)
    const { onProgress } = options
    if (onProgress !== undefined && typeof onProgress !== "function") {
      return refuse("onProgress", "give a function that takes { cells, bytes }", onProgress)
    }
    return { time: at === undefined ? undefined : [at, at], onProgress, ...check(refuse) }
  })
}

/** As {@link checkWrite}, for a write of columns: how those are to be checked comes along. */
export const checkCells = <A extends object>(
  ...asked: Parameters<typeof checkWrite<A>>
): Effect.Effect<WriteRequest & A & { readonly checks: CheckOptions }, WriteFailure, Storage | Codecs> =>
  Effect.flatMap(
    checkWrite(...asked),
    (request) =>
      Effect.map(
        loadEnumerationSizes(openedOf(asked[0])),
        (enumerationSizes) => ({ ...request, checks: { enumerationSizes } }),
      ),
  )

/** Bytes of cells that wait, if nobody says: 256 MiB. */
export const MEMORY = 2 ** 28

/** A number of bytes, `fallback` if nothing is said. */
export const bytesOf = (option: string, given: unknown, fallback: number, refuse: Refuse): number => {
  if (given === undefined) return fallback
  return typeof given === "number" && given >= 1
    ? given
    : refuse(option, `${String(given)} is not a number of bytes above 0`, given)
}

/** The size of fragments that arrays of a format may be split into. */
export const fragmentSizeOf = (array: AnyTileArray, given: unknown, refuse: Refuse): number => {
  const bytes = bytesOf("maxFragmentSize", given, Infinity, refuse)
  if (given === undefined || array.schema.version >= Since.folders) return bytes
  return refuse(
    "maxFragmentSize",
    `the array is of format ${array.schema.version}; before ${Since.folders} several fragments cannot be committed at once`,
  )
}

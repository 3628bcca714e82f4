/**
 * Validates the options of writes.
 *
 * @module
 */
import type { TimeInput } from "../../array/open/open_options.ts"
import { byteCount, type ByteSize } from "../../../platform/byte_size.ts"
import { shownValue } from "../../../platform/errors.ts"
import * as Effect from "effect/Effect"
import type { ArrayType } from "../../../schema/array/array_schema.ts"
import { Since } from "../../../schema/version/version.ts"
import { type InvalidOption, WriteError } from "../../array/open/errors.ts"
import { type AnyTileArray, openedOf } from "../../array/open/handle.ts"
import type { NameTime } from "../../array/create/fragment_name.ts"
import { attemptOptions, checkNames, millis, type Refuse, refuseFor } from "../../array/open/open_options.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { CheckOptions } from "../input/check_columns.ts"
import { loadWrittenEnumerations } from "../input/written_enumerations.ts"
import type { WriteFailure, WriteProgress } from "../result/write_result.ts"

/** Options of a write. */
export interface WriteOptions {
  /**
   * Write time of the cells, in whole milliseconds since 1970 (number or bigint) or as a Date. Default: now, or the
   * millisecond after the array's newest commit if the clock is late by at most an hour; if it is later, the write fails with `InvalidOption`. To find the newest commit, a write without `at` lists the array's
   * commits once.
   *
   * Do not write a cell twice at the same time: if the array has more than 16 fragments, TileDB 2.30 may read a
   * different one of the two cells as the newest than this library, which takes the last by name. A write at the time
   * of an existing fragment also lists the commits. If both contain the same cells of a dense array, it fails with
   * `WriteError` if there are more than 16 fragments, and logs a warning otherwise; in sparse arrays without duplicates
   * it logs a warning if the boxes of their cells overlap. Cells with different coordinates may share a time.
   */
  readonly at?: TimeInput
  /** Called from time to time with the progress of the write. */
  readonly onProgress?: (progress: WriteProgress) => void
}

/** Options of a write in batches. */
export interface BatchOptions extends WriteOptions {
  /**
   * Starts a new fragment when the current one reaches this size in bytes; all fragments are committed together.
   * Requires format 12 or later. Default: one fragment.
   */
  readonly maxFragmentSize?: ByteSize
}

/** The validated common options. */
export interface WriteRequest {
  readonly time: NameTime | undefined
  readonly onProgress: ((progress: WriteProgress) => void) | undefined
}

/** Validates an option with a fixed set of values; the first value is the default. */
export const choiceOf = <const A extends string>(
  option: string,
  input: unknown,
  [first, ...rest]: readonly [A, ...ReadonlyArray<A>],
  refuse: Refuse,
): A => {
  const words = [first, ...rest]
  if (input === undefined) return first
  const match = words.find((word) => word === input)
  return match ??
    refuse(
      option,
      `${shownValue(input)} is invalid; expected one of ${words.map((w) => JSON.stringify(w)).join(", ")}`,
      input,
      { accepted: words },
    )
}

/** Validates the options of a write. `more` lists the names of the options that `check` validates. */
export const checkWrite = <A extends object>(
  array: AnyTileArray,
  arrayType: ArrayType,
  options: WriteOptions,
  more: ReadonlyArray<string>,
  check: (refuse: Refuse) => A,
): Effect.Effect<WriteRequest & A, InvalidOption | WriteError> => {
  if (array.schema.arrayType !== arrayType) {
    const [is, name] = arrayType === "dense" ? ["sparse", "Sparse"] : ["dense", "Dense"]
    const detail = `the array is ${is}; ${name}.write writes it`
    return Effect.fail(new WriteError({ uri: array.uri, field: "", reason: "Unsupported", detail }))
  }
  return attemptOptions(() => {
    const refuse = refuseFor(array.uri)
    checkNames(options, ["at", "onProgress", ...more], refuse)
    const at = millis("at", options.at, refuse)
    const { onProgress } = options
    if (onProgress !== undefined && typeof onProgress !== "function") {
      return refuse("onProgress", "give a function that takes { cells, bytes }", onProgress)
    }
    return { time: at === undefined ? undefined : [at, at], onProgress, ...check(refuse) }
  })
}

/** Like {@link checkWrite}, for a write of columns; adds the rules that validate the columns. */
export const checkCells = <A extends object>(
  ...requested: Parameters<typeof checkWrite<A>>
): Effect.Effect<WriteRequest & A & { readonly checks: CheckOptions }, WriteFailure, Storage | Codecs> =>
  Effect.flatMap(
    checkWrite(...requested),
    (request) =>
      Effect.map(
        loadWrittenEnumerations(openedOf(requested[0])),
        (enumerations) => ({ ...request, checks: { enumerations } }),
      ),
  )

/** Default size of buffered cells: 256 MiB. */
export const DEFAULT_WRITE_MEMORY = 2 ** 28

/** Validates a number of bytes, with a default. */
export const byteCountOf = (option: string, input: unknown, fallback: number, refuse: Refuse): number => {
  if (input === undefined) return fallback
  const bytes = byteCount(input)
  return bytes !== undefined && bytes >= 1 ? bytes : refuse(
    option,
    `${typeof input === "string" ? JSON.stringify(input) : String(input)} is not a number of bytes above 0, ` +
      'or a size such as "256MiB"',
    input,
  )
}

/** Validates the maximum fragment size for the array's format. */
export const fragmentSizeOf = (array: AnyTileArray, input: unknown, refuse: Refuse): number => {
  const bytes = byteCountOf("maxFragmentSize", input, Infinity, refuse)
  if (input === undefined || array.schema.version >= Since.folders) return bytes
  return refuse(
    "maxFragmentSize",
    `the array is of format ${array.schema.version}; before ${Since.folders} several fragments cannot be committed at once`,
    input,
    { reason: "Conflict" },
  )
}

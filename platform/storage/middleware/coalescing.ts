/**
 * A storage middleware that coalesces nearby ranges into one read.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { checkRanges } from "../byte_ranges.ts"
import type { StorageError } from "../../errors.ts"
import { checkOptionNames, numberOption } from "../../options.ts"
import { mapStorage } from "../map_storage.ts"
import type { ByteRange, Storage } from "../service.ts"

/** Options of coalescing. */
export interface CoalescingOptions {
  /**
   * Maximum gap between two coalesced ranges in bytes: reading the gap is cheaper than a second request. Default: 512
   * KiB, suitable for networks.
   */
  readonly gap?: number
  /** Maximum size of a coalesced range in bytes, so that large ranges are still read concurrently. Default: 16 MiB. */
  readonly maxLength?: number
}

/** Planned reads, and the mapping of requested ranges to them. */
export interface CoalescingPlan {
  /** The ranges to read. */
  readonly reads: ReadonlyArray<ByteRange>
  /** For each requested range, the index of the read that contains it. */
  readonly readOf: Int32Array
}

/** Checks the options, and returns them with defaults filled in. Throws `InvalidOption`. */
export const checkCoalescingOptions = (options: CoalescingOptions): { readonly gap: number; readonly max: number } => {
  checkOptionNames(options, ["gap", "maxLength"] satisfies Array<keyof CoalescingOptions>, "coalescing")
  return {
    gap: numberOption("gap", options.gap, 512 << 10),
    max: numberOption("maxLength", options.maxLength, 16 << 20),
  }
}

/**
 * Plans the reads for the requested ranges of one file, in any order. Ranges are coalesced if the gap between them is
 * at most `gap` bytes and the result has at most `maxLength` bytes. A longer range is unchanged. Throws
 * `InvalidOption`.
 *
 * ```ts
 * import { planCoalescing } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 *
 * const requested = [{ offset: 900, length: 50 }, { offset: 0, length: 100 }, { offset: 100, length: 20 }]
 * const { reads, readOf } = planCoalescing(requested, { gap: 64 })
 * assertEquals(reads, [{ offset: 0, length: 120 }, { offset: 900, length: 50 }])
 * assertEquals(readOf, Int32Array.of(1, 0, 0))
 * ```
 */
export const planCoalescing = (
  ranges: ReadonlyArray<ByteRange>,
  options: CoalescingOptions = {},
): CoalescingPlan => planJoined(ranges, checkCoalescingOptions(options))

const planJoined = (
  ranges: ReadonlyArray<ByteRange>,
  { gap, max }: ReturnType<typeof checkCoalescingOptions>,
): CoalescingPlan => {
  const order = Array.from(ranges, (_, i) => i).sort((a, b) =>
    ranges[a].offset - ranges[b].offset || ranges[b].length - ranges[a].length
  )
  const reads: Array<{ offset: number; length: number }> = []
  const readOf = new Int32Array(ranges.length)
  for (const i of order) {
    const { offset, length } = ranges[i]
    const last = reads[reads.length - 1]
    const end = last === undefined ? 0 : last.offset + last.length
    const together = last === undefined ? 0 : Math.max(end, offset + length) - last.offset
    if (last !== undefined && offset - end <= gap && together <= Math.max(max, last.length)) last.length = together
    else reads.push({ offset, length })
    readOf[i] = reads.length - 1
  }
  return { reads, readOf }
}

/**
 * Coalesces the ranges of each call with {@link planCoalescing}. For each request saved, a call reads up to `gap`
 * unneeded bytes. Throws `InvalidOption`.
 *
 * ```ts
 * import { makeMemoryStorage, makeCounters, withCoalescing, withCounters } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const trace = makeCounters()
 * const storage = withCoalescing(withCounters(makeMemoryStorage(), trace), { gap: 64 * 1024 })
 * Effect.runSync(storage.write("mem://a", new Uint8Array(1000)))
 * Effect.runSync(storage.readRanges("mem://a", [{ offset: 0, length: 10 }, { offset: 500, length: 10 }]))
 * assertEquals([trace.calls.readRanges, trace.bytesRead], [1, 510])
 * ```
 */
export const withCoalescing = (storage: Storage, options: CoalescingOptions = {}): Storage => {
  const checked = checkCoalescingOptions(options)
  return {
    ...mapStorage(storage, {}),
    readRanges: (uri, ranges, into) =>
      Effect.suspend(() => {
        try {
          checkRanges("readRanges", uri, ranges)
        } catch (error) {
          return Effect.fail(error as StorageError)
        }
        const { reads, readOf } = planJoined(ranges, checked)
        if (reads.length === ranges.length) return storage.readRanges(uri, ranges, into)
        return Effect.map(storage.readRanges(uri, reads), (parts) =>
          ranges.map(({ offset, length }, i) => {
            const from = offset - reads[readOf[i]].offset
            return parts[readOf[i]].slice(from, from + length)
          }))
      }),
  }
}

/**
 * Minimum, maximum, sum and null count of a whole fragment (since format 12).
 *
 * @module
 */
import { bytes, bytesOf, type Codec, codec, listToEnd, struct, u64 } from "../binary/mod.ts"

/**
 * The statistics of a field in a fragment. Without a minimum or maximum, the bytes are empty; without a sum, it is 0.
 */
export interface FragmentStatistic {
  /** The smallest value, raw. */
  readonly min: Uint8Array
  /** The largest value, raw. */
  readonly max: Uint8Array
  /** Eight raw bytes: int64, uint64 or float64, depending on the field's type. */
  readonly sum: Uint8Array
  /** The number of null cells. */
  readonly nullCount: number
}

/**
 * The codec of one field's statistics. Format: `fragment.md`, "Tile Fragment Min Max Sum Null Count".
 *
 * ```ts
 * import { encode, FragmentStatistic } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const bytes = encode(FragmentStatistic, {
 *   min: Uint8Array.of(1),
 *   max: Uint8Array.of(9),
 *   sum: Uint8Array.of(25, 0, 0, 0, 0, 0, 0, 0),
 *   nullCount: 0,
 * }, 22)
 * assertEquals(bytes.length, 9 + 9 + 8 + 8)
 * ```
 */
export const FragmentStatistic: Codec<FragmentStatistic> = struct({
  min: bytes(u64),
  max: bytes(u64),
  sum: bytesOf(() => 8),
  nullCount: u64,
})

/**
 * The codec of the statistics of all fields, in field order, without a count.
 *
 * ```ts
 * import { decode, FragmentStatistics } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(decode(FragmentStatistics, new Uint8Array(64), 22, "mem://a").length, 2)
 * ```
 */
export const FragmentStatistics: Codec<ReadonlyArray<FragmentStatistic>> = codec(listToEnd(FragmentStatistic))

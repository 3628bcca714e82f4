/**
 * Minimum, maximum, sum and null count of every tile of a field (since format 11).
 *
 * Engines do not always write correct statistics: see section 11.2 of the design notes before using them for pruning.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { BinaryIssue, type Codec, codec, type Field, field, u64, u64Column } from "../binary/mod.ts"

/** The minimums or maximums of all tiles; empty for fields without them. */
export interface TileStatistic {
  /** One cell per tile; for var-sized fields, one u64 per tile: the start of its value in `var`. */
  readonly fixed: Uint8Array
  /** The concatenated var-sized values. */
  readonly var: Uint8Array
}

/**
 * The codec of minimums, maximums and, since format 23, the global-order bounds of tiles: both lengths, then both
 * buffers. Format: `fragment.md`, "Tile Mins Maxes".
 *
 * ```ts
 * import { decode, encode, TileStatistic } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const mins = { fixed: Uint8Array.of(3, 1, 2), var: new Uint8Array(0) } // a uint8 field with three tiles
 * assertEquals(decode(TileStatistic, encode(TileStatistic, mins, 22), 22, "mem://a"), mins)
 * ```
 */
export const TileStatistic: Codec<TileStatistic> = codec<TileStatistic>(field({
  schema: () =>
    Schema.Struct({
      fixed: Schema.Uint8ArrayFromSelf,
      var: Schema.Uint8ArrayFromSelf,
    }) as unknown as Schema.Schema<
      TileStatistic
    >,
  minBytes: 16,
  get: (c) => {
    const fixed = u64.get(c, undefined)
    const variable = u64.get(c, undefined)
    return { fixed: c.bytesOf(fixed), var: c.bytesOf(variable) }
  },
  put: (s, a) => {
    u64.put(s, a.fixed.byteLength, undefined)
    u64.put(s, a.var.byteLength, undefined)
    s.append(a.fixed)
    s.append(a.var)
  },
  fit: (a) => a,
}))

/** Eight raw bytes per tile: int64, uint64 or float64, depending on the field's type. */
const Sums: Field<Uint8Array> = field({
  schema: () => Schema.Uint8ArrayFromSelf,
  minBytes: 8,
  get: (c) => {
    const count = u64.get(c, undefined)
    c.checkCount(count, 8)
    return c.bytesOf(8 * count)
  },
  put: (s, a) => {
    if (a.byteLength % 8 !== 0) throw new BinaryIssue(s.offset, `${a.byteLength} bytes of sums are not a multiple of 8`)
    u64.put(s, a.byteLength / 8, undefined)
    s.append(a)
  },
  fit: (a) => a.subarray(0, a.byteLength - a.byteLength % 8),
})

/**
 * The codec of the sums of all tiles, eight raw bytes each; empty for fields without sums. Format: `fragment.md`, "Tile
 * Sums".
 *
 * ```ts
 * import { decode, encode, TileSums, viewAs } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const bytes = encode(TileSums, new Uint8Array(BigInt64Array.of(-5n, 7n).buffer), 22)
 * assertEquals(viewAs("int64", decode(TileSums, bytes, 22, "mem://a")), BigInt64Array.of(-5n, 7n))
 * ```
 */
export const TileSums: Codec<Uint8Array> = codec(Sums)

/**
 * The codec of the null counts of all tiles; empty for fields that are not nullable. Format: `fragment.md`, "Tile Null
 * Count".
 *
 * ```ts
 * import { decode, TileNullCounts } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(decode(TileNullCounts, new Uint8Array(8), 22, "mem://a").length, 0)
 * ```
 */
export const TileNullCounts: Codec<Float64Array> = codec(u64Column)

/**
 * Minimum, maximum, sum and null count of every tile of a field (since format 11).
 *
 * What engines wrote is not always right: see section 11.2 of the design notes before pruning by it.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { BinaryIssue, type Codec, codec, type Field, field, u64, u64Column } from "../binary/mod.ts"

/** Minima or maxima of all tiles; no bytes at all for fields that have none. */
export interface TileStatistic {
  /** a cell per tile; for var-length fields a u64 per tile: where its value starts in `var` */
  readonly fixed: Uint8Array
  /** Var-sized values one after the other. */
  readonly var: Uint8Array
}

/** Minima, maxima, and from format 23 the bounds of tiles in global order: both lengths, then both buffers. */
export const TileStatistic: Codec<TileStatistic> = codec<TileStatistic>(field({
  schema: () =>
    Schema.Struct({
      fixed: Schema.Uint8ArrayFromSelf,
      var: Schema.Uint8ArrayFromSelf,
    }) as unknown as Schema.Schema<
      TileStatistic
    >,
  least: 16,
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

/** Eight raw bytes: int64, uint64 or float64 by the field's type. */
const Sums: Field<Uint8Array> = field({
  schema: () => Schema.Uint8ArrayFromSelf,
  least: 8,
  get: (c) => {
    const count = u64.get(c, undefined)
    c.checkCount(count, 8)
    return c.bytesOf(8 * count)
  },
  put: (s, a) => {
    if (a.byteLength % 8 !== 0) throw new BinaryIssue(s.offset, `${a.byteLength} bytes are not whole sums`)
    u64.put(s, a.byteLength / 8, undefined)
    s.append(a)
  },
  fit: (a) => a.subarray(0, a.byteLength - a.byteLength % 8),
})

/** The sums of all tiles, eight raw bytes each; none for fields that have none. */
export const TileSums: Codec<Uint8Array> = codec(Sums)

/** The null counts of all tiles; none for fields that are not nullable. */
export const TileNullCounts: Codec<Float64Array> = codec(u64Column)

/**
 * Optional sections of the fragment footer (format 23).
 *
 * @module
 */
import { boundedMemo } from "../binary/bounded_memo.ts"
import { bytes, type Codec, struct, u32, u64, u64ColumnOf } from "../binary/mod.ts"

/** A section of the footer. Sections with an unknown number are preserved unchanged. */
export interface OptionalSection {
  /** The number that identifies the section. */
  readonly id: number
  /** The bytes of the section. */
  readonly bytes: Uint8Array
}

/**
 * The codec of a section: number, size in bytes, the bytes. Format: `fragment.md`, "Optional section".
 *
 * ```ts
 * import { decode, encode, OptionalSection } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const section = { id: 7, bytes: Uint8Array.of(1, 2) }
 * assertEquals(decode(OptionalSection, encode(OptionalSection, section, 23), 23, "mem://a"), section)
 * ```
 */
export const OptionalSection: Codec<OptionalSection> = struct({ id: u64, bytes: bytes(u32) })

/**
 * The number of the section with the positions of the global-order bounds of the tiles.
 *
 * ```ts
 * import { GLOBAL_ORDER_BOUNDS } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(GLOBAL_ORDER_BOUNDS, 0)
 * ```
 */
export const GLOBAL_ORDER_BOUNDS = 0

/** The positions of the generic tiles of the global-order bounds: first and last cell of each tile, by dimension. */
export interface GlobalOrderBounds {
  /** The offsets of the generic tiles of the first cells, by dimension. */
  readonly mins: Float64Array
  /** The offsets of the generic tiles of the last cells, by dimension. */
  readonly maxes: Float64Array
}

/**
 * Returns the codec of section 0 for a number of dimensions. Memoised. Format: `fragment.md`, "Tile global order".
 *
 * ```ts
 * import { encode, globalOrderBounds } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const bounds = { mins: Float64Array.of(100, 200), maxes: Float64Array.of(300, 400) }
 * assertEquals(encode(globalOrderBounds(2), bounds, 23).length, 32)
 * ```
 */
export const globalOrderBounds: (dimensions: number) => Codec<GlobalOrderBounds> = boundedMemo(
  (dimensions: number) => dimensions,
  (dimensions: number) => {
    const column = u64ColumnOf(() => dimensions)
    return struct({ mins: column, maxes: column })
  },
)

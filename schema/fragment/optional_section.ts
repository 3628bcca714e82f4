/**
 * Optional sections of the fragment footer (format 23).
 *
 * @module
 */
import { boundedMemo } from "../binary/bounded_memo.ts"
import { bytes, type Codec, struct, u32, u64, u64ColumnOf } from "../binary/mod.ts"

/** A section as it lies; those of unknown number are kept as they are. */
export interface OptionalSection {
  /** What it is. */
  readonly id: number
  /** Its bytes. */
  readonly bytes: Uint8Array
}

/**
 * One section: number, bytes, the bytes. Format: `fragment.md`, "Optional section".
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
 * The section that says where the bounds of the tiles in global order start.
 *
 * ```ts
 * import { GLOBAL_ORDER_BOUNDS } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(GLOBAL_ORDER_BOUNDS, 0)
 * ```
 */
export const GLOBAL_ORDER_BOUNDS = 0

/** Where the generic tiles of the global-order bounds start: first and last cell of each tile, per dimension. */
export interface GlobalOrderBounds {
  /** Where the tiles of the first cells start, by dimension. */
  readonly mins: Float64Array
  /** Where the tiles of the last cells start, by dimension. */
  readonly maxes: Float64Array
}

/**
 * Section 0 of an array of so many dimensions. Memoised. Format: `fragment.md`, "Tile global order".
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

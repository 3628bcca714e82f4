/**
 * The positions of a field's tiles: one generic tile per field and list.
 *
 * @module
 */
import { type Codec, codec, u64Column } from "../binary/mod.ts"

/**
 * The codec of one value per tile: its offset in the file (fixed, var-sized and validity tiles), or the unfiltered size
 * of a var-sized tile in bytes. Zeros for fields without such tiles. Format: `fragment.md`, "Tile Offsets" and "Tile
 * Sizes".
 *
 * ```ts
 * import { decode, encode, TileOffsets } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const bytes = encode(TileOffsets, Float64Array.of(0, 1024, 2 ** 40), 22)
 * assertEquals(decode(TileOffsets, bytes, 22, "mem://a"), Float64Array.of(0, 1024, 2 ** 40))
 * ```
 */
export const TileOffsets: Codec<Float64Array> = codec(u64Column)

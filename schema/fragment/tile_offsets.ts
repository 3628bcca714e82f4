/**
 * Where each tile of a field lies: one generic tile per field and list.
 *
 * @module
 */
import { type Codec, codec, u64Column } from "../binary/mod.ts"

/**
 * One value per tile: where it starts in its file (offsets of fixed, var-length and validity tiles), or the unfiltered
 * bytes of a var-length tile. A field without such tiles has zeros. Format: `fragment.md`, "Tile Offsets" and "Tile Sizes".
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

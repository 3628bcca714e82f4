/**
 * Where each tile of a field lies: one generic tile per field and list.
 *
 * @module
 */
import { type Codec, codec, u64Column } from "../binary/mod.ts"

/**
 * One value per tile: where it starts in its file (offsets of fixed, var-length and validity tiles), or the unfiltered
 * bytes of a var-length tile. A field without such tiles has zeros.
 */
export const TileOffsets: Codec<Float64Array> = codec(u64Column)

/**
 * The delete conditions that were already applied to a fragment's cells (since format 16).
 *
 * @module
 */
import { type Codec, codec, list, u64, utf8 } from "../binary/mod.ts"

/**
 * The codec of the paths of the delete commits, such as `__commits/<name>.del`. The values in `dci.tdb` are indexes
 * into this list. Format: `fragment.md`, "Tile Processed Conditions".
 *
 * ```ts
 * import { encode, ProcessedConditions } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * const bytes = encode(ProcessedConditions, ["__commits/d.del"], 22)
 * assertEquals(bytes.length, 8 + 8 + 15)
 * ```
 */
export const ProcessedConditions: Codec<ReadonlyArray<string>> = codec(list(u64, utf8(u64)))

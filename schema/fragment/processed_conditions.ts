/**
 * The delete conditions that a fragment's cells have been through already (since format 16).
 *
 * @module
 */
import { type Codec, codec, list, u64, utf8 } from "../binary/mod.ts"

/**
 * Paths of the commits, as `__commits/<name>.del`. What `dci.tdb` holds are indexes into this list. Format: `fragment.md`,
 * "Tile Processed Conditions".
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

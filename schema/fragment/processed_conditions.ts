/**
 * The delete conditions that a fragment's cells have been through already (since format 16).
 *
 * @module
 */
import { type Codec, codec, list, u64, utf8 } from "../binary/mod.ts"

/** Paths of the commits, as `__commits/<name>.del`. What `dci.tdb` holds are indexes into this list. */
export const ProcessedConditions: Codec<ReadonlyArray<string>> = codec(list(u64, utf8(u64)))

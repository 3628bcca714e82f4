/**
 * Open arrays as targets of fragments.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { CURRENT_VERSION } from "../../../schema/version/version.ts"
import { OLDEST_WRITTEN } from "../../array/create/check_format_version.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import type { FragmentTarget } from "./fragment_writer.ts"

/**
 * The format version of new fragments: that of the array, or the current one for arrays of versions that cannot be
 * written.
 */
export const fragmentVersion = (schemaVersion: number): number =>
  schemaVersion < OLDEST_WRITTEN ? CURRENT_VERSION : schemaVersion

/** Returns the target for fragments of an open array. */
export const targetOf = (array: OpenedArray): Effect.Effect<FragmentTarget, never, Codecs> =>
  Effect.map(accessOf(array), (access) => ({
    uri: array.uri,
    schema: array.schema,
    schemaName: array.schemaName,
    version: fragmentVersion(array.schema.version),
    access,
  }))

/**
 * Open arrays as targets of fragments.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { CURRENT_VERSION } from "../../../schema/version/version.ts"
import { MIN_WRITTEN_VERSION } from "../../array/create/check_format_version.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import type { FragmentTarget } from "./fragment_writer.ts"

/**
 * Returns the format version of new fragments: that of the array, or the current version if this library cannot write
 * the array's version.
 */
export const fragmentVersion = (schemaVersion: number): number =>
  schemaVersion < MIN_WRITTEN_VERSION ? CURRENT_VERSION : schemaVersion

/** Returns the target for fragments of an open array. */
export const targetOf = (array: OpenedArray): Effect.Effect<FragmentTarget, never, Codecs> =>
  Effect.map(accessOf(array), (access) => ({
    uri: array.uri,
    schema: array.schema,
    schemaName: array.schemaName,
    version: fragmentVersion(array.schema.version),
    access,
  }))

/**
 * Open arrays as something to write into.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { CURRENT_VERSION } from "../../../schema/version/version.ts"
import { OLDEST_WRITTEN } from "../../array/create/check_format_version.ts"
import { accessOf, type OpenedArray } from "../../array/open/open.ts"
import type { FragmentTarget } from "./fragment_writer.ts"

/** What is written belongs to the age of the array; fragments of formats that are not written are of the current one. */
export const fragmentVersion = (schemaVersion: number): number =>
  schemaVersion < OLDEST_WRITTEN ? CURRENT_VERSION : schemaVersion

/** What fragments of an open array are written into. */
export const targetOf = (array: OpenedArray): Effect.Effect<FragmentTarget, never, Codecs> =>
  Effect.map(accessOf(array), (access) => ({
    uri: array.uri,
    schema: array.schema,
    schemaName: array.schemaName,
    version: fragmentVersion(array.schema.version),
    access,
  }))

/**
 * Loads the metadata of a group in which its tags are looked up.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../platform/storage/service.ts"
import { loadMetadata } from "../array/metadata/metadata.ts"
import type { LoadItems } from "../array/metadata/tag_times.ts"
import { accessOf } from "../array/open/open.ts"
import { openingOf } from "../array/open/open_options.ts"
import { checkGroup, openGroupTile } from "./open_group.ts"

/** Loads the current metadata of a group. */
export const loadGroupItems: LoadItems = (uri, key) =>
  Effect.gen(function* () {
    const end = Number.MAX_SAFE_INTEGER
    const opening = yield* openingOf(uri, key === undefined ? { end } : { end, key })
    const storage = yield* Storage
    yield* checkGroup(opening.uri, yield* storage.list(opening.uri))
    return yield* loadMetadata(opening.uri, opening.time, yield* accessOf(opening), openGroupTile)
  })

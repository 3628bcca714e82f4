/**
 * Removes files of consolidated fragment metadata that a newer one replaces. No such file is required: readers find
 * every footer in its fragment.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../../platform/storage/service.ts"
import { FRAGMENT_METADATA_FOLDER } from "../../../schema/name/array_paths.ts"
import { parseName } from "../../../schema/name/timestamped_name.ts"
import { newestFooters } from "../../array/open/directory.ts"
import { join, listArray } from "../../array/open/listing.ts"
import type { Replaced, VacuumFailure } from "../vacuum/removal.ts"

/** Plans the removal of all such files except the one that readers use. */
export const planFootersVacuum = (uri: string): Effect.Effect<ReadonlyArray<Replaced>, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const listing = yield* listArray(uri)
    const folder = yield* storage.list(join(uri, FRAGMENT_METADATA_FOLDER))
    const newest = newestFooters(listing, folder)
    if (newest === undefined) return []
    const files = [
      ...listing.root.map((entry) => ({ entry, path: entry.name })),
      ...folder.map((entry) => ({ entry, path: `${FRAGMENT_METADATA_FOLDER}/${entry.name}` })),
    ]
      .filter(({ entry: { name, kind } }) => kind === "file" && name.endsWith(".meta") && parseName(name) !== undefined)
      .map(({ path }) => ({ path, uri: join(uri, path) }))
      .filter((file) => file.uri !== newest.uri)
    const replacement = { path: newest.uri.slice(uri.length + 1), uri: newest.uri }
    return files.length === 0 ? [] : [{ replacement, phases: [files] }]
  })

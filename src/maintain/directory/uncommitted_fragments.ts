/**
 * Fragments without a commit: the folders of writes that run, or that were killed. Readers ignore them.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { type Entry, Storage } from "../../../platform/storage/service.ts"
import type { FormatError } from "../../../schema/errors/format_error.ts"
import { FRAGMENTS_FOLDER } from "../../../schema/name/array_paths.ts"
import { parseName } from "../../../schema/name/timestamped_name.ts"
import { join } from "../../array/open/listing.ts"
import { readListed } from "../../array/open/read_listed.ts"
import { commitsOf, loadCommitFiles } from "./commit_files.ts"

/**
 * Returns the paths of the fragment folders of an array that no commit file names, relative to the array. Before format 5
 * commits are not separate files; folders of these formats are not returned.
 */
export const uncommittedFragments = (
  uri: string,
): Effect.Effect<ReadonlyArray<string>, NotFound | StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    // list the fragments first: a write that commits between the two listings is then not reported
    const inFolder = yield* storage.list(join(uri, FRAGMENTS_FOLDER))
    const [{ root }, commits] = yield* readListed(
      uri,
      (listing) => Effect.map(loadCommitFiles(listing), (files) => [listing, commitsOf(files)] as const),
    )
    const committed = new Set([...commits.values()].map(({ name }) => name.name))
    const isUncommitted = ({ kind, name }: Entry): boolean =>
      kind === "folder" && parseName(name)?.form === "t_t_uuid_v" && !committed.has(name)
    return [
      ...root.filter(isUncommitted).map(({ name }) => name),
      ...inFolder.filter(isUncommitted).map(({ name }) => `${FRAGMENTS_FOLDER}/${name}`),
    ].sort()
  })

/**
 * Consolidates commits: writes one file that lists all commits. Format: `consolidated_commits_file.md`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { createUnique, inFlight, Storage } from "../../../platform/storage/service.ts"
import { encode } from "../../../schema/binary/mod.ts"
import { type ConsolidatedCommit, ConsolidatedCommits } from "../../../schema/commit/consolidated_commits.ts"
import { commitPath } from "../../../schema/name/array_paths.ts"
import { compareNames } from "../../../schema/name/timestamped_name.ts"
import { Since } from "../../../schema/version/version.ts"
import { claimCommits } from "../../array/create/commit_claim.ts"
import { join } from "../../array/open/listing.ts"
import { readListed } from "../../array/open/read_listed.ts"
import { loadLatestSchema } from "../../array/open/latest_schema.ts"
import type { EncryptionKey } from "../../../platform/keys.ts"
import { commitsOf, loadCommitFiles } from "../directory/commit_files.ts"
import { consolidatedFileName } from "../directory/consolidated_name.ts"
import { type ConsolidateFilesError, type ConsolidateResult, unchanged } from "../directory/result.ts"
import { MaintenanceError } from "../directory/maintenance_error.ts"

/** Writes one file that lists all commits. Writes nothing if such a file exists or if there are no commits. */
export const consolidateCommits = (
  uri: string,
  key: EncryptionKey | undefined,
): Effect.Effect<ConsolidateResult, ConsolidateFilesError, Storage | Codecs> =>
  Effect.scoped(Effect.gen(function* () {
    const storage = yield* Storage
    const { schema: { version } } = yield* loadLatestSchema(uri, key)
    if (version < Since.folders) {
      const detail = `commits are consolidated from format ${Since.folders} on, the array has ${version}`
      return yield* Effect.fail(new MaintenanceError({ uri, reason: "Unsupported", detail }))
    }
    // a vacuum must not remove a commit between the listing and the consolidated file
    yield* claimCommits(uri)
    const files = yield* readListed(uri, loadCommitFiles)
    const commits = [...commitsOf(files).values()].sort((a, b) => compareNames(a.name, b.name))
    if (commits.length === 0) return unchanged
    const names = new Set(commits.map(({ path }) => path))
    const isComplete = files.consolidated.some(({ entries }) =>
      entries.length === names.size && entries.every(({ path }) => names.has(path))
    )
    if (isComplete) return unchanged
    const entries = yield* Effect.forEach(
      commits,
      ({ path, bytes }): Effect.Effect<ConsolidatedCommit, ConsolidateFilesError> =>
        !path.endsWith(".del")
          ? Effect.succeed({ path, file: null })
          : Effect.map(bytes === undefined ? storage.read(join(uri, path)) : Effect.succeed(bytes), (file) => ({
            path,
            file,
          })),
      { concurrency: inFlight(storage, uri, 16) },
    )
    const name = yield* consolidatedFileName(commits.map((commit) => commit.name), "commits", version)
    const path = commitPath(version, name, "consolidated")!
    yield* createUnique(storage, join(uri, path), encode(ConsolidatedCommits, entries, version))
    return { written: [path], inputs: commits.map((commit) => commit.path) }
  }))

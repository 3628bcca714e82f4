/**
 * Removes commit files that a consolidated file replaces. Format: `consolidated_commits_file.md`, `ignore_file.md`.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import { readListed } from "../../array/open/read_listed.ts"
import { type CommitFile, commitsOf, loadCommitFiles } from "../directory/commit_files.ts"
import type { Replaced, VacuumFailure } from "../vacuum/removal.ts"

/**
 * Plans the removal: first the commits that a consolidated file lists; then other consolidated files, if one of them
 * lists all commits; last the ignore files, which the other consolidated files may need.
 */
export const planCommitsVacuum = (uri: string): Effect.Effect<ReadonlyArray<Replaced>, VacuumFailure, Storage> =>
  Effect.gen(function* () {
    const files = yield* readListed(uri, loadCommitFiles)
    const { single, consolidated, ignoreFiles, ignored } = files
    const removals: Array<Replaced> = []
    // the file to keep: it lists all commits, and no ignored ones
    const commits = commitsOf(files)
    const complete = consolidated.find(({ entries }) =>
      entries.length >= commits.size && new Set(entries.map(({ path }) => path)).size === commits.size &&
      entries.every(({ path }) => commits.has(path) && !ignored.has(path))
    )
    for (const file of consolidated) {
      if (complete !== undefined && file !== complete) continue
      const listed = new Set(file.entries.flatMap(({ path }) => ignored.has(path) ? [] : [path]))
      const steps = single.filter(({ path }) => listed.has(path))
      removals.push({ replacement: file, phases: [steps] })
    }
    if (complete !== undefined) {
      const others = (list: ReadonlyArray<CommitFile>) => list.filter((file) => file.path !== complete.path)
      removals.push({ replacement: complete, phases: [others(consolidated), ignoreFiles] })
    }
    return removals.filter(({ phases }) => phases.some((phase) => phase.length > 0))
  })

/**
 * A warning about fragments without a commit.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import { uncommittedFragments } from "../../maintain/directory/uncommitted_fragments.ts"
import { type Terminal, warn } from "./terminal.ts"

/** Maximum number of folders that the warning lists. */
const MAX_LISTED_FOLDERS = 10

/**
 * Warns about fragments without a commit, and describes how to remove them. Prints nothing if the folders cannot be
 * listed: the command itself reports the error.
 */
export const warnUncommitted = (uri: string, terminal: Terminal): Effect.Effect<void, never, Storage> =>
  Effect.flatMap(Effect.orElseSucceed(uncommittedFragments(uri), () => []), (paths) =>
    Effect.gen(function* () {
      if (paths.length === 0) return
      const folders = paths.length === 1 ? "1 fragment has" : `${paths.length} fragments have`
      yield* warn(
        terminal,
        `${folders} no commit, and readers ignore ${paths.length === 1 ? "it" : "them"}: a write is running or was ` +
          "killed. If no program writes to the array, remove from its folder:",
      )
      for (const path of paths.slice(0, MAX_LISTED_FOLDERS)) yield* warn(terminal, `  ${path}`)
      if (paths.length > MAX_LISTED_FOLDERS) {
        yield* warn(terminal, `  and ${paths.length - MAX_LISTED_FOLDERS} more folders`)
      }
    }))

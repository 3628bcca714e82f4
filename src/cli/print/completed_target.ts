/**
 * Detects that an import or copy is complete.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../../platform/storage/service.ts"
import { isMark } from "../../array/open/unfinished.ts"
import { lastComponent } from "../../../schema/name/timestamped_name.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Runs an import or copy, and informs the terminal when the array is complete: the last step removes the mark of
 * unfinished arrays. An interruption after this step keeps the array.
 */
export const withCompletionNotice = <A, E, R>(
  terminal: Terminal,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.updateService(work as Effect.Effect<A, E, R | Storage>, Storage, (storage) => ({
    ...storage,
    remove: (uri) =>
      isMark(lastComponent(uri))
        ? Effect.tap(storage.remove(uri), () => Effect.sync(() => terminal.onChanged?.()))
        : storage.remove(uri),
  })) as Effect.Effect<A, E, R>

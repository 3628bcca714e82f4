/**
 * A claim for changes of existing commits: a file in the array's folder that only one process can create. Without it,
 * two processes could combine the same fragment at the same time, and each of its cells would exist twice; or a process
 * could list a commit in a consolidated file that another one removes. Writers do not need it.
 *
 * A killed process leaves its claim behind. A process that has waited long enough creates a claim of the next
 * generation, and removes the earlier ones with its own. Engines ignore these files.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StorageError } from "../../../platform/errors.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { join } from "../open/listing.ts"
import { sleepReal } from "./write_time.ts"

const pattern = /^__tessera_consolidate\.(\d{1,15})\.claim$/

/** Returns whether a file in the array's folder is such a claim. */
export const isCommitClaim = (name: string): boolean => pattern.test(name)

/** Milliseconds between two checks of another process's claim. */
const CHECK_INTERVAL = 5

/** A claim is taken over if it has not changed for this many milliseconds or this many checks, whichever is longer. */
const MIN_TAKEOVER_TIME = 500
const MIN_TAKEOVER_CHECKS = 30

/** Creates a claim, after the claims of other processes were removed or became too old. The scope removes it. */
export const claimCommits = (uri: string): Effect.Effect<void, StorageError, Storage | Scope.Scope> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    let last = -1
    let waited = 0
    let checks = 0
    while (true) {
      const root = yield* storage.list(uri)
      const generations = root.flatMap(({ name }) => pattern.exec(name)?.[1] ?? []).map(Number)
      const newest = Math.max(-1, ...generations)
      if (newest !== last) {
        last = newest
        waited = 0
        checks = 0
      }
      if (newest < 0 || (waited >= MIN_TAKEOVER_TIME && checks >= MIN_TAKEOVER_CHECKS)) {
        const files = [...generations, newest + 1].sort((a, b) => a - b).map((generation) =>
          join(uri, `__tessera_consolidate.${generation}.claim`)
        )
        // the own claim is removed last, so that no process sees an earlier one alone
        const release = Effect.forEach(
          files,
          (file) => Effect.ignore(Effect.retry(storage.remove(file), { times: 2 })),
          { discard: true },
        )
        const isOurs = yield* Effect.acquireRelease(
          Effect.as(storage.create(files[files.length - 1], new Uint8Array(0)), true).pipe(
            Effect.catchTag("AlreadyExists", () => Effect.succeed(false)),
          ),
          (created) => created ? release : Effect.void,
        )
        if (isOurs) return
      }
      // random, so that waiting processes do not retry at the same time
      const pause = CHECK_INTERVAL * (1 + Math.random())
      yield* sleepReal(pause)
      waited += pause
      checks++
    }
  })

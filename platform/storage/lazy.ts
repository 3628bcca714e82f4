/**
 * A storage that is loaded on first use, so that programs without it do not wait for its modules.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { forwardStorage } from "./map_storage.ts"
import type { Storage } from "./service.ts"

/** Returns a storage that calls `load` on first use. */
export const deferStorage = (load: () => Promise<Storage>): Storage => {
  let loading: Promise<Storage> | undefined
  const storage = Effect.promise(() => loading ??= load())
  return forwardStorage((_operation, _uri, call) => Effect.flatMap(storage, call))
}

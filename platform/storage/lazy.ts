/**
 * A storage that is loaded when it is first asked: what needs none of its modules does not wait for them.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { forwardStorage } from "./map_storage.ts"
import type { Storage } from "./service.ts"

/** The storage that `load` promises, loaded at the first call. */
export const deferStorage = (load: () => Promise<Storage>): Storage => {
  let loading: Promise<Storage> | undefined
  const storage = Effect.promise(() => loading ??= load())
  return forwardStorage((_operation, _uri, call) => Effect.flatMap(storage, call))
}

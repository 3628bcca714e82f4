/**
 * Arrays that come to be filled: made at the beginning, and removed again if that fails.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Storage } from "../../platform/storage.ts"
import { type AnyTileArray, openedOf } from "../array/handle.ts"
import type { OpenedArray } from "../array/open.ts"

/** What is made; it is removed with a scope that ends otherwise than well. */
export const removedOnFailure = <E, R>(
  make: Effect.Effect<AnyTileArray, E, R>,
): Effect.Effect<OpenedArray, E, R | Storage | Scope.Scope> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.acquireRelease(
      Effect.map(make, openedOf),
      (made, exit) => exit._tag === "Success" ? Effect.void : Effect.ignore(storage.remove(made.uri)),
    ))

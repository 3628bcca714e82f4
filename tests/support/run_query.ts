/** Runs effects over the storages of this machine, and says what they read. */
import * as Effect from "effect/Effect"
import { type Dense, layerDefault } from "../../mod.ts"
import { makeCounters, StorageService, withCounters } from "../../platform/mod.ts"

/** What queries need. */
export type Services = Effect.Effect.Context<ReturnType<typeof Dense.read>>

/** The result of an effect. */
export const run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layerDefault))

/** What something answers, and how much was read for it: requests, and bytes. */
export const counted = <A, E>(effect: Effect.Effect<A, E, Services>) =>
  Effect.gen(function* () {
    const trace = makeCounters()
    const answer = yield* Effect.updateService(effect, StorageService, (storage) => withCounters(storage, trace))
    return { answer, requests: trace.requests, bytes: trace.bytesRead }
  })

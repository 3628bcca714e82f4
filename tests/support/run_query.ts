/** Runs effects over the default storages, and counts their reads. */
import * as Effect from "effect/Effect"
import { type Dense, layerDefault } from "../../mod.ts"
import { makeCounters, StorageService, withCounters } from "../../platform/mod.ts"

/** The services that queries require. */
export type Services = Effect.Effect.Context<ReturnType<typeof Dense.read>>

/** Returns the result of an effect. */
export const run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layerDefault))

/** Returns the result of an effect, the number of requests, and the number of bytes read. */
export const counted = <A, E>(effect: Effect.Effect<A, E, Services>) =>
  Effect.gen(function* () {
    const trace = makeCounters()
    const answer = yield* Effect.updateService(effect, StorageService, (storage) => withCounters(storage, trace))
    return { answer, requests: trace.requests, bytes: trace.bytesRead }
  })

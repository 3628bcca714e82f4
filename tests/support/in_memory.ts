/** Runs effects over a fresh storage in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Codecs, layerMemory, layerNative, type StorageService } from "../../mod.ts"

const layer = () => Layer.merge(Layer.fresh(layerMemory), layerNative)

/** The result of an effect; what it writes is gone afterwards. */
export const inMemory = <A, E>(effect: Effect.Effect<A, E, StorageService | Codecs>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer()))

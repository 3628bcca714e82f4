/** Runs effects over a new storage in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Codecs, layerMemory, layerNative, type StorageService } from "../../mod.ts"

const layer = () => Layer.merge(Layer.fresh(layerMemory), layerNative)

/** Returns the result of an effect; its storage is discarded afterwards. */
export const inMemory = <A, E>(effect: Effect.Effect<A, E, StorageService | Codecs>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer()))

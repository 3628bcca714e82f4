/** Verifies arrays in memory and returns their findings. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TileArray } from "../../mod.ts"
import { layerNative, layerWebp, makeMemoryStorage, StorageService } from "../../platform/mod.ts"

/** Returns the findings of the array `mem://<path>` in `files`. */
export const findingsOf = (
  path: string,
  files: ReadonlyMap<string, Uint8Array>,
  options: TileArray.VerifyOptions = {},
): Promise<ReadonlyArray<TileArray.Finding>> => {
  const storage = Layer.succeed(StorageService, makeMemoryStorage(new Map(files)))
  const layer = Layer.merge(storage, Layer.provide(layerWebp, layerNative))
  const program = Stream.runCollect(TileArray.verify(`mem://${path}`, options))
  return Effect.runPromise(Effect.provide(Effect.map(program, Chunk.toReadonlyArray), layer))
}

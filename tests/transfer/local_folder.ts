/** Helpers for tests of copies and imports: a folder on the local disk, and small arrays in it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync } from "node:fs"
import { ArraySchema, Attr, type Codecs, Dim, Sparse, StorageService, TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/mod.ts"
import { localGround } from "../laws/ground.ts"

export type Program<A> = Effect.Effect<A, unknown, StorageService | Codecs>

export const over = <A>(storage: StorageService, program: Program<A>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, Layer.merge(Layer.succeed(StorageService, storage), layerNative)))

/** Runs a test in a new folder on the local disk. */
export const inFolder = async (body: (folder: string, storage: StorageService) => Promise<void>): Promise<void> => {
  const ground = localGround()
  try {
    mkdirSync(ground.uri, { recursive: true })
    await body(ground.uri, ground.storage)
  } finally {
    ground.close()
  }
}

export const Points = ArraySchema.sparse({
  dims: { x: Dim.uint32([0, 9999]) },
  attrs: { n: Attr.uint8() },
  capacity: 4,
})

/** Creates an array with this number of cells. */
export const makePoints = (uri: string, length = 40, options: TileArray.CreateOptions = {}) =>
  Effect.flatMap(TileArray.create(uri, Points, options), (array) =>
    Sparse.write(array, {
      x: Uint32Array.from({ length }, (_, i) => i),
      n: Uint8Array.from({ length }, (_, i) => i),
    }))

/** Rewrites arrays sequentially, each in a separate memory storage. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { layerWebp } from "../../platform/codecs/webp/locate.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import type { PackedArray } from "../support/packed_arrays.ts"
import { compareArray, type Compared } from "./compare.ts"
import { rewriteArray } from "./rewrite.ts"

/** Returns an array, and the arrays of its dimension labels. */
const withLabels = (array: PackedArray): ReadonlyArray<PackedArray> => {
  const { path, files } = array
  const labels = [...files.keys()].map((file) => file.slice(path.length + 1).split("/")).filter(([folder, name]) =>
    folder === "__labels" && name !== undefined
  ).map(([folder, name]) => `${path}/${folder}/${name}`)
  return [array, ...Array.from(new Set(labels), (path) => ({ ...array, path }))]
}

/** Rewrites arrays, and compares them; arrays that cannot be written are faults. */
export const rewriteAll = async (arrays: ReadonlyArray<PackedArray>, seen: Compared): Promise<void> => {
  for (const { path, key, files } of arrays.flatMap(withLabels)) {
    const storage = Layer.succeed(Storage, makeMemoryStorage(new Map(files)))
    const comparing = Effect.flatMap(rewriteArray(path, key), (array) => compareArray(array, seen))
    const layer = Layer.merge(storage, Layer.provideMerge(layerWebp, layerNative))
    await Effect.runPromise(Effect.provide(Effect.scoped(comparing), layer)).catch((error) => {
      seen.faults.push(`${path}: ${error}`)
    })
  }
}

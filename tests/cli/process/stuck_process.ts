/** The command line over a storage that never answers and cannot be interrupted. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerNative, makeMemoryStorage, StorageService } from "../../../platform/mod.ts"
import { runProcess } from "../../../src/cli/run_process.ts"

setInterval(() => {}, 1000)
const storage: StorageService = {
  ...makeMemoryStorage(),
  list: () => Effect.zipRight(Effect.sync(() => console.log("waiting")), Effect.uninterruptible(Effect.never)),
}
runProcess(Layer.merge(Layer.succeed(StorageService, storage), layerNative))

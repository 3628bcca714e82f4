/**
 * `deno task tessera …`, `bun run tessera …`: the command line of this process.
 *
 * @module
 */
import { layerDefault } from "../../platform/runtime/default_layer.ts"
import { runProcess } from "./run_process.ts"

runProcess(layerDefault)

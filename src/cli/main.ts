/**
 * The entry point of `deno task tessera …` and `bun run tessera …`.
 *
 * @module
 */
import { layerDefault } from "../../platform/runtime/default_layer.ts"
import { runProcess } from "./run_process.ts"

runProcess(layerDefault)

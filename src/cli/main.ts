/**
 * `deno task tessera …`, `bun run tessera …`: the command line of this process.
 *
 * @module
 */
// first, since it works on what is loaded after it
import { endStart } from "./quick_start.ts"
import * as Effect from "effect/Effect"
import { layerDefault } from "../../platform/runtime.ts"
import { thisProcess } from "../../platform/runtime_process.ts"
import { runCommand } from "./mod.ts"

/** The width of tables where there is no terminal. */
const COLUMNS = 80
/** No table is narrower than this, whatever the terminal. */
const FEWEST_COLUMNS = 40

endStart()
const { args, columns, setExitCode, ...streams } = thisProcess()
const terminal = { ...streams, columns: Math.max(columns ?? COLUMNS, FEWEST_COLUMNS) }
Effect.runPromise(Effect.provide(runCommand(args, terminal), layerDefault)).then(setExitCode)

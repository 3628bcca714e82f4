/**
 * The command line as a function: takes arguments, prints text and returns an exit code.
 *
 * ```ts
 * import { runCommand } from "@tessera/array/cli"
 * import { layerDefault } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * let out = ""
 * const terminal = {
 *   environment: () => undefined,
 *   columns: 80,
 *   write: async (text: string) => void (out += text),
 *   say: async (line: string) => console.error(line),
 * }
 * const args = ["read", "tests/golden/demo/weather", "--range", "day=60", "--select", "temperature", "--format", "csv"]
 * const code = await Effect.runPromise(Effect.provide(runCommand(args, terminal), layerDefault))
 * assertEquals([code, out], [0, "temperature\n7.5\n8\n6.5\n9.5\n"])
 * ```
 *
 * @module
 */
export type { ExitCode } from "./exit_code.ts"
export type { Drawing, Terminal } from "./print/terminal.ts"
export { runCommand, VERSION } from "./run_command.ts"

// `deno run jsr:@tessera/array/cli` and `deno install -g` run this module. In a bundled program, `import.meta.main`
// refers to the program, so the URL is compared too.
if (import.meta.main && /\/src\/cli\/mod\.[jt]s$/.test(import.meta.url)) {
  void Promise.all([import("./run_process.ts"), import("../../platform/runtime/default_layer.ts")]).then(
    ([{ runProcess }, { layerDefault }]) => runProcess(layerDefault),
  )
}

/** W16: a new process opens an array, reads a tile and prints it. */
import { spawnSync } from "node:child_process"

/** Runs a command and returns the milliseconds that it took. */
export const runOnce = (command: ReadonlyArray<string>): number => {
  const start = performance.now()
  const { status, stderr, error } = spawnSync(command[0], command.slice(1), { encoding: "utf8" })
  if (status !== 0) throw new Error(`${command.slice(0, 4).join(" ")}: ${error?.message ?? stderr.trim()}`)
  return performance.now() - start
}

/** Returns the commands; each prints the cells of one tile. */
export const coldCommands = (array: string, python: string, bundle: string): {
  readonly peer: ReadonlyArray<string>
  readonly deno: ReadonlyArray<string>
  readonly bun: ReadonlyArray<string>
} => {
  const args = ["read", array, "--range", "i=64:127", "--range", "j=128:191", "--format", "csv"]
  const script = [
    "import tiledb",
    `with tiledb.open(${JSON.stringify(array)}) as array:`,
    "    cells = array[64:128, 128:192]",
    "cells.tofile('/dev/stdout', '\\n') if hasattr(cells, 'tofile') else print(cells)",
  ]
  return {
    peer: [python, "-c", script.join("\n")],
    deno: ["deno", "run", "-A", bundle, ...args],
    bun: ["bun", bundle, ...args],
  }
}

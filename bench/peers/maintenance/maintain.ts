/**
 * tessera's side of the maintenance cases: `maintain.ts OPERATION URI COPY` runs an operation in a new process and
 * prints its cost as one line of JSON, as `maintain.py run` does.
 */
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import process from "node:process"
import { TileArray } from "../../../mod.ts"
import { layerDefault } from "../../../platform/mod.ts"

const [operation, uri, copy] = process.argv.slice(2)

const numberIn = (file: string, pattern: RegExp): number => Number(pattern.exec(readFileSync(file, "utf8"))![1])
const peak = (): number => 1024 * numberIn("/proc/self/status", /VmHWM:\s+(\d+)/)
const bytesRead = (): number => numberIn("/proc/self/io", /rchar: (\d+)/)
const bytesWritten = (): number => numberIn("/proc/self/io", /wchar: (\d+)/)

const options: TileArray.ConsolidateOptions = operation === "fragments"
  ? { amplification: 1000 }
  : { mode: operation as TileArray.ConsolidateMode }

const base = peak()
const [read, written] = [bytesRead(), bytesWritten()]
const cpu = process.cpuUsage()
const start = performance.now()
const run = (target: string) => Effect.runPromise(Effect.provide(TileArray.consolidate(target, options), layerDefault))
await run(uri)
const ms = performance.now() - start
const { user, system } = process.cpuUsage(cpu)
const first = {
  ms,
  cpu: (user + system) / 1000,
  read: bytesRead() - read,
  written: bytesWritten() - written,
  peak: peak(),
  base,
}
const startAgain = performance.now()
await run(copy)
console.log(JSON.stringify({ ...first, again: performance.now() - startAgain }))
process.exit(0)

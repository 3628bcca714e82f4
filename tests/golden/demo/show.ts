/**
 * `deno task demo`: what a newcomer wants to see, through the command line: the schema of an array that the real engine
 * wrote, a slice of it, and the same slice as it was before a correction.
 */
import { spawnSync } from "node:child_process"
import { join, relative } from "node:path"
import process from "node:process"

const root = join(import.meta.dirname!, "..", "..", "..")
const array = relative(root, join(import.meta.dirname!, "weather"))
/** The morning of the first write; the correction came a day later. */
const MONDAY = "1709539200000"

const slice = ["read", array, "--range", "day=59:61", "--range", "station=1:3"]
const scenes: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["What is in this array?", ["schema", array]],
  ["Three days at three stations:", slice],
  ["The same, as it was on Monday, before somebody looked at the sensors:", [...slice, "--at", MONDAY]],
]

const run = "Deno" in globalThis ? ["run", "-A"] : []
for (const [title, args] of scenes) {
  console.log(`\n${title}\n\n$ tessera ${args.join(" ")}`)
  const { status } = spawnSync(process.execPath, [...run, join("src", "cli", "main.ts"), ...args], {
    cwd: root,
    stdio: "inherit",
  })
  if (status !== 0) {
    process.exitCode = 1
    break
  }
}

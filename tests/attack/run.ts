/**
 * `deno task attack`: a sweep of inputs that attack the engine. Closes with `N inputs, N bad`, and fails if any is bad.
 *
 *     --count N                    how many inputs (2,000)
 *     --seed S                     other inputs (1)
 *     --only I                     just the input of this number
 *     --kind NAME                  just inputs of one kind: signals, rivals, faults, forged, servers
 *     --runtime deno|bun|both      of the child processes (both)
 */
import { availableParallelism } from "node:os"
import process from "node:process"
import { parseArgs } from "node:util"
import { findRuntimes } from "./processes.ts"
import { sweep } from "./sweep.ts"

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      kind: { type: "string" },
      runtime: { type: "string", default: "both" },
    },
  })
  const whole = (name: "count" | "only", text: string, min: number): number => {
    if (!/^\d+$/.test(text) || Number(text) < min) throw new Error(`--${name} is a whole number from ${min} on`)
    return Number(text)
  }
  if (!["deno", "bun", "both"].includes(values.runtime)) throw new Error("--runtime is deno, bun or both")
  const { inputs, bad } = await sweep({
    seed: values.seed,
    count: whole("count", values.count, 1),
    ...(values.only === undefined ? {} : { only: whole("only", values.only, 0) }),
    ...(values.kind === undefined ? {} : { kind: values.kind }),
    runtimes: findRuntimes(values.runtime),
    concurrency: availableParallelism(),
    print: (line) => console.log(line),
  })
  // the form that tests/run.ts reads, then ours
  console.log(`${inputs - bad} passed, ${bad} failed`)
  console.log(`${inputs} inputs, ${bad} bad`)
  return bad === 0 ? 0 : 1
}

try {
  process.exit(await main())
} catch (error) {
  console.error(`attack: ${(error as Error).message}`)
  process.exit(2)
}

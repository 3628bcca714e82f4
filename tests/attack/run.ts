/**
 * `deno task attack`: a sweep of inputs that attack the engine. Ends with `N inputs, N bad`, and fails if any input is
 * bad.
 *
 *     --count N                    the number of inputs (2,000)
 *     --seed S                     the seed of the inputs (1)
 *     --only I                     runs only the input with this number
 *     --kind NAME                  runs only inputs of one kind: signals, rivals, faults, forged, servers
 *     --runtime deno|bun|both      the runtimes of the child processes (both)
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
  // the first line is the form that tests/run.ts parses
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

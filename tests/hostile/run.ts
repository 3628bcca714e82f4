/**
 * `deno task hostile`: damages every fixture at positions that depend on a seed – truncated, bits flipped, zeroed,
 * filled with 0xFF, in the files and after decompression – and runs all read operations. Each case must end in a
 * located error or in a valid result (defined in `judge.ts`), quickly, and within the memory limits. Prints `N passed,
 * N failed` at the end.
 *
 *     --count N                    the number of mutations in each runtime (10,000)
 *     --seed S                     the seed of the positions (1)
 *     --runtime deno|bun|both      (both)
 *     --packed                     only the fixtures in the repository, even if all fixtures are available
 *     --only ID                    only one case, such as `v22/dense_fill/array#3`, as printed for failures
 */
import process from "node:process"
import { parseArgs } from "node:util"
import { runtimes } from "../interop/processes.ts"
import { shown, sweep } from "./sweep.ts"

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "10000" },
      seed: { type: "string", default: "1" },
      runtime: { type: "string", default: "both" },
      packed: { type: "boolean", default: false },
      only: { type: "string" },
    },
  })
  const count = Number(values.count)
  if (!Number.isInteger(count) || count < 1) throw new Error("--count is a whole number above 0")
  if (!["deno", "bun", "both"].includes(values.runtime)) throw new Error("--runtime is deno, bun or both")
  const chosen = runtimes().filter(({ name }) => values.runtime === "both" || name.toLowerCase() === values.runtime)
  let [passed, failed] = [0, 0]
  await Promise.all(chosen.map(async (runtime) => {
    const start = performance.now()
    const result = await sweep({
      runtime,
      seed: values.seed,
      fixtures: values.packed ? "packed" : "all",
      count,
      rounds: 1,
      ...(values.only === undefined ? {} : { only: values.only }),
      print: (line) => console.log(line),
    })
    console.log(shown(runtime.name, result, (performance.now() - start) / 1000))
    if (result.cases === 0 && result.failed === 0) throw new Error("no such case")
    passed += result.cases - Math.min(result.cases, result.failed)
    failed += result.failed
  }))
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`hostile: ${(error as Error).message}`)
  process.exitCode = 2
}

/**
 * `deno task golden DIR…`, `bun run golden DIR…`: reads every array and group that an `expected.json` below a DIR
 * records, compares the results, prints the differences, and ends with `N passed, N failed, 0 skipped`.
 *
 *     --codecs native|portable   the codec layer (native)
 *     --only REGEX               only matching comparisons, such as `DIR/…/array: read full`
 *     --quiet                    prints only the last line
 */
import process from "node:process"
import { parseArgs } from "node:util"
import { checkCase, type Engine } from "./check_case.ts"
import { findCases, loadCase } from "./expected.ts"

/** The result of a run. */
export interface Totals {
  readonly passed: number
  readonly failed: number
}

export interface RunOptions {
  readonly only?: RegExp
  /** Called with each difference. */
  readonly print?: (line: string) => void
}

/** Runs all cases below the folders. */
export const run = async (
  folders: ReadonlyArray<string>,
  engine: Engine,
  options: RunOptions = {},
): Promise<Totals> => {
  const print = options.print ?? (() => {})
  const totals = { passed: 0, failed: 0 }
  for (const folder of folders) {
    for (const path of findCases(folder)) {
      for await (const { uri, thing, failure } of checkCase(loadCase(path), engine, options.only)) {
        if (failure === undefined) totals.passed++
        else {
          totals.failed++
          print(`FAILED ${uri}: ${thing}: ${failure}`)
        }
      }
    }
  }
  return totals
}

/** Returns the last line of the output. */
export const summary = ({ passed, failed }: Totals): string => `${passed} passed, ${failed} failed, 0 skipped`

const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      codecs: { type: "string", default: "native" },
      only: { type: "string" },
      quiet: { type: "boolean", default: false },
    },
  })
  const { codecs, only, quiet } = values
  if (positionals.length === 0) throw new Error("missing argument: golden DIR…")
  if (codecs !== "native" && codecs !== "portable") throw new Error(`--codecs ${codecs}: native or portable`)
  const { makeEngine } = await import("./adapter.ts")
  const totals = await run(positionals, makeEngine(codecs), {
    ...(only === undefined ? {} : { only: new RegExp(only) }),
    print: (line) => quiet ? undefined : console.log(line),
  })
  console.log(summary(totals))
  if (totals.passed + totals.failed === 0) throw new Error("no cases in these folders")
  return totals.failed === 0 ? 0 : 1
}

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    console.error(`golden: ${(error as Error).message}`)
    process.exitCode = 2
  }
}

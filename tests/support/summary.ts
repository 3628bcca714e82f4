/** Parses the numbers of passed and failed tests from the output of test runners. */

/** The kind of a runner. `plain` runners end with `N passed, N failed` or `N passed, N failed, N skipped`. */
export type Runner = "deno" | "bun" | "plain"

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Whether the summary is missing, or does not explain the exit code. */
  readonly died: boolean
}

const deno =
  /^(?:ok|FAILED) \| (\d+) passed(?: \((\d+) steps?\))? \| (\d+) failed(?: \((\d+) steps?\))?(?:.*?\| (\d+) ignored(?: \((\d+) steps?\))?)?/gm
const plain = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm

const last = (pattern: RegExp, text: string): RegExpMatchArray | undefined => [...text.matchAll(pattern)].at(-1)
const number = (text: string | undefined): number => Number(text ?? 0)

/** In Deno, a `describe` is a test and the tests in it are its steps: if there are steps, they are counted. */
const larger = (tests: string | undefined, steps: string | undefined): number => Math.max(number(tests), number(steps))

const read = (runner: Runner, text: string): Omit<Counts, "died"> | undefined => {
  if (runner === "bun") {
    const count = (word: string): RegExpMatchArray | undefined => last(new RegExp(`^ *(\\d+) ${word}$`, "gm"), text)
    const [passed, failed] = [count("pass"), count("fail")]
    if (passed === undefined && failed === undefined) return undefined
    // files that cannot be loaded are errors, not failed tests
    const errors = number(count("errors?")?.[1])
    return {
      passed: number(passed?.[1]),
      failed: number(failed?.[1]) + errors,
      skipped: number(count("(?:skip|todo)")?.[1]),
    }
  }
  const match = last(runner === "deno" ? deno : plain, text)
  if (match === undefined) return undefined
  return runner === "deno"
    ? { passed: larger(match[1], match[2]), failed: larger(match[3], match[4]), skipped: larger(match[5], match[6]) }
    : { passed: number(match[1]), failed: number(match[2]), skipped: number(match[3]) }
}

/** Returns the counts for the output and exit code of a runner. A runner that died counts as at least one failure. */
export const countsOf = (runner: Runner, output: string, code: number): Counts => {
  // deno-lint-ignore no-control-regex
  const text = output.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "").replace(/\r/g, "")
  const counts = read(runner, text) ?? { passed: 0, failed: 0, skipped: 0 }
  // no summary, no tests at all, or an error that is not in the summary
  const died = counts.failed === 0 && (code !== 0 || counts.passed + counts.skipped === 0)
  return { ...counts, failed: counts.failed + (died ? 1 : 0), died }
}

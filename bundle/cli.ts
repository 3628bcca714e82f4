/**
 * `deno task bundle`: writes the command line as one file, `dist/tessera.js`, for Deno and Bun. Everything that makes
 * it start quickly is in this folder: `quick_start.ts`, `main.ts`, and this build step.
 *
 * V8 compiles a function when it is first called. Deno's code cache therefore contains few of the functions that a
 * short run needs. V8 compiles functions in parentheses, as in `(() => 1)()`, together with the surrounding code. This
 * step runs some commands and puts the functions that they called in parentheses, which changes nothing else: it saves
 * a third of the time of a short run.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"

const root = join(import.meta.dirname!, "..")
/** The bundle; another path as an argument, for tests. */
const bundle = resolve(process.argv[2] ?? join(root, "dist", "tessera.js"))

/** The position of a function in the code and whether it was called, in V8's coverage format. */
export interface Called {
  readonly ranges: ReadonlyArray<{ readonly startOffset: number; readonly endOffset: number; readonly count: number }>
}

/** Returns the end offset of the parameters of an arrow function, where `=>` follows. */
const behindParameters = (text: string): number => {
  const start = /^(async\b)?\s*/.exec(text)![0].length
  if (text[start] !== "(") return start + /^[\w$]*/.exec(text.slice(start))![0].length
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if (text[at] === "(") depth++
    else if (text[at] === ")" && --depth === 0) return at + 1
  }
  return text.length
}

/**
 * Whether a function is an expression, which may be put in parentheses, unlike declarations and methods. `before` is
 * the code in front of the function.
 */
const isExpression = (text: string, before: string): boolean =>
  /^(async\s+)?function\b/.test(text)
    ? /([=(,:?[&|!>]|\breturn)\s*$/.test(before)
    : /^\s*=>/.test(text.slice(behindParameters(text)))

/** Returns the code with parentheses around the functions that were called. */
export const inParentheses = (code: string, functions: ReadonlyArray<Called>): string => {
  const marks: Array<readonly [at: number, mark: "(" | ")"]> = []
  for (const { ranges: [{ startOffset, endOffset, count }] } of functions) {
    const before = code.slice(Math.max(0, startOffset - 10), startOffset)
    if (count > 0 && isExpression(code.slice(startOffset, endOffset), before)) {
      marks.push([startOffset, "("], [endOffset, ")"])
    }
  }
  // at the same position, the end of a function precedes the start of the next one
  marks.sort(([a, first], [b, second]) => a - b || (first === second ? 0 : first === ")" ? -1 : 1))
  let [out, from] = ["", 0]
  for (const [at, mark] of marks) {
    out += code.slice(from, at) + mark
    from = at
  }
  return out + code.slice(from)
}

/**
 * Returns the code without static imports of Node's modules: Deno would load them at every start, which takes a tenth
 * of a short run. papaparse requires a module for a feature that is not used here, and `@bomb.sh/tab`, which only
 * `tessera complete` uses, imports `node:assert` as a function. Both are loaded on first use.
 */
export const withoutRequire = (code: string): string =>
  code.replace(
    /import\s*\{\s*createRequire as (\w+)\s*\}\s*from\s*"node:module";\s*var (\w+)\s*=\s*\1\(import\.meta\.url\);/,
    (_, __, require) => `var ${require}=e=>process.getBuiltinModule("node:module").createRequire(import.meta.url)(e);`,
  ).replace(
    /import\s*(\w+)\s*from\s*"node:assert";/,
    (_, assert) => `var ${assert}=(...e)=>process.getBuiltinModule("node:assert")(...e);`,
  )

const weather = join(root, "tests", "golden", "demo", "weather")

/** The commands that are optimized to start quickly. */
const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["read", weather, "--range", "day=57:63", "--range", "station=1:2", "--format", "csv"],
  ["read", weather, "--select", "temperature"],
  ["schema", weather],
]

const deno = (...args: ReadonlyArray<string>): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
  if (status !== 0) throw new Error(`deno ${args.join(" ")}: ${stderr.trim()}`)
  return stdout
}

const outputs = (...flags: ReadonlyArray<string>): string =>
  commands.map((args) => deno("run", "-A", ...flags, bundle, ...args)).join("")

/** Returns the functions of the bundle from the coverage files in `folder`. */
const calledIn = (folder: string): ReadonlyArray<Called> =>
  readdirSync(folder).filter((name) => name.endsWith(".json")).flatMap((name) => {
    const { url, functions } = JSON.parse(readFileSync(join(folder, name), "utf8"))
    return url === pathToFileURL(bundle).href ? functions : []
  })

/** Returns each called function once, although several runs call it. */
const distinct = (functions: ReadonlyArray<Called>): ReadonlyArray<Called> => {
  const called = functions.filter(({ ranges }) => ranges[0].count > 0)
  return [...new Map(called.map((one) => [`${one.ranges[0].startOffset} ${one.ranges[0].endOffset}`, one])).values()]
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), "tessera-bundle-"))
  try {
    deno("bundle", "--quiet", "--minify", "--platform", "deno", "-o", bundle, "bundle/main.ts")
    const code = withoutRequire(readFileSync(bundle, "utf8"))
    if (/\bfrom\s*"node:/.test(code)) throw new Error("the bundle imports modules of Node, which are slow to load")
    writeFileSync(bundle, code)
    const expected = outputs(`--coverage=${folder}`)
    // bundlers keep all members of a namespace that is destructured or passed as a value: `const { Struct } = Schema`
    // adds 120 KB and 15 ms
    if (code.includes("Property failed after")) {
      throw new Error("the bundle contains fast-check: a module uses the namespace Schema as a value")
    }
    writeFileSync(bundle, inParentheses(code, distinct(calledIn(folder))))
    if (outputs() !== expected) throw new Error("the output of the bundle changed")
  } finally {
    rmSync(folder, { recursive: true })
  }
}

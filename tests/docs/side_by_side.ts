/**
 * Reads the pages of `docs/` that show the same program in two languages, and builds one program of each language from
 * the code blocks. Lines that end in `→ VALUE` are expressions: the programs print them as JSON, one line each.
 */

/** A line with the value that it must have. */
export interface Expectation {
  /** The heading that the line is below. */
  readonly heading: string
  readonly expression: string
  readonly value: unknown
}

/** The program of one language. */
export interface PageProgram {
  readonly code: string
  readonly expectations: ReadonlyArray<Expectation>
}

const MARK = { ts: "// →", python: "# →" } as const

/** The function that prints values in Python. */
const SHOW_PYTHON = `import json
import numpy as np


def _plain(value):
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return "nan" if value != value else int(value) if value == int(value) else value
    return value


def show(value):
    print("→ " + json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":")))


`

/** The function that prints values in TypeScript. */
const SHOW_TS = `
const plain = (value: unknown): unknown =>
  ArrayBuffer.isView(value) ? Array.from(value as never, plain)
    : Array.isArray(value) ? value.map(plain)
    : typeof value === "bigint" ? Number(value)
    : typeof value === "number" && Number.isNaN(value) ? "nan"
    : value
const show = (value: unknown): void => console.log("→ " + JSON.stringify(plain(value)))
`

/** Returns the program of a language. Imports of all blocks come first. */
export const programOf = (page: string, language: keyof typeof MARK): PageProgram => {
  const expectations: Array<Expectation> = []
  const lines: Array<string> = []
  const imports: Array<string> = []
  let heading = ""
  let inBlock = false
  for (const line of page.split("\n")) {
    if (line.startsWith("```")) {
      inBlock = line.split(" ")[0] === `\`\`\`${language}`
      continue
    }
    if (!inBlock) {
      if (/^#+ /.test(line)) heading = line.replace(/^#+ /, "")
      continue
    }
    if (/^import /.test(line)) {
      imports.push(line)
      continue
    }
    const at = line.indexOf(MARK[language])
    if (at < 0) {
      lines.push(line)
      continue
    }
    const expression = line.slice(0, at).trim()
    expectations.push({ heading, expression, value: JSON.parse(line.slice(at + MARK[language].length)) })
    lines.push(`${/^\s*/.exec(line)![0]}show(${expression})`)
  }
  if (language === "python") return { code: `${SHOW_PYTHON}${[...imports, ...lines].join("\n")}\n`, expectations }
  const code = `${imports.join("\n")}\n${SHOW_TS}\n${lines.join("\n")}\n`
  return { code, expectations }
}

/** Returns the differences between printed lines and the expected values. */
export const differences = (expectations: ReadonlyArray<Expectation>, output: string): ReadonlyArray<string> => {
  const printed = output.split("\n").filter((line) => line.startsWith("→ ")).map((line) => line.slice(2))
  const wrong = expectations.flatMap(({ heading, expression, value }, index) =>
    printed[index] === JSON.stringify(value)
      ? []
      : [`${heading}: ${expression} is ${printed[index] ?? "not printed"}, not ${JSON.stringify(value)}`]
  )
  return printed.length > expectations.length ? [...wrong, "more lines are printed than expected"] : wrong
}

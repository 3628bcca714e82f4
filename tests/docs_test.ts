/**
 * Keeps the public modules documented: every export has a doc comment, and every function, constant and class has an
 * example with an assertion. `deno test --doc` runs the examples (`deno task ok`).
 */
import { describe, it } from "node:test"
import { assertEquals, assertMatch } from "@std/assert"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

const root = join(import.meta.dirname!, "..")
const config = JSON.parse(readFileSync(join(root, "deno.json"), "utf8")) as { exports: Record<string, string> }
const modules = Object.values(config.exports)

/**
 * Returns the modules that a module exports as namespaces, because `deno doc` omits what these re-export from other
 * modules.
 */
const namespacesOf = (module: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, module), "utf8").matchAll(/^export \* as \w+ from "(.+)"$/gm)]
    .map(([, path]) => join(dirname(module), path))

/** The parts of the output of `deno doc --json` that are checked. */
interface Declaration {
  readonly kind: string
  readonly location: { readonly filename: string; readonly line: number }
  readonly jsDoc?: { readonly doc?: string }
  readonly def?: { readonly hasBody?: boolean }
}
interface Exported {
  readonly name: string
  readonly declarations: ReadonlyArray<Declaration>
}
interface Documentation {
  readonly nodes: Readonly<Record<string, { readonly symbols: ReadonlyArray<Exported> }>>
}

const values: ReadonlySet<string> = new Set(["function", "variable", "class", "enum"])

const docOf = ({ jsDoc }: Declaration): string => jsDoc?.doc ?? ""

/**
 * Returns the visible declarations of a name: without the body of a function with overloads, and without references to
 * other modules.
 */
const shown = ({ declarations }: Exported): ReadonlyArray<Declaration> => {
  const overloaded = declarations.some(({ kind, def }) => kind === "function" && def?.hasBody !== true)
  return declarations.filter(({ kind, def }) =>
    kind !== "reference" && !(overloaded && kind === "function" && def?.hasBody === true)
  )
}

/** Whether a doc comment has a code block with an assertion. */
const hasExample = (doc: string): boolean =>
  [...doc.matchAll(/```ts\n([\s\S]*?)```/g)].some(([, code]) => /\bassert\w*\(/.test(code))

/** Returns the missing doc comments and examples, with their locations. */
const gaps = (symbol: Exported): ReadonlyArray<string> => {
  const seen = shown(symbol)
  const place = ({ location: { filename, line } }: Declaration): string =>
    `${relative(root, fileURLToPath(filename))}:${line + 1}: ${symbol.name}`
  const examples = seen.filter(({ kind }) => values.has(kind))
  return [
    ...seen.filter((declaration) => docOf(declaration).trim() === "").map((declaration) =>
      `${place(declaration)} has no doc comment`
    ),
    ...(examples.length === 0 || seen.some((declaration) => hasExample(docOf(declaration)))
      ? []
      : [`${place(examples[0])} has no example`]),
  ]
}

/** Runs `deno doc` in the Deno of this process. */
const denoDoc = (
  option: string,
  modules: ReadonlyArray<string>,
): { readonly stdout: string; readonly stderr: string } =>
  spawnSync(process.execPath, ["doc", option, ...modules], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    maxBuffer: 1 << 27,
  })

describe("the documentation of the public modules", { skip: !("Deno" in globalThis) }, () => {
  it("has a doc comment for every export, and an example for every value", () => {
    const all = [...modules, ...modules.flatMap(namespacesOf)]
    const { nodes } = JSON.parse(denoDoc("--json", all).stdout) as Documentation
    assertEquals(Object.keys(nodes).length, all.length)
    const gapsOfModules = new Set(Object.values(nodes).flatMap(({ symbols }) => symbols.flatMap(gaps)))
    assertEquals([...gapsOfModules].sort(), [])
  })

  it("refers to no type that is not exported", () => {
    // Effect documents its own types; and JSR requires that error classes extend a typed constant, although users need
    // only the class.
    const elsewhere =
      /'(?:Effect|Layer|Stream|Sink|Schema|Schedule|Scope|Tag|ReferenceClass|Redacted|YieldableError|DurationInput|\w+Base)'$/
    const { stderr } = denoDoc("--lint", modules)
    assertMatch(stderr, /^(?:error: Found \d+ documentation lint error|Checked \d+ file)/m)
    const problems = stderr.split("\n").filter((line) => line.startsWith("error[") && !elsewhere.test(line))
    assertEquals(problems, [])
  })
})

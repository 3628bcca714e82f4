/**
 * Keeps the public modules documented: every export has a doc comment, and every function, constant and class an example
 * that asserts something. That the examples run is what `deno test --doc` sees to (`deno task ok`).
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

/** The modules that a module exports as names of its own. Of what these export from elsewhere `deno doc` says nothing there. */
const namespacesOf = (module: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, module), "utf8").matchAll(/^export \* as \w+ from "(.+)"$/gm)]
    .map(([, path]) => join(dirname(module), path))

/** What of the answer of `deno doc --json` is looked at. */
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

/** What users see of a name: of a function with overloads the body is none of it; what another module has too is there once. */
const shown = ({ declarations }: Exported): ReadonlyArray<Declaration> => {
  const overloaded = declarations.some(({ kind, def }) => kind === "function" && def?.hasBody !== true)
  return declarations.filter(({ kind, def }) =>
    kind !== "reference" && !(overloaded && kind === "function" && def?.hasBody === true)
  )
}

/** Some block of code with an assertion in it. */
const hasExample = (doc: string): boolean =>
  [...doc.matchAll(/```ts\n([\s\S]*?)```/g)].some(([, code]) => /\bassert\w*\(/.test(code))

/** What is missing, by the place where it is. */
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

/** Asks Deno, whose process this is. */
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

  it("names no type that users cannot see", () => {
    // Types of effect are documented there; and JSR has error classes extend a constant with a type, of which nobody needs
    // more than the class.
    const elsewhere =
      /'(?:Effect|Layer|Stream|Sink|Schema|Schedule|Scope|Tag|ReferenceClass|Redacted|YieldableError|DurationInput|\w+Base)'$/
    const { stderr } = denoDoc("--lint", modules)
    assertMatch(stderr, /^(?:error: Found \d+ documentation lint error|Checked \d+ file)/m)
    const problems = stderr.split("\n").filter((line) => line.startsWith("error[") && !elsewhere.test(line))
    assertEquals(problems, [])
  })
})

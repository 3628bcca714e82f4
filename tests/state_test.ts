/** No module of the library has state: behaviour does not depend on earlier calls in the process. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname!, "..")

/** Variables at the top of modules that are allowed, and why. */
const allowed: Readonly<Record<string, string>> = {
  "src/array/open/handle.ts makeHandle": "assigned once, by the static block of the class whose private field it reads",
  "src/array/open/handle.ts unwrapHandle":
    "assigned once, by the static block of the class whose private field it reads",
  "platform/codecs/zstd/encode.ts made": "the three constant tables of the format, made when the first is needed",
  "schema/array/cell_val_num.ts fills": "constant fill values, one of at most 16 MiB for each datatype",
  "platform/wasm/memory.ts memory": "the memory of WebAssembly modules, whose content no result depends on",
  "platform/wasm/memory.ts shared": "the memory of WebAssembly modules, whose content no result depends on",
}

/** Source without comments, so that examples in them do not count. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")

/** Calls that change a collection. */
const CHANGES = "set|add|delete|clear|push|pop|shift|unshift|splice"

/** The names of variables and collections at the top of a module that the module changes. */
export const stateOf = (text: string): ReadonlyArray<string> => {
  const code = codeOf(text)
  const variables = [...code.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map(([, name]) => name)
  const collections = [
    ...code.matchAll(/^(?:export )?const (\w+)[^=\n]*=\s*(?:new (?:Weak)?(?:Map|Set)\b|\[|\{|Object\.create)/gm),
  ].map(([, name]) => name)
  const changed = collections.filter((name) =>
    new RegExp(`(?<![\\w.#])${name}(?:\\.(?:${CHANGES})\\(|\\[[^\\]\\n]+\\]\\s*(?:=(?!=)|\\+\\+|\\?\\?=))`).test(code)
  )
  const weak = [...code.matchAll(/^(?:export )?const (\w+)[^=\n]*=\s*new Weak(?:Map|Set)\b/gm)].map(([, name]) => name)
  return [...new Set([...variables, ...changed, ...weak])]
}

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path) : entry.name.endsWith(".ts") ? [path] : []
  })

describe("modules of the library", () => {
  it("have no state", () => {
    const state = ["platform", "schema", "src"].flatMap(filesBelow).flatMap((path) =>
      stateOf(readFileSync(join(root, path), "utf8")).map((name) => `${path} ${name}`)
    )
    assertEquals(state.sort(), Object.keys(allowed).sort())
  })

  it("would be found to have state", () => {
    assertEquals(stateOf("let first = 32\n"), ["first"])
    assertEquals(stateOf("export let a: number | undefined\n"), ["a"])
    assertEquals(stateOf("const memo = new WeakMap<A, B>()\n"), ["memo"])
    assertEquals(stateOf("const seen = new Map<string, number>()\nconst f = () => seen.set('a', 1)\n"), ["seen"])
    assertEquals(stateOf("const list: Array<number> = []\nconst f = () => {\n  list.push(1)\n}\n"), ["list"])
    assertEquals(stateOf("const byName: Record<string, number> = {}\nbyName[x] = 1\n"), ["byName"])
    assertEquals(stateOf("const names = new Set(['a'])\nconst f = (x) => names.has(x)\n"), [])
    assertEquals(
      stateOf("/** let a = 1 */\nconst f = () => {\n  let a = 1\n  const m = new Map()\n  m.set(a, 1)\n}\n"),
      [],
    )
  })
})

/** Keeps the import rules: who may import whom, which names stay out, and where Node's modules may be named. */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

const root = join(import.meta.dirname!, "..")
const roots = ["schema", "schema/errors", "platform", "effect"]

/** One row per layer: what it may import besides itself. */
const layers: Readonly<Record<string, ReadonlyArray<string>>> = {
  // what makes errors safe to print, for all of them: it knows neither formats nor storages
  "schema/errors": ["effect"],
  "schema": ["schema/errors", "effect"],
  "platform": [
    "schema/errors",
    "effect",
    "@effect/platform",
    "@jsquash/webp",
    "@noble/ciphers",
    "@noble/hashes",
    "fflate",
    "fzstd",
    "papaparse",
    "node",
  ],
  "src/kernel": [],
  "src/filter": ["src/kernel", ...roots],
  "src/tile": ["src/filter", "src/kernel", ...roots],
  "src/fragment": ["src/tile", "src/filter", "src/kernel", ...roots],
  "src/array": ["src/fragment", "src/tile", "src/filter", "src/kernel", ...roots],
  "src/condition": ["src/array", "src/fragment", "src/tile", "src/filter", "src/kernel", ...roots],
  "src/query": ["src/condition", "src/array", "src/fragment", "src/tile", "src/filter", "src/kernel", ...roots],
  "src/write": ["src/condition", "src/array", "src/fragment", "src/tile", "src/filter", "src/kernel", ...roots],
  "src/transfer": [
    "src/query",
    "src/write",
    "src/condition",
    "src/array",
    "src/fragment",
    "src/tile",
    "src/filter",
    "src/kernel",
    ...roots,
  ],
  // what they do with arrays, or with one kind of them, as users see it
  "src/tile_array.ts": ["src/array", "src/query", "src/write", "src/transfer"],
  "src/dense.ts": ["src/query", "src/write"],
  "src/sparse.ts": ["src/query", "src/write"],
  "src/group": ["src/array", "src/fragment", "src/tile", "src/filter", "src/kernel", ...roots],
  "src/cli": [
    "src/transfer",
    "src/group",
    "src/query",
    "src/write",
    "src/condition",
    "src/array",
    "src/fragment",
    "src/tile",
    "src/filter",
    "src/kernel",
    "mod.ts",
    "@effect/platform",
    ...roots,
  ],
}

const topFolders = ["bench", "examples", "platform", "schema", "src", "tests"]
const schemaFolders = ["binary", "commit", "errors", "fragment", "name"]
/** Folders that are no part of the project: what tools leave behind. */
const ignored = [".git", ".ci", ".cache", "coverage", "dist", "node_modules"]

const dusty = ["util", "utils", "helper", "helpers", "common", "type", "types", "misc", "internal"]
const mayUseNode = /^platform\/(\w+_native|storage_local\w*|runtime\w*)\.ts$/

const foldersIn = (folder: string): Array<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => e.name)
    : []

/** Files below a folder of the project, as paths from its root. */
const filesBelow = (folder: string): Array<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? filesBelow(path) : entry.name.endsWith(".ts") ? [path] : []
    })
    : []

const code = ["schema", "platform", "src"].flatMap(filesBelow)

/** Source without its comments, so that examples in them do not count. */
const source = (path: string): string =>
  readFileSync(join(root, path), "utf8").replace(/^\s*\/\*[\s\S]*?\*\//gm, "").replace(/^\s*\/\/.*$/gm, "")

/** What a source imports or re-exports, types included. */
export const importsOf = (text: string): Array<string> =>
  [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"\n]+)"/g)].map((match) => match[1])

/** The file a relative import means. */
const target = (from: string, specifier: string): string => normalize(join(dirname(from), specifier))

const layerOf = (path: string): string | undefined =>
  path === "mod.ts" ? path : Object.keys(layers).find((layer) => path === layer || path.startsWith(`${layer}/`))

const packageOf = (specifier: string): string =>
  specifier.startsWith("node:") ? "node" : specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

/** Why a file may not import this, or undefined. */
export const violation = (path: string, specifier: string): string | undefined => {
  const from = layerOf(path)!
  const to = specifier.startsWith(".") ? layerOf(target(path, specifier)) : packageOf(specifier)
  if (to === from || (to !== undefined && layers[from].includes(to))) {
    return to === "node" && !mayUseNode.test(path) ? `${path} names ${specifier}` : undefined
  }
  return `${path} imports ${specifier}`
}

/** The first cycle among imports, as the files on it. */
export const cycleIn = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> | undefined => {
  const done = new Set<string>()
  const trail: Array<string> = []
  const visit = (file: string): ReadonlyArray<string> | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file]
    if (done.has(file)) return undefined
    trail.push(file)
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next)
      if (cycle !== undefined) return cycle
    }
    trail.pop()
    done.add(file)
    return undefined
  }
  for (const file of graph.keys()) {
    const cycle = visit(file)
    if (cycle !== undefined) return cycle
  }
  return undefined
}

describe("layers", () => {
  it("are all known: a new folder needs a row and a reason", () => {
    assertEquals(foldersIn(".").filter((name) => !topFolders.includes(name) && !ignored.includes(name)), [])
    assertEquals(foldersIn("src").filter((name) => !(`src/${name}` in layers)), [])
    assertEquals(foldersIn("schema").filter((name) => !schemaFolders.includes(name)), [])
    assertEquals(foldersIn("platform"), [])
    assertEquals(code.filter((path) => layerOf(path) === undefined), [])
  })

  it("import only what lies below them", () => {
    assertEquals(
      code.flatMap((path) => importsOf(source(path)).flatMap((specifier) => violation(path, specifier) ?? [])),
      [],
    )
  })

  it("are out of the examples' sight: they use what every program can", () => {
    const examples = filesBelow("examples")
    const found = examples.flatMap((path) => importsOf(source(path))).filter((s) => packageOf(s) !== "effect")
    const allowed = ["../mod.ts", "node:fs", "node:os", "node:path", "node:process"]
    assertEquals([...new Set(found)].sort(), allowed)
  })

  it("have no import cycles", () => {
    const graph = new Map(
      [...code, "mod.ts"].filter((path) => existsSync(join(root, path))).map((path) => [
        path,
        importsOf(source(path)).filter((specifier) => specifier.startsWith(".")).map((specifier) =>
          target(path, specifier)
        ),
      ]),
    )
    assertEquals(cycleIn(graph), undefined)
  })

  it("name modules of packages, never the whole of Effect", () => {
    const barrels = ["effect", "@effect/platform"]
    const tests = ["tests", "bench", "examples"].flatMap(filesBelow)
    const found = [...code, ...tests].flatMap((path) =>
      importsOf(source(path)).filter((s) => barrels.includes(s) || /^(npm|jsr|https?):/.test(s)).map((s) =>
        `${path}: ${s}`
      )
    )
    assertEquals(found, [])
  })

  it("take Node's modules from the runtime when they are needed, which browsers never do and Deno does late", () => {
    const values = (path: string): string =>
      source(path).replace(/^import type [^"]*"[^"\n]*"/gm, "").replace(/\btypeof import\("[^"\n]*"\)/g, "")
    assertEquals(
      code.filter((path) => importsOf(values(path)).some((specifier) => packageOf(specifier) === "node")),
      [],
    )
  })

  it("do not wait at the top of a module", () => {
    assertEquals(code.filter((path) => /^(?:export )?(?:const|let|await)\b[^(\n]*\bawait /m.test(source(path))), [])
  })
})

describe("names", () => {
  it("are snake case, and none of those that gather dust", () => {
    const names = ["tests", "bench", "examples"].flatMap(filesBelow).concat(code)
    const parts = (path: string): Array<string> => path.replace(/\.ts$/, "").split("/")
    assertEquals(names.filter((path) => !/^[a-z0-9_./]+\.ts$/.test(path)), [])
    assertEquals(code.filter((path) => parts(path).some((part) => dusty.includes(part))), [])
  })
})

describe("the rules themselves", () => {
  it("catch what they forbid", () => {
    assertEquals(violation("schema/a.ts", "./b.ts"), undefined)
    assertEquals(violation("schema/a.ts", "effect/Schema"), undefined)
    assertEquals(
      violation("schema/binary/a.ts", "../../platform/errors.ts"),
      "schema/binary/a.ts imports ../../platform/errors.ts",
    )
    assertEquals(violation("src/kernel/a.ts", "../../schema/a.ts") !== undefined, true)
    assertEquals(violation("src/kernel/a.ts", "effect/Effect") !== undefined, true)
    assertEquals(violation("src/array/a.ts", "../query/b.ts") !== undefined, true)
    assertEquals(violation("src/query/a.ts", "../array/b.ts"), undefined)
    assertEquals(violation("src/query/a.ts", "../group/b.ts") !== undefined, true)
    assertEquals(violation("src/query/a.ts", "../../tests/b.ts") !== undefined, true)
    assertEquals(violation("src/query/a.ts", "lodash") !== undefined, true)
    assertEquals(violation("src/tile/a.ts", "node:fs") !== undefined, true)
    assertEquals(violation("platform/storage.ts", "node:fs"), "platform/storage.ts names node:fs")
    assertEquals(violation("platform/codecs_native.ts", "node:zlib"), undefined)
    assertEquals(violation("platform/codecs_portable.ts", "@noble/hashes/sha2.js"), undefined)
  })

  it("see every form of import", () => {
    const text = [
      'import * as A from "a"',
      'import "b"',
      'export * from "c"',
      'const d = () => import("d")',
      'import type {\n  E,\n} from "e"',
      'export { f } from "f"',
    ].join("\n")
    assertEquals(importsOf(text), ["a", "b", "c", "d", "e", "f"])
  })

  it("find cycles", () => {
    assertEquals(cycleIn(new Map([["a", ["b"]], ["b", ["c"]], ["c", []]])), undefined)
    assertEquals(cycleIn(new Map([["a", ["b", "c"]], ["b", ["d"]], ["c", ["d"]], ["d", []]])), undefined)
    assertEquals(cycleIn(new Map([["x", ["a"]], ["a", ["b"]], ["b", ["a"]]])), ["a", "b", "a"])
  })
})

/**
 * Checks the import rules: which folder may import which, where Node's modules may be used, and how files are named.
 */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

const root = join(import.meta.dirname!, "..")

/** A part of the project and its folders. */
interface Part {
  /** Parts and packages that every folder of this part may import. */
  readonly uses: ReadonlyArray<string>
  /**
   * Its folders, bottom to top. Each lists the folders of the same part, and the additional packages, that it may import.
   * `"."` stands for the files directly in the part's folder.
   */
  readonly folders: Readonly<Record<string, ReadonlyArray<string>>>
}

const base = ["schema", "platform", "effect"]
const flat = { ".": [] }

/** The parts, bottom to top. */
const parts: Readonly<Record<string, Part>> = {
  "schema": {
    uses: ["effect"],
    folders: {
      "errors": [],
      "binary": ["errors"],
      "version": ["binary"],
      "array": ["binary", "version"],
      ".": ["array", "binary"],
      "name": ["errors", "version"],
      "commit": [".", "binary", "name", "version"],
      "fragment": ["array", "binary", "name", "version"],
      "tile": ["array", "binary", "errors", "version"],
      "mod.ts": [".", "array", "binary", "commit", "errors", "fragment", "name", "tile", "version"],
    },
  },
  "platform": {
    // the only imports from the schemas are the functions that make error messages safe to print
    uses: ["schema/errors", "effect"],
    folders: {
      ".": [],
      "observability": [],
      "host": ["node"],
      "workers": ["host", "node", "observability"],
      // codecs do not depend on storages, WebAssembly modules do not depend on any other folder
      "wasm": [],
      "codecs": [".", "workers"],
      "codecs/bzip2": [".", "codecs"],
      "codecs/lz4": [".", "codecs", "wasm"],
      "codecs/zstd": [".", "codecs", "host", "node", "@bokuweb/zstd-wasm"],
      "codecs/webp": [".", "codecs", "host", "node", "@jsquash/webp"],
      "codecs/layers": [
        "codecs",
        "codecs/bzip2",
        "codecs/lz4",
        "codecs/zstd",
        "host",
        "node",
        "fflate",
        "@noble/ciphers",
        "@noble/hashes",
      ],
      // the backends do not depend on each other
      "storage": [".", "host", "observability"],
      "storage/middleware": [".", "observability", "storage"],
      "storage/local": [".", "host", "storage", "node"],
      "storage/http": [".", "host", "observability", "storage", "storage/middleware", "@effect/platform"],
      // object stores use the requests of web servers
      "storage/s3": [
        ".",
        "storage",
        "storage/http",
        "storage/middleware",
        "@effect/platform",
        "@noble/hashes",
        "@rgrove/parse-xml",
        "aws4fetch",
      ],
      "runtime": [
        "codecs",
        "codecs/layers",
        "codecs/webp",
        "storage",
        "storage/http",
        "storage/local",
        "storage/s3",
        "workers",
        "host",
      ],
      "mod.ts": [
        ".",
        "codecs",
        "codecs/layers",
        "codecs/webp",
        "codecs/zstd",
        "observability",
        "runtime",
        "storage",
        "storage/http",
        "storage/local",
        "storage/middleware",
        "workers",
      ],
    },
  },
  "src/kernel": { uses: [], folders: { ".": [], "copy": ["."], "sort": ["."], "match": ["."] } },
  "src/filter": {
    uses: ["src/kernel", ...base],
    folders: { "part": [], "filters": ["part"], "pipeline": ["part", "filters"] },
  },
  "src/tile": { uses: ["src/filter", "src/kernel", ...base], folders: flat },
  "src/fragment": {
    uses: ["src/tile", "src/filter", "src/kernel", ...base],
    folders: { ".": [], "load": ["."], "read": ["."], "store": ["."], "worker": ["store"] },
  },
  "src/row": { uses: base, folders: flat },
  "src/schema_builder": { uses: ["src/row", "src/kernel", ...base], folders: flat },
  "src/array": {
    uses: ["src/schema_builder", "src/fragment", "src/tile", "src/filter", "src/kernel", ...base],
    folders: {
      "open": [],
      "enumeration": ["open"],
      "describe": ["open"],
      "create": ["open"],
      "metadata": ["create", "open"],
      "evolve": ["create", "enumeration", "open"],
      ".": ["create", "describe", "enumeration", "evolve", "metadata", "open"],
    },
  },
  "src/condition": { uses: ["src/array", "src/schema_builder", "src/fragment", ...base], folders: flat },
  "src/query": {
    uses: [
      "src/condition",
      "src/array",
      "src/schema_builder",
      "src/row",
      "src/fragment",
      "src/tile",
      "src/kernel",
      ...base,
    ],
    folders: {
      "selection": [],
      "options": ["selection"],
      "column": ["options", "selection"],
      "batch": ["column", "options"],
      "condition": ["column"],
      "sparse/result": ["column", "options"],
      "sparse": ["batch", "column", "condition", "options", "selection", "sparse/result"],
      "dense": ["batch", "column", "condition", "options", "selection", "sparse"],
      "request": ["batch", "column", "dense", "options", "selection", "sparse"],
      "aggregate": ["column", "dense", "options", "request", "sparse"],
      ".": ["aggregate", "column", "dense", "options", "request", "selection", "sparse"],
    },
  },
  "src/write": {
    uses: [
      "src/condition",
      "src/array",
      "src/schema_builder",
      "src/row",
      "src/fragment",
      "src/tile",
      "src/filter",
      "src/kernel",
      ...base,
    ],
    folders: {
      "result": [],
      "input": [],
      "options": ["input", "result"],
      "fragment": ["input", "result"],
      "order": ["input"],
      "dense": ["fragment", "input", "order", "result"],
      "sparse": ["dense", "fragment", "input", "order", "result"],
      "delete": ["fragment", "result"],
      ".": ["delete", "dense", "fragment", "input", "options", "result", "sparse"],
    },
  },
  "src/transfer": {
    uses: ["src/query", "src/write", "src/array", "src/schema_builder", "src/fragment", "src/kernel", ...base],
    folders: { ".": [], "copy": ["."], "csv": [".", "papaparse"] },
  },
  // changes the arrangement of the files of an array; the results of reads do not change
  "src/maintain": {
    uses: [
      "src/query",
      "src/write",
      "src/condition",
      "src/array",
      "src/fragment",
      "src/tile",
      "src/kernel",
      ...base,
    ],
    folders: {
      "directory": [],
      "vacuum": ["directory"],
      "commits": ["directory", "vacuum"],
      "metadata": ["directory", "vacuum"],
      "plan": ["directory"],
      "fragments": ["directory", "plan"],
      ".": ["commits", "directory", "fragments", "metadata", "plan", "vacuum"],
    },
  },
  // checks the files of an array
  "src/verify": {
    uses: ["src/write", "src/array", "src/fragment", "src/filter", "src/tile", "src/kernel", ...base],
    folders: flat,
  },
  // describes the state of an array, and draws it
  "src/repair": { uses: ["src/verify", "src/maintain", "src/array", ...base], folders: flat },
  "src/inspect": {
    uses: ["src/maintain", "src/array", "src/fragment", "src/tile", "src/kernel", ...base],
    folders: { ".": ["page"], "page": ["."] },
  },
  // the changes of arrays and groups, differences between two times, and names of times
  "src/history": {
    uses: ["src/group", "src/query", "src/array", "src/fragment", "src/tile", "src/kernel", ...base],
    folders: flat,
  },
  // the public operations of one kind of array, or of both kinds
  "src": {
    uses: [
      "src/array",
      "src/query",
      "src/write",
      "src/transfer",
      "src/maintain",
      "src/verify",
      "src/repair",
      "src/inspect",
      "src/history",
    ],
    folders: flat,
  },
  "src/objects": { uses: ["src/group", "src/array", "src/tile", ...base], folders: flat },
  "src/group": { uses: ["src/maintain", "src/array", "src/tile", "src/kernel", ...base], folders: flat },
  "src/cli": {
    uses: [
      "src/transfer",
      "src/objects",
      "src/group",
      "src/maintain",
      "src/verify",
      "src/repair",
      "src/inspect",
      "src/history",
      "src/query",
      "src/write",
      "src/array",
      "src/schema_builder",
      "src/fragment",
      "mod.ts",
      ...base,
    ],
    folders: {
      "print": ["get-east-asian-width"],
      "parse": ["print"],
      "commands": ["parse", "print", "@bomb.sh/tab"],
      "commands/group": ["parse", "print"],
      "commands/history": ["parse", "print"],
      "commands/maintain": ["parse", "print"],
      "commands/metadata": ["parse", "print"],
      "commands/objects": ["parse", "print"],
      ".": [
        "commands",
        "commands/group",
        "commands/history",
        "commands/maintain",
        "commands/metadata",
        "commands/objects",
        "parse",
        "print",
      ],
    },
  },
}

/** A folder contains one topic: folders with more files are split. */
const MAX_FILES = 21

const topFolders = ["bench", "bundle", "docs", "examples", "platform", "schema", "src", "tests"]
/** Folders that tools create. */
const ignored = [".git", ".ci", ".cache", "coverage", "dist", "node_modules"]

const vague = ["util", "utils", "helper", "helpers", "common", "type", "misc", "internal"]
const mayUseNode =
  /^platform\/(host\/|workers\/|storage\/local\/|codecs\/layers\/native|codecs\/zstd\/native_handle|codecs\/webp\/locate)/

const foldersIn = (folder: string): Array<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => e.name)
    : []

/** Returns the files below a folder of the project, as paths from its root. */
const filesBelow = (folder: string): Array<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return ignored.includes(entry.name) ? [] : filesBelow(path)
      return entry.name.endsWith(".ts") ? [path] : []
    })
    : []

const code = ["schema", "platform", "src"].flatMap(filesBelow)

/** Returns the source without its comments, so that examples in them do not count. */
const source = (path: string): string =>
  readFileSync(join(root, path), "utf8").replace(/^\s*\/\*[\s\S]*?\*\//gm, "").replace(/^\s*\/\/.*$/gm, "")

/** Returns the specifiers that a source imports or re-exports, including types. */
export const importsOf = (text: string): Array<string> =>
  [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"\n]+)"/g)].map((match) => match[1])

/** Returns the file that a relative import resolves to. */
const target = (from: string, specifier: string): string => normalize(join(dirname(from), specifier))

/** Returns the part that a file belongs to: the longest path that contains it. */
const partOf = (path: string): string | undefined =>
  Object.keys(parts).filter((part) => path.startsWith(`${part}/`)).sort((a, b) => b.length - a.length)[0]

/** Returns the folder of its part that a file is in; `undefined` if the table does not list it. */
const folderOf = (path: string): string | undefined => {
  const part = partOf(path)
  if (part === undefined) return undefined
  const rest = path.slice(part.length + 1)
  const folder = rest in parts[part].folders ? rest : dirname(rest)
  return folder in parts[part].folders ? folder : undefined
}

const packageOf = (specifier: string): string =>
  specifier.startsWith("node:") ? "node" : specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

/** Returns the rule that an import breaks, or undefined. */
export const violation = (path: string, specifier: string): string | undefined => {
  const part = partOf(path)!
  const folder = folderOf(path)!
  const { uses, folders } = parts[part]
  const broken = `${path} imports ${specifier}`
  if (!specifier.startsWith(".")) {
    const name = packageOf(specifier)
    if (!uses.includes(name) && !folders[folder].includes(name)) return broken
    return name === "node" && !mayUseNode.test(path) ? broken : undefined
  }
  const to = target(path, specifier)
  const other = partOf(to)
  if (other === part) return folderOf(to) === folder || folders[folder].includes(folderOf(to)!) ? undefined : broken
  return uses.some((use) => to === use || to.startsWith(`${use}/`)) ? undefined : broken
}

/** Returns the first cycle among imports, as the files on it. */
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

describe("folders", () => {
  it("are all in the table: a new folder needs a row and a reason", () => {
    assertEquals(foldersIn(".").filter((name) => !topFolders.includes(name) && !ignored.includes(name)), [])
    assertEquals(code.filter((path) => folderOf(path) === undefined), [])
    const listed = Object.entries(parts).flatMap(([part, { folders }]) =>
      Object.keys(folders).map((folder) => normalize(join(part, folder)))
    )
    assertEquals(listed.filter((path) => !existsSync(join(root, path))), [])
  })

  it("have at most about twenty files each", () => {
    const all = [...code, ...["tests", "bench", "bundle", "examples"].flatMap(filesBelow)]
    const counts = Map.groupBy(all, dirname)
    assertEquals([...counts].filter(([, files]) => files.length > MAX_FILES).map(([folder]) => folder), [])
  })

  it("import only the parts in the table", () => {
    assertEquals(
      code.flatMap((path) => importsOf(source(path)).flatMap((specifier) => violation(path, specifier) ?? [])),
      [],
    )
  })

  it("are not imported by examples, which import only what every program can", () => {
    const examples = filesBelow("examples")
    const telemetry = /^@(effect\/opentelemetry|opentelemetry\/)/
    const imports = examples.flatMap((path) => importsOf(source(path)))
      .filter((s) => packageOf(s) !== "effect" && !telemetry.test(s))
    const allowed = ["../mod.ts", "node:fs", "node:os", "node:path", "node:process"]
    assertEquals([...new Set(imports)].sort(), allowed)
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

  it("import single modules of packages, never all of Effect", () => {
    const barrels = ["effect", "@effect/platform"]
    const tests = ["tests", "bench", "examples"].flatMap(filesBelow)
    const violations = [...code, ...tests].flatMap((path) =>
      importsOf(source(path)).filter((s) => barrels.includes(s) || /^(npm|jsr|https?):/.test(s)).map((s) =>
        `${path}: ${s}`
      )
    )
    assertEquals(violations, [])
  })

  it("load Node's modules from the runtime on first use: browsers never load them and Deno loads them late", () => {
    const values = (path: string): string =>
      source(path).replace(/^import type [^"]*"[^"\n]*"/gm, "").replace(/\btypeof import\("[^"\n]*"\)/g, "")
    assertEquals(
      code.filter((path) => importsOf(values(path)).some((specifier) => packageOf(specifier) === "node")),
      [],
    )
  })

  it("do not await at the top of a module", () => {
    assertEquals(code.filter((path) => /^(?:export )?(?:const|let|await)\b[^(\n]*\bawait /m.test(source(path))), [])
  })
})

describe("names", () => {
  it("are snake case, and describe the contents", () => {
    const names = ["tests", "bench", "examples"].flatMap(filesBelow).concat(code)
    const parts = (path: string): Array<string> => path.replace(/\.ts$/, "").split("/")
    assertEquals(names.filter((path) => !/^[a-z0-9_./]+\.ts$/.test(path)), [])
    assertEquals(code.filter((path) => parts(path).some((part) => vague.includes(part))), [])
  })
})

describe("the rules themselves", () => {
  it("reject forbidden imports", () => {
    assertEquals(violation("schema/array/a.ts", "./b.ts"), undefined)
    assertEquals(violation("schema/array/a.ts", "effect/Schema"), undefined)
    assertEquals(
      violation("schema/binary/a.ts", "../../platform/errors.ts"),
      "schema/binary/a.ts imports ../../platform/errors.ts",
    )
    assertEquals(violation("src/kernel/a.ts", "../../schema/array/a.ts") !== undefined, true)
    assertEquals(violation("src/kernel/a.ts", "effect/Effect") !== undefined, true)
    assertEquals(violation("src/array/open/a.ts", "../../query/b.ts") !== undefined, true)
    assertEquals(violation("src/query/a.ts", "../array/b.ts"), undefined)
    assertEquals(violation("src/query/a.ts", "../group/b.ts") !== undefined, true)
    assertEquals(violation("src/query/a.ts", "../../tests/b.ts") !== undefined, true)
    assertEquals(violation("src/query/a.ts", "lodash") !== undefined, true)
    assertEquals(violation("src/tile/a.ts", "node:fs") !== undefined, true)
    assertEquals(violation("platform/storage/uri.ts", "node:fs"), "platform/storage/uri.ts imports node:fs")
    assertEquals(violation("platform/codecs/layers/native.ts", "node:zlib"), undefined)
    assertEquals(violation("platform/codecs/layers/portable.ts", "node:zlib") !== undefined, true)
    assertEquals(violation("platform/codecs/layers/portable.ts", "@noble/hashes/sha2.js"), undefined)
    // codecs do not import storages, web servers do not import local files, WebAssembly imports nothing, the platform
    // imports no format
    assertEquals(violation("platform/codecs/inflate.ts", "../storage/uri.ts") !== undefined, true)
    assertEquals(violation("platform/storage/http/http.ts", "../local/local.ts") !== undefined, true)
    assertEquals(violation("platform/wasm/memory.ts", "../errors.ts") !== undefined, true)
    assertEquals(violation("platform/storage/uri.ts", "../../schema/array/datatype.ts") !== undefined, true)
    assertEquals(violation("platform/storage/uri.ts", "../../schema/errors/redact.ts"), undefined)
    // folders of one part import downward only
    assertEquals(violation("src/query/selection/points.ts", "../dense/plan.ts") !== undefined, true)
    assertEquals(violation("src/query/dense/plan.ts", "../selection/points.ts"), undefined)
  })

  it("find every form of import", () => {
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

/**
 * One name has one meaning: a name is exported by one module of `src/`, `platform/` and `schema/`. Names that several modules
 * declare need a reason here.
 */
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname!, "..")

/** Files whose exports are members of a public namespace, such as `Dense.read`, by the namespace. */
const namespaces: Readonly<Record<string, ReadonlyArray<string>>> = {
  ArraySchema: ["src/array/array_schema.ts"],
  Attr: ["src/schema_builder/attribute.ts"],
  Cells: ["src/query/column/cell_values.ts"],
  Condition: ["src/condition/condition.ts"],
  Dense: ["src/query/dense.ts", "src/write/dense.ts", "src/write/dense_rows.ts", "src/write/input/column_input.ts"],
  Dim: ["src/schema_builder/dimension.ts"],
  Filter: ["src/schema_builder/filter.ts"],
  Group: ["src/group/group.ts", "src/group/put_metadata.ts"],
  Metadata: [
    "src/array/metadata/metadata_input.ts",
    "src/array/metadata/metadata_values.ts",
    "src/array/metadata/typed_metadata.ts",
  ],
  Sparse: ["src/query/sparse.ts", "src/write/sparse.ts", "src/write/sparse_rows.ts"],
  TileArray: [
    "src/array/create/create.ts",
    "src/array/metadata/put_metadata.ts",
    "src/array/tile_array.ts",
    "src/write/labels.ts",
  ],
}

const isMember = (file: string): boolean => Object.values(namespaces).some((files) => files.includes(file))

/** Names of a structure of the format that also name the engine's own structure. */
const formatTwins: ReadonlyArray<string> = [
  "ArraySchema",
  "Attribute",
  "Chunk",
  "Condition",
  "Dimension",
  "Field",
  "GenericTile",
]

/** Other names that two modules declare, and why. */
const reasons: Readonly<Record<string, string>> = {
  firstFrom: "platform/ may not import src/kernel/",
  Steps: "src/kernel/ imports nothing, and platform/ may not import it",
}

/** The modules that declare each exported name. Re-exports are not declarations. */
const declarations = (files: ReadonlyArray<readonly [file: string, text: string]>): Map<string, Array<string>> => {
  const modules = new Map<string, Array<string>>()
  const exported =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|function\*?|interface|type|enum) +([\w$]+)/gm
  for (const [file, text] of files) {
    const names = new Set(Array.from(text.replace(/\/\*[^]*?\*\//g, "").matchAll(exported), ([, name]) => name))
    for (const name of names) modules.set(name, [...modules.get(name) ?? [], file])
  }
  return modules
}

/** Names that several modules declare without a reason. */
const ambiguous = (modules: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> =>
  [...modules].flatMap(([name, files]) => {
    // the objects that run the filters are called as the filters are
    const others = files.filter((file) => !isMember(file) && !file.startsWith("src/filter/filters/"))
    if (files.length < 2 || name in reasons || others.length < Math.min(2, files.length)) return []
    const inFormat = files.filter((file) => file.startsWith("schema/"))
    if (formatTwins.includes(name) && inFormat.length === 1 && files.length === 2) return []
    return [`${name}: ${files.join(", ")}`]
  })

const sources = ["src", "platform", "schema"].flatMap((part) =>
  readdirSync(join(root, part), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${part}/${name.replaceAll("\\", "/")}`)
).sort()

describe("exported names", () => {
  const modules = declarations(sources.map((file) => [file, readFileSync(join(root, file), "utf8")] as const))

  it("are declared by one module", () => {
    assertEquals(ambiguous(modules), [])
  })

  it("have no reasons that are not needed any more", () => {
    const several = (name: string) => (modules.get(name) ?? []).length > 1
    assertEquals([...formatTwins, ...Object.keys(reasons)].filter((name) => !several(name)), [])
    assertEquals(Object.values(namespaces).flat().filter((file) => !sources.includes(file)), [])
  })

  it("are found in every form of declaration", () => {
    const text = "export const a = 1\nexport function* b() {}\nexport abstract class C {}\nexport type D = 1\n" +
      "export interface E {}\n/** export const f = 1\nexport const g = 1 */\nexport { h } from './x.ts'\n"
    const twice = declarations([["src/x.ts", text], ["src/y.ts", text]])
    assertEquals([...twice.keys()], ["a", "b", "C", "D", "E"])
    assertEquals(ambiguous(twice).length, 5)
    assertEquals(ambiguous(declarations([["src/query/dense.ts", text], ["src/query/sparse.ts", text]])), [])
  })
})

/**
 * Prints the contents of a SOMA experiment: its cells by category, its layers, and the contents of `uns`.
 *
 *     deno run -A examples/read_soma.ts EXPERIMENT
 */
import * as Effect from "effect/Effect"
import process from "node:process"
import { Cells, Group, layerDefault, Metadata, Sparse, TileArray } from "../mod.ts"

/** Returns the URIs of the members of a group by name. */
const membersOf = (uri: string) =>
  Effect.map(Group.open(uri), (group) => new Map(Group.members(group).map(({ name, uri }) => [name, uri])))

const countOf = (values: ReadonlyArray<Cells.CellJson>): string => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a < b ? -1 : 1).map(([value, n]) => `${value} ${n}`).join(", ")
}

const showFrame = (title: string, uri: string) =>
  Effect.gen(function* () {
    const frame = yield* TileArray.open(uri)
    const { length, columns } = yield* Sparse.read(frame)
    console.log(`${title}: ${length} rows of ${Object.keys(columns).join(", ")}`)
    // a categorical column contains codes; its categories are an enumeration of the schema
    const resolved = yield* Cells.resolveAll(frame, columns)
    for (const [name, { enumeration }] of Object.entries(columns)) {
      if (enumeration !== undefined) console.log(`  ${name}: ${countOf(Cells.columnJson(resolved[name]))}`)
    }
  })

const showLayer = (name: string, uri: string) =>
  Effect.gen(function* () {
    const layer = yield* TileArray.open(uri)
    if (layer.schema.arrayType === "dense") return console.log(`  X/${name}: dense`)
    const { length, columns } = yield* Sparse.read(layer, { select: ["soma_data"] })
    const sum = Array.from(columns.soma_data.values, Number).reduce((a, b) => a + b, 0)
    console.log(`  X/${name}: ${length} values, sum ${sum.toFixed(3)}`)
  })

const showMetadata = (title: string, uri: string) =>
  Effect.gen(function* () {
    const values = Metadata.values(yield* Effect.flatMap(Group.open(uri), Group.metadata))
    for (const [key, value] of values) if (!key.startsWith("soma_")) console.log(`  ${title}.${key} = ${value}`)
  })

const program = (uri: string) =>
  Effect.gen(function* () {
    const experiment = yield* membersOf(uri)
    yield* showFrame("obs", experiment.get("obs")!)
    for (const [name, measurement] of yield* membersOf(experiment.get("ms")!)) {
      console.log(`measurement ${name}`)
      const members = yield* membersOf(measurement)
      yield* showFrame("var", members.get("var")!)
      for (const [layer, uri] of yield* membersOf(members.get("X")!)) yield* showLayer(layer ?? "", uri)
      if (members.has("uns")) yield* showMetadata("uns", members.get("uns")!)
    }
  })

await Effect.runPromise(Effect.provide(program(process.argv[2]), layerDefault))

/**
 * Prints how the enumerations of an array grew, and how often each of their values occurs now.
 *
 *     deno run -A examples/enumerations.ts ARRAY
 */
import * as Effect from "effect/Effect"
import process from "node:process"
import { Cells, Dense, layerDefault, Sparse, TileArray } from "../mod.ts"

const listed = (column: Cells.Column): string => Cells.columnJson(column).map((v) => JSON.stringify(v)).join(", ")

const program = (uri: string) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri)
    // the enumerations at the time of each write
    for (const { end } of yield* TileArray.fragments(array)) {
      const then = yield* TileArray.open(uri, { at: Number(end) })
      for (const enumeration of yield* TileArray.enumerations(then)) {
        console.log(`${end} ${enumeration.name}: ${listed(Cells.enumerationColumn(enumeration))}`)
      }
    }
    const { columns } = array.schema.arrayType === "dense" ? yield* Dense.read(array) : yield* Sparse.read(array)
    const resolved = yield* Cells.resolveAll(array, columns)
    for (const [name, { enumeration }] of Object.entries(columns)) {
      if (enumeration === undefined) continue
      const counts = new Map<string, number>()
      for (const cell of Cells.columnJson(resolved[name])) {
        const value = JSON.stringify(cell)
        counts.set(value, (counts.get(value) ?? 0) + 1)
      }
      console.log(`${name}: ${[...counts].map(([value, n]) => `${n} × ${value}`).join(", ")}`)
    }
  })

await Effect.runPromise(Effect.provide(program(process.argv[2]), layerDefault))

/**
 * Imports a CSV file into a sparse array, and prints the inferred datatypes and the first rows.
 *
 *     deno run -A examples/import_csv.ts FILE.csv ARRAY COLUMN [COLUMN…]
 *
 * The columns in the arguments are the coordinates.
 */
import * as Effect from "effect/Effect"
import process from "node:process"
import { Cells, Csv, layerDefault, Sparse, TileArray } from "../mod.ts"

const [file, uri, ...dims] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const { cells, bytes } = yield* Csv.create(uri, file, {
    arrayType: "sparse",
    dims,
    allowsDuplicates: true,
    onProgress: ({ rows, bytesRead, bytes }) => console.error(`${rows} rows, ${bytesRead} of ${bytes} bytes`),
  })
  const array = yield* TileArray.open(uri)
  const { dimensions, attributes } = array.schema
  const types = [...dimensions, ...attributes].map(({ name, type }) => `${name}: ${type}`)
  console.log(`${cells} rows in ${bytes} bytes: ${types.join(", ")}`)
  const { columns } = yield* Sparse.read(array)
  for (let i = 0; i < Math.min(cells, 5); i++) {
    console.log(JSON.stringify(Object.values(columns).map((column) => Cells.cellJson(column, i))))
  }
})

await Effect.runPromise(Effect.provide(program, layerDefault))

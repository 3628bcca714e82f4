/**
 * Prints a dataframe that `tiledb.from_pandas` wrote: its index, and its first rows.
 *
 *     deno run -A examples/read_dataframe.ts ARRAY
 */
import * as Effect from "effect/Effect"
import process from "node:process"
import { Cells, Dense, layerDefault, Metadata, Sparse, TileArray } from "../mod.ts"

const ROWS = 5

const program = (uri: string) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri)
    const metadata = Metadata.values(yield* TileArray.metadata(array))
    const index = Object.keys(JSON.parse(String(metadata.get("__pandas_index_dims") ?? "{}")))
    // without an index, pandas numbers the rows itself
    const named = index.filter((name) => name !== "__tiledb_rows")
    const select = [...named, ...array.schema.attributes.map(({ name }) => name)]
    const { columns } = array.schema.arrayType === "dense"
      ? yield* Dense.read(array, { select })
      : yield* Sparse.read(array, { select, order: "row" })
    const resolved = yield* Cells.resolveAll(array, columns)
    const length = columns[select[0]].length
    console.log(`${length} rows, ${named.length === 0 ? "numbered" : `index: ${named.join(", ")}`}`)
    console.log(select.map((name) => `${name}: ${resolved[name].type}`).join("\t"))
    for (let row = 0; row < Math.min(ROWS, length); row++) {
      console.log(select.map((name) => JSON.stringify(Cells.cellJson(resolved[name], row))).join("\t"))
    }
  })

await Effect.runPromise(Effect.provide(program(process.argv[2]), layerDefault))

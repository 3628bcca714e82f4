/** The `batch` option, the maximum size of a batch: small batches contain the same cells as one large batch. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { openArray } from "../../../src/array/open/open.ts"
import { columnJson } from "../../../src/query/column/cell_json.ts"
import type { Column } from "../../../src/query/column/column.ts"
import type { Order } from "../../../src/query/options/read_options.ts"
import { streamDense } from "../../../src/query/request/dense_request.ts"
import { streamSparse } from "../../../src/query/request/sparse_request.ts"
import { packedArrays } from "../../support/packed_arrays.ts"
import { runOver } from "../../support/run_bytes.ts"

const cellsOf = (columns: Readonly<Record<string, Column>>): Array<string> => {
  const lists = Object.values(columns).map(columnJson)
  return (lists[0] ?? []).map((_, i) => JSON.stringify(lists.map((list) => list[i])))
}

describe("small batches", () => {
  it("contain the cells of one large batch, and mark the last one", async () => {
    let maxBatches = 0
    const names = /dense_2d_overlap|dense_var|dense_2d_mixed|sparse_2d|sparse_dups|sparse_hilbert|sparse_string|fuzz_/
    for (const { path, files } of packedArrays("v22").filter(({ path }) => names.test(path))) {
      for (const order of ["row", "col", "global"] as ReadonlyArray<Order>) {
        const result = await runOver(
          files,
          Effect.gen(function* () {
            const array = yield* openArray(`mem://${path}`)
            const run = (batch?: number) => {
              const options = { order, ...(batch === undefined ? {} : { batch }) }
              const stream: Stream.Stream<
                { columns: Readonly<Record<string, Column>>; last: boolean },
                Stream.Stream.Error<ReturnType<typeof streamDense>>,
                Stream.Stream.Context<ReturnType<typeof streamDense>>
              > = array.schema.arrayType === "dense" ? streamDense(array, options) : streamSparse(array, options)
              return Stream.runCollect(stream)
            }
            return { whole: [...yield* run()], small: [...yield* run(1)] }
          }),
        )
        assert("value" in result, "error" in result ? `${path}: ${result.error.message}` : "")
        const { whole, small } = result.value
        assertEquals(whole.map(({ last }) => last), whole.length === 0 ? [] : [true])
        assertEquals(small.flatMap(({ columns }) => cellsOf(columns)), whole.flatMap(({ columns }) => cellsOf(columns)))
        assert(small.slice(0, -1).every(({ last }) => !last))
        maxBatches = Math.max(maxBatches, small.length)
      }
    }
    assert(maxBatches > 3, `at most ${maxBatches} batches`)
  })
})

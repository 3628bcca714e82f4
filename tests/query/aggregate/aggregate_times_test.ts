/** Aggregates of recorded arrays at each of their timestamps, compared with reads. */
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { Aggregate } from "../../../mod.ts"
import { openArray } from "../../../src/array/open/open.ts"
import { aggregateSparse } from "../../../src/query/aggregate/sparse.ts"
import { readSparse } from "../../../src/query/request/sparse_request.ts"
import { packedArrays } from "../../support/packed_arrays.ts"
import { runOver } from "../../support/run_bytes.ts"

describe("aggregates of consolidated arrays", () => {
  it("match reads at every timestamp, also inside consolidated fragments", async () => {
    let cut = 0
    for (const { path, files, key } of packedArrays("v22")) {
      if (!/consolidated|vacuumed|deletes/.test(path)) continue
      await runOver(
        files,
        Effect.gen(function* () {
          const uri = `mem://${path}`
          const { fragments } = yield* openArray(uri, { key })
          const ends = fragments.flatMap(({ name: { start, end } }) => [start, end, Math.floor((start + end) / 2)])
          for (const end of new Set(ends)) {
            const opened = yield* openArray(uri, { key, end })
            if (opened.schema.arrayType === "dense") return
            // if duplicates are allowed, tiles inside the selection are counted from metadata
            for (const allowsDuplicates of [opened.schema.allowsDuplicates, true]) {
              const array = { ...opened, schema: { ...opened.schema, allowsDuplicates } }
              const { length } = yield* readSparse(array)
              const { count } = yield* aggregateSparse(array, { count: Aggregate.count() })
              assertEquals([path, end, count], [path, end, length])
            }
            if (opened.fragments.some(({ name }) => name.end > end)) cut++
          }
        }),
      )
    }
    assert(cut > 0)
  })
})

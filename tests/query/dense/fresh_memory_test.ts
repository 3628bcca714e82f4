/** Dense results that are so large that another thread pre-faults their memory during the read. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { ArraySchema, Attr, Dense, Dim, Filter, layerDefault, TileArray } from "../../../mod.ts"
import { faultIn } from "../../../platform/workers/prefault.ts"

const ROWS = 3000
const COLS = 3200

const schemaWith = (filters: ReadonlyArray<Filter.Filter>) =>
  ArraySchema.dense({
    dims: {
      row: Dim.int32([0, ROWS - 1], { tile: 500 }),
      col: Dim.int32([0, COLS - 1], { tile: 640 }),
    },
    attrs: { a: Attr.int32({ filters }) },
  })

/** The value of a cell is its number in row-major order. */
const cells = Int32Array.from({ length: ROWS * COLS }, (_, i) => i)

/** Returns the number of the first cell with a wrong value, or −1. */
const firstDifference = (values: ArrayLike<number>, expected: (i: number) => number): number => {
  for (let i = 0; i < values.length; i++) if (values[i] !== expected(i)) return i
  return -1
}

describe("pre-faulted memory", () => {
  it("is zero, for any number of waiters", async () => {
    const bytes = new Uint8Array(1 << 24)
    const ready = faultIn(bytes)
    await Effect.runPromise(Effect.all([ready, ready], { concurrency: 2 }))
    await Effect.runPromise(ready)
    assert(bytes.every((byte) => byte === 0))
  })

  for (const filters of [[], [Filter.zstd({ level: 1 })]]) {
    it(`contains the cells of large reads in row and column order${filters.length > 0 ? ", unfiltered by threads" : ""}`, async () => {
      // files only: reads from memory do not use threads
      const folder = mkdtempSync(join(tmpdir(), "tessera-fresh-"))
      const uri = join(folder, "large")
      const program = Effect.gen(function* () {
        const schema = schemaWith(filters)
        yield* TileArray.create(uri, schema)
        yield* Dense.write(yield* TileArray.open(uri, schema), {}, { a: cells })
        const array = yield* TileArray.open(uri, schema)
        const rows = (yield* Dense.read(array)).columns.a
        assertEquals([rows.length, firstDifference(rows, (i) => i)], [ROWS * COLS, -1])
        const cols = (yield* Dense.read(array, { order: "col" })).columns.a
        assertEquals(firstDifference(cols, (i) => (i % ROWS) * COLS + Math.floor(i / ROWS)), -1)
      })
      try {
        await Effect.runPromise(Effect.provide(program, layerDefault))
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  }
})

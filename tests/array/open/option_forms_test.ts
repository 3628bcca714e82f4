/** The forms of times and sizes, which are the same in all options. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { assertEquals, assertStringIncludes } from "@std/assert"
import { ArraySchema, Attr, Dim, type InvalidOption, Sparse, TileArray } from "../../../mod.ts"
import { inMemory } from "../../support/in_memory.ts"

const schema = ArraySchema.sparse({ dims: { x: Dim.int32([0, 99]) }, attrs: { v: Attr.int32() } })
const cells = { x: [1, 2], v: [3, 4] }

describe("times", () => {
  const forms: ReadonlyArray<TileArray.TimeInput> = [
    1709208000000,
    1709208000000n,
    "2024-02-29T12:00Z",
    "2024-02-29T12:00:00.000Z",
    "1709208000000",
    new Date("2024-02-29T12:00:00Z"),
    DateTime.unsafeMake("2024-02-29T12:00:00Z"),
  ]
  it("are milliseconds, ISO text, Date or DateTime wherever a time is an option", () =>
    inMemory(Effect.gen(function* () {
      for (const [i, at] of forms.entries()) {
        const array = yield* TileArray.create(`mem://a${i}`, schema, { at })
        yield* Sparse.write(array, cells, { at })
        yield* TileArray.putMetadata(array, { unit: "m" }, { at })
        const opened = yield* TileArray.open(`mem://a${i}`, schema, { at })
        assertEquals([opened.time.end, (yield* Sparse.read(opened)).length], [1709208000000, 2])
        assertEquals((yield* Sparse.read(yield* TileArray.open(`mem://a${i}`, schema), { at })).length, 2)
        const copied = yield* TileArray.copy(opened, `mem://copy${i}`, { at })
        assertEquals([copied.cells, (yield* TileArray.open(copied.uri, { at })).time.end], [2, 1709208000000])
        assertEquals((yield* TileArray.open(`mem://a${i}`, { start: at, end: at })).time.start, 1709208000000)
      }
      const { option, message } = (yield* Effect.flip(
        TileArray.open("mem://a0", { at: "yesterday" }),
      )) as InvalidOption
      assertEquals(option, "at")
      assertStringIncludes(message, "is not a time; give an ISO date")
    })))
})

describe("sizes", () => {
  it("are bytes, or text with a unit, wherever a size is an option", () =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", schema)
      const batches = Stream.make(cells, { x: [3], v: [5] })
      yield* Stream.run(batches, Sparse.sink(array, { memory: "1 MiB", maxFragmentSize: "64KiB" }))
      const opened = yield* TileArray.reopen(array)
      for (const memory of ["64MiB", "0.1 GB", "100000000", 2 ** 26] as const) {
        assertEquals((yield* Sparse.read(opened, { memory })).length, 3)
        assertEquals(yield* Stream.runCount(Sparse.stream(opened, { memory })), 1)
      }
      yield* TileArray.copy(opened, "mem://copy", { memory: "64MiB", maxFragmentSize: "1GiB" })
      for (const memory of ["many", "-1", "0B", "1 XB", ""]) {
        const error = (yield* Effect.flip(Sparse.read(opened, { memory: memory as "1" }))) as InvalidOption
        assertEquals(error.option, "memory", memory)
        assertStringIncludes(error.message, "256MiB")
      }
      const small = (yield* Effect.flip(Sparse.read(opened, { memory: "1B" }))) as { readonly _tag: string }
      assertEquals(small._tag, "ResultTooLarge")
    })))
})

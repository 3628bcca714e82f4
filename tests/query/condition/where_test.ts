import { assert, assertEquals } from "@std/assert"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, it } from "node:test"
import { Cells, Condition, ConditionError, Dense, Sparse, TileArray } from "../../../mod.ts"
import { withCounters } from "../../../platform/mod.ts"
import { makeCounters, StorageService } from "../../../platform/mod.ts"
import { run } from "../../support/run_query.ts"

const weather = TileArray.open(new URL("../../golden/demo/weather", import.meta.url).pathname)
const quakes = TileArray.open(new URL("../../support/quakes", import.meta.url).pathname)

const texts = (column: Cells.Column) => Cells.texts(column)
const numbers = (column: Cells.Column) => Array.from(column.values, Number)

describe("reads with a condition", () => {
  it("return the matching sparse cells in every order", async () => {
    const array = await run(quakes)
    const all = (await run(Sparse.read(array))).columns
    const matches = numbers(all.depth).flatMap((depth, i) => depth > 20 ? [i] : [])
    assert(matches.length > 0 && matches.length < all.depth.length)
    for (const order of ["row", "col", "global", "unordered"] as const) {
      const { length, columns } = await run(Sparse.read(array, { where: Condition.gt("depth", 20), order }))
      assertEquals(length, matches.length)
      assertEquals(
        texts(columns.place).map((place, i) => `${place} ${columns.depth.values[i]}`).sort(),
        matches.map((i) => `${texts(all.place)[i]} ${all.depth.values[i]}`).sort(),
      )
    }
    const text = await run(Sparse.read(array, { where: "depth > 20", select: ["lat"], order: "row" }))
    assertEquals(numbers(text.columns.lat), matches.map((i) => Number(all.lat.values[i])))
    assertEquals(Object.keys(text.columns), ["lat"])
    const coordinates = await run(Sparse.read(array, { where: "lat < 0 or lon >= 140", region: { lat: [-50, 50] } }))
    assertEquals(
      coordinates.length,
      numbers(all.lat).filter((lat, i) => Math.abs(lat) <= 50 && (lat < 0 || Number(all.lon.values[i]) >= 140)).length,
    )
  })

  it("return no cells if no cell matches", async () => {
    const { length, columns } = await run(Sparse.read(await run(quakes), { where: "depth < -1000" }))
    assertEquals([length, columns.depth.length, columns.place.length], [0, 0, 0])
  })

  it("return fill values for dense cells that do not match", async () => {
    const array = await run(weather)
    const all = await run(Dense.read(array, { select: ["day", "temperature", "note"] }))
    for (const where of ["temperature >= 7", "note == 'corrected'", "day == 60 and temperature < 9"]) {
      for (const order of ["row", "col", "global"] as const) {
        const read = await run(Dense.read(array, { where, order, select: ["day", "temperature", "note"] }))
        const plain = await run(Dense.read(array, { order, select: ["day", "temperature", "note"] }))
        assertEquals(read.shape, all.shape)
        assertEquals(numbers(read.columns.day), numbers(plain.columns.day))
        const holds = numbers(plain.columns.day).map((day, i) => {
          const temperature = Number(plain.columns.temperature.values[i])
          return where.startsWith("temperature")
            ? temperature >= 7
            : where.startsWith("note")
            ? texts(plain.columns.note)[i] === "corrected"
            : day === 60 && temperature < 9
        })
        assert(holds.includes(true) && holds.includes(false))
        assertEquals(
          numbers(read.columns.temperature),
          numbers(plain.columns.temperature).map((value, i) => holds[i] ? value : NaN),
        )
        // the fill value of text is one zero byte
        assertEquals(texts(read.columns.note), texts(plain.columns.note).map((value, i) => holds[i] ? value : "\0"))
      }
    }
  })

  it("return only the selected fields", async () => {
    const { columns } = await run(
      Dense.read(await run(weather), { where: "note == 'corrected'", select: ["temperature"] }),
    )
    assertEquals(Object.keys(columns), ["temperature"])
    assertEquals(numbers(columns.temperature).filter((value) => !Number.isNaN(value)).length, 2)
  })

  it("return the same cells as streams", async () => {
    const array = await run(quakes)
    const whole = await run(Sparse.read(array, { where: "depth > 20", order: "row" }))
    const batches = await run(Stream.runCollect(Sparse.stream(array, { where: "depth > 20", order: "row" })))
    assertEquals(
      Chunk.toReadonlyArray(batches).flatMap(({ columns }) => numbers(columns.depth)),
      numbers(whole.columns.depth),
    )
    const dense = await run(weather)
    const boxes = await run(Stream.runCollect(Dense.stream(dense, { where: "temperature >= 7" })))
    const read = await run(Dense.read(dense, { where: "temperature >= 7" }))
    assertEquals(
      Chunk.toReadonlyArray(boxes).flatMap(({ columns }) => numbers(columns.temperature)),
      numbers(read.columns.temperature),
    )
  })

  it("are rejected before any request if the condition is invalid", async () => {
    const array = await run(quakes)
    for (const where of ["depht > 20", "depth >", "place < 5"]) {
      const trace = makeCounters()
      const error = await run(
        Effect.flip(
          Effect.updateService(
            Sparse.read(array, { where }),
            StorageService,
            (storage) => withCounters(storage, trace),
          ),
        ),
      )
      assert(error instanceof ConditionError, String(error))
      assertEquals(trace.calls.read + trace.calls.readRanges + trace.calls.list + trace.calls.readTail, 0)
    }
  })
})

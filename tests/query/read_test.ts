import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { Dense, Sparse, TileArray } from "../../mod.ts"
import type { Column } from "../../src/query/column/column.ts"
import { ResultTooLarge, SelectionError } from "../../src/array/open/errors.ts"
import { run } from "../support/run_query.ts"

const weather = new URL("../golden/demo/weather", import.meta.url).pathname
const failure = <A, E>(
  effect: Effect.Effect<A, E, Effect.Effect.Context<ReturnType<typeof Dense.read>>>,
): Promise<E> => run(Effect.flip(effect))

const open = () => run(TileArray.open(weather))
const numbers = (column: Column): ReadonlyArray<number> => Array.from(column.values as Float32Array)
const texts = ({ values, offsets, length }: Column): ReadonlyArray<string> =>
  Array.from(
    { length },
    (_, i) => new TextDecoder().decode((values as Uint8Array).subarray(offsets![i], offsets![i + 1])),
  )

describe("dense reads", () => {
  it("default to the non-empty domain of a dimension", async () => {
    const { shape, columns } = await run(Dense.read(await open(), { region: { day: 60 } }))
    assertEquals(shape, [1, 4])
    assertEquals(numbers(columns.temperature), [7.5, 8, 6.5, 9.5])
    assertEquals(texts(columns.note), ["corrected", "corrected", "", ""])
  })

  it("return dimensions only if they are selected", async () => {
    const array = await open()
    assertEquals(Object.keys((await run(Dense.read(array))).columns), ["temperature", "note"])
    const { columns } = await run(
      Dense.read(array, { select: ["station", "day"], region: { day: [59, 60], station: [[1, 2], 4] } }),
    )
    assertEquals(Object.keys(columns), ["station", "day"])
    assertEquals(numbers(columns.day), [59, 59, 59, 60, 60, 60])
    assertEquals(numbers(columns.station), [1, 2, 4, 1, 2, 4])
  })

  it("are in row, column or global order", async () => {
    const array = await open()
    // tiles are 7 days × 10 stations and start at (1, 1): day 63 is the last of a tile
    const ranges = { day: [62, 65], station: [9, 12] } as const
    const at = async (order: "row" | "col" | "global") => {
      const { columns } = await run(Dense.read(array, { select: ["day", "station"], region: ranges, order }))
      return numbers(columns.day).map((d, i) => `${d},${numbers(columns.station)[i]}`)
    }
    const cells = (days: ReadonlyArray<number>, stations: ReadonlyArray<number>) =>
      days.flatMap((d) => stations.map((s) => `${d},${s}`))
    const days = [62, 63, 64, 65]
    const stations = [9, 10, 11, 12]
    assertEquals(await at("row"), cells(days, stations))
    assertEquals(await at("col"), stations.flatMap((s) => days.map((d) => `${d},${s}`)))
    assertEquals(await at("global"), [
      ...cells([62, 63], [9, 10]),
      ...cells([62, 63], [11, 12]),
      ...cells([64, 65], [9, 10]),
      ...cells([64, 65], [11, 12]),
    ])
  })

  it("return fill values for unwritten cells", async () => {
    const { columns } = await run(Dense.read(await open(), { region: { day: [1, 2], station: 100 } }))
    assertEquals(numbers(columns.temperature), [NaN, NaN])
    assertEquals(texts(columns.note), ["\0", "\0"])
  })

  it("return the state at a timestamp", async () => {
    const monday = 1709539200000
    const then = await run(TileArray.open(weather, { at: new Date(monday) }))
    assertEquals(numbers((await run(Dense.read(then, { region: { day: 60, station: 1 } }))).columns.temperature), [99])
    const since = await run(TileArray.open(weather, { start: monday + 1 }))
    assertEquals((await run(Dense.read(since))).shape, [1, 2])
    const before = await run(TileArray.open(weather, { end: monday - 1 }))
    assertEquals((await run(Dense.read(before))).shape, [0, 0])
  })

  it("reject invalid options with the name and the valid values", async () => {
    const array = await open()
    const cases: ReadonlyArray<readonly [Dense.ReadOptions, string]> = [
      [{ region: { day: [0, 3] } }, "day: the range [0, 3] is outside the domain [1, 366]"],
      [{ region: { day: [5, 3] } }, "its low bound is above its high bound"],
      [{ region: { month: 3 } }, 'month: there is no such dimension; the array has "day", "station"'],
      [{ region: { day: "soon" } }, 'day: "soon" is not an integer'],
      [{ region: { day: 1.5 } }, "day: 1.5 is not an integer"],
      [{ region: { day: NaN } }, "day: NaN is not an integer"],
      [{ select: ["humidity"] }, "humidity: there is no such attribute or dimension"],
    ]
    for (const [options, message] of cases) {
      const error = await failure(Dense.read(array, options))
      assert(error instanceof SelectionError, String(error))
      assertStringIncludes(error.message, message)
      assertStringIncludes(error.message, "weather")
    }
    const error = await failure(Sparse.read(array))
    assert(error instanceof SelectionError)
    assertStringIncludes(error.message, "the array is dense")
  })

  it("clip ranges to the domain on request", async () => {
    const array = await open()
    const { shape } = await run(
      Dense.read(array, { region: { day: [-5, 3], station: [99, 1000] }, outOfBounds: "clip" }),
    )
    assertEquals(shape, [3, 2])
    const none = await run(Dense.read(array, { region: { day: [-5, -3] }, outOfBounds: "clip" }))
    assertEquals(none.shape, [0, 4])
  })

  it("report the required memory before they read, if it exceeds the limit", async () => {
    const array = await open()
    const all = { region: { day: [1, 366], station: [1, 100] } } as const
    const error = await failure(Dense.read(array, { ...all, select: ["temperature"], memory: 100_000 }))
    assert(error instanceof ResultTooLarge, String(error))
    assertEquals([error.needed, error.limit], [366 * 100 * 4, 100_000])
    assertEquals((await run(Dense.read(array, { ...all, select: ["temperature"] }))).shape, [366, 100])
  })

  it("count only the required part of var-sized tiles", async () => {
    const array = await open()
    const one = { select: ["note"], region: { day: 57, station: 1 } } as const
    // the tile of notes has tens of bytes; the read requires one of its seventy cells
    assertEquals(texts((await run(Dense.read(array, { ...one, memory: 30 }))).columns.note), [""])
    assert((await failure(Dense.read(array, { ...one, memory: 8 }))) instanceof ResultTooLarge)
  })
})

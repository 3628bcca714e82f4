/**
 * `deno task demo`: a tour in a temporary folder. Creates a dense and a sparse array, writes each of them twice, reads
 * slices, rows and cells that match a condition, and reads the arrays as of a time before the second write. Then reads
 * a slice of an array that TileDB wrote.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ArraySchema, Attr, Cells, Dense, Dim, Filter, layerDefault, Sparse, TileArray } from "../mod.ts"

const MONDAY = new Date("2024-03-04T08:00:00Z")
const TUESDAY = new Date("2024-03-05T08:00:00Z")

const say = (text = ""): void => console.log(text)
const title = (text: string): void => say(`\n${text}\n${"─".repeat(text.length)}`)

/** Prints rows below their titles; numbers are aligned to the right. */
const table = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<unknown>>): void => {
  const cells = [titles, ...rows.map((row) => row.map((cell) => cell === null ? "·" : String(cell)))]
  const widths = titles.map((_, c) => Math.max(...cells.map((row) => row[c].length)))
  const right = titles.map((_, c) => rows.every((row) => row[c] === null || typeof row[c] === "number"))
  for (const row of cells) {
    say(`  ${row.map((cell, c) => right[c] ? cell.padStart(widths[c]) : cell.padEnd(widths[c])).join("  ").trimEnd()}`)
  }
}

/** Prints the fragments of an array: each write creates one, which never changes. */
const showFragments = (array: TileArray.AnyTileArray) =>
  Effect.map(TileArray.fragments(array), (fragments) => {
    say(`\nIt has ${fragments.length} fragments, one a write:`)
    table(
      ["written at", "cells", "bytes"],
      fragments.map((
        { start, cellNum, size },
      ) => [new Date(Number(start)).toISOString(), Number(cellNum), Number(size)]),
    )
  })

// a schema is a value; TypeScript infers the types of the columns from it
const Weather = ArraySchema.dense({
  dims: { day: Dim.int32([1, 366], { tile: 7 }), station: Dim.int32([1, 100], { tile: 5 }) },
  attrs: {
    temperature: Attr.float32({ filters: [Filter.byteshuffle(), Filter.zstd({ level: 5 })] }),
    note: Attr.nullable(Attr.utf8({ filters: [Filter.zstd()] })),
  },
})

const dense = (uri: string) =>
  Effect.gen(function* () {
    title("A dense array: temperatures by day and station")
    const weather = yield* TileArray.create(uri, Weather)
    const cells = 14 * 5
    yield* Dense.write(weather, { day: [57, 70], station: [1, 5] }, {
      temperature: Float32Array.from({ length: cells }, (_, i) => Math.floor(i / 5) / 2 + i % 5),
      note: Array.from({ length: cells }, (_, i) => i % 35 === 7 ? "frost" : null),
    }, { at: MONDAY })
    // corrected measurements: a write may cover any box
    yield* Dense.write(weather, { day: [59, 60], station: [2, 3] }, {
      temperature: Float32Array.of(10, 11, 10.5, 11.5),
      note: ["corrected", "corrected", "corrected", "corrected"],
    }, { at: TUESDAY })

    const region = { day: [58, 61], station: [1, 4] } as const
    const show = (at: Date) =>
      Effect.gen(function* () {
        const { columns: { temperature, note } } = yield* Dense.read(yield* TileArray.reopen(weather, { at }), {
          region,
        })
        table(
          ["", "station 1", "station 2", "station 3", "station 4"],
          [58, 59, 60, 61].map((day, d) => [
            `day ${day}`,
            ...Array.from(temperature.subarray(4 * d, 4 * d + 4), (value, s) => {
              const text = Cells.text(note, 4 * d + s)
              return text === null ? value : `${value} ${text}`
            }),
          ]),
        )
      })
    say("Days 58 to 61 at stations 1 to 4:")
    yield* show(TUESDAY)
    say("\nThe same as it was on Monday:")
    yield* show(MONDAY)
    yield* showFragments(yield* TileArray.reopen(weather))
  })

// rows have an Effect schema, and the schema of the array is derived from it
class Quake extends Schema.Class<Quake>("Quake")({
  lat: Schema.Number,
  lon: Schema.Number,
  place: Schema.NonEmptyString,
  time: Schema.DateFromSelf,
  magnitude: Schema.Number,
  depth: Schema.NullOr(Schema.Number),
}) {}

const Quakes = ArraySchema.fromRows(Quake, {
  order: "hilbert",
  dims: { lat: Dim.float64([-90, 90]), lon: Dim.float64([-180, 180]) },
  filters: [Filter.zstd()],
})

const quake = (lat: number, lon: number, place: string, time: string, magnitude: number, depth: number | null): Quake =>
  Quake.make({ lat, lon, place, time: new Date(time), magnitude, depth })

const sparse = (uri: string) =>
  Effect.gen(function* () {
    title("A sparse array: earthquakes by where they were")
    const quakes = yield* TileArray.create(uri, Quakes)
    yield* Sparse.writeRows(
      quakes,
      [
        quake(38.3, 142.4, "Tōhoku", "2011-03-11T05:46:24Z", 9.1, 29),
        quake(-38.1, -73.4, "Valdivia", "1960-05-22T19:11:14Z", 9.5, null),
        quake(3.3, 96, "Sumatra", "2004-12-26T00:58:53Z", 9.1, 30),
        quake(37.2, 37, "Gaziantep", "2023-02-06T01:17:34Z", 7.5, 10),
      ],
      Quake,
      { at: MONDAY },
    )
    yield* Sparse.writeRows(
      quakes,
      [
        quake(37.2, 37, "Pazarcık", "2023-02-06T01:17:34Z", 7.8, 10),
        quake(37.5, 137.3, "Noto", "2024-01-01T07:10:09Z", 7.5, 10),
      ],
      Quake,
      { at: TUESDAY },
    )

    const show = (at: Date, options: Sparse.Query<undefined, string, "bigint">) =>
      Effect.gen(function* () {
        const array = TileArray.undeclare(yield* TileArray.reopen(quakes, { at }))
        const rows = yield* Sparse.decodeRows(yield* Sparse.read(array, options), Quake)
        table(
          ["place", "time", "lat", "lon", "magnitude", "depth"],
          rows.map(({ place, time, lat, lon, magnitude, depth }) => [
            place,
            time.toISOString().slice(0, 16),
            lat,
            lon,
            magnitude,
            depth,
          ]),
        )
      })
    const box = { lat: [30, 46], lon: [30, 148] } as const
    say("Between 30° and 46° north, 30° and 148° east:")
    yield* show(TUESDAY, { region: box })
    say("\nThe same as it was on Monday:")
    yield* show(MONDAY, { region: box })
    say("\nEverywhere, where magnitude > 9 and depth is known:")
    yield* show(TUESDAY, { where: "magnitude > 9 and not depth == None" })
    yield* showFragments(yield* TileArray.reopen(quakes))
  })

const golden = Effect.gen(function* () {
  title("An array that TileDB's own engine wrote")
  const weather = yield* TileArray.open(join(import.meta.dirname!, "..", "tests", "golden", "demo", "weather"))
  const { shape, columns } = yield* Dense.read(weather, { region: { day: [59, 61], station: [1, 3] } })
  say(`Format version ${weather.schema.version}; days 59 to 61 at stations 1 to 3:`)
  const temperatures = Cells.values(columns.temperature)
  table(
    ["", "station 1", "station 2", "station 3"],
    Array.from({ length: shape[0] }, (_, d) => [`day ${59 + d}`, ...temperatures.slice(3 * d, 3 * d + 3)]),
  )
})

const folder = mkdtempSync(join(tmpdir(), "tessera-demo-"))
const program = Effect.gen(function* () {
  yield* dense(join(folder, "weather"))
  yield* sparse(join(folder, "quakes"))
  yield* golden
})
try {
  await Effect.runPromise(Effect.provide(program, layerDefault))
} finally {
  rmSync(folder, { recursive: true })
}
say("\nAll of this is in examples/demo.ts. The command line does it too: deno task tessera --help")

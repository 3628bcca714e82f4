/**
 * Reads of arrays with a declared schema: the buffers match the types (see tests/types), and mismatches are rejected.
 */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import {
  ArraySchema,
  Attr,
  Dense,
  Dim,
  InvalidOption,
  SchemaMismatch,
  SelectionError,
  Sparse,
  TileArray,
} from "../../../mod.ts"
import { noFilters } from "../../../schema/array/filter_pipeline.ts"
import { buildArray, countingTile, rangesOf } from "../../support/build_array.ts"
import { runOver } from "../../support/run_bytes.ts"
import { Forms, Weather } from "../../support/weather.ts"
import { FORMS, MOMENT, overForms } from "../../support/forms_array.ts"
import { run } from "../../support/run_query.ts"

const weather = new URL("../../golden/demo/weather", import.meta.url).pathname
const open = () => run(TileArray.open(weather, Weather))

describe("reads with a schema", () => {
  it("return dense columns as buffers", async () => {
    const { columns, shape, fields, array } = await run(Dense.read(await open(), { region: { day: 60 } }))
    assertEquals(shape, [1, 4])
    assertEquals(columns.temperature, Float32Array.of(7.5, 8, 6.5, 9.5))
    assertEquals(columns.note, {
      values: new TextEncoder().encode("correctedcorrected"),
      offsets: Uint32Array.of(0, 9, 18, 18, 18),
    })
    assertEquals(fields.temperature.type, "float32")
    assertEquals(fields.temperature.values, columns.temperature)
    assertEquals(array.uri, weather)
  })

  it("return every form of column", async () => {
    const { columns, length } = await overForms(Effect.flatMap(TileArray.open(FORMS, Forms), (a) => Sparse.read(a)))
    assertEquals(length, 3)
    assertEquals(columns.id, BigUint64Array.of(1n, 2n, 3n))
    assertEquals(columns.name.offsets, Uint32Array.of(0, 1, 3, 4))
    assertEquals(columns.x, Float32Array.of(0.25, 0.5, 0.75))
    assertEquals(columns.fixed, Int16Array.of(-1, 0, 1))
    assertEquals(columns.nullable.validity, Uint8Array.of(1, 0, 1))
    assertEquals([columns.nullable.values[0], columns.nullable.values[2]], [7, 9])
    assertEquals(Object.keys(columns.nullable).sort(), ["validity", "values"])
    assertEquals(Object.keys(columns.nullableText).sort(), ["offsets", "validity", "values"])
    assert(columns.nullableText.values instanceof Uint16Array)
    assertEquals(columns.three, Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9))
    assertEquals(columns.many, { values: Uint32Array.of(1, 2, 3), offsets: Uint32Array.of(0, 2, 2, 3) })
    assertEquals(columns.color, Int8Array.of(1, 0, -128))
    assert(columns.code.values instanceof Int8Array)
    assertEquals(Object.keys(columns), [...Forms.dimensionNames, ...Forms.attributeNames])
  })

  it("return dates as Date, DateTime or counts", async () => {
    const read = <T extends "date" | "datetime" | "bigint">(time: T) =>
      overForms(Effect.flatMap(TileArray.open(FORMS, Forms), (a) => Sparse.read(a, { time })))
    const dates = (await read("date")).columns
    assertEquals(dates.at[0], new Date(MOMENT))
    // times are rounded down to milliseconds, before 1970 too
    assertEquals(dates.when, [new Date(MOMENT), new Date(-1), null])
    assertEquals(dates.whenever, [new Date("2024-02-29"), null, null])
    assertEquals(dates.duration, BigInt64Array.of(60n, 3600n, 0n))
    const moments = (await read("datetime")).columns
    assertEquals(DateTime.toEpochMillis(moments.when[0]!), MOMENT)
    assertEquals(moments.when[2], null)
    assertEquals((await read("bigint")).columns.when[1], -1n)
  })

  it("accept dates, bigints and texts as ranges", async () => {
    const read = (ranges: Sparse.RegionOf<typeof Forms>) =>
      overForms(Effect.flatMap(TileArray.open(FORMS, Forms), (a) => Sparse.read(a, { select: ["id"], region: ranges })))
        .then(
          ({ columns }) => [...columns.id],
        )
    assertEquals(await read({ id: [2n, 3] }), [2n, 3n])
    assertEquals(await read({ at: new Date(MOMENT + 1) }), [2n])
    assertEquals(await read({ at: ["2024-02-29", "2024-02-29T12:30:00.251"] }), [1n, 2n])
    assertEquals(await read({ name: ["b", null] }), [2n, 3n])
    assertEquals(await read({ x: { points: [0.25, 0.75] } }), [1n, 3n])
  })

  it("return only declared fields", async () => {
    const Part = ArraySchema.dense({ dims: Weather.dims, attrs: { temperature: Attr.float32() } })
    const { columns } = await run(Effect.flatMap(TileArray.open(weather, Part), (a) => Dense.read(a)))
    assertEquals(Object.keys(columns), ["temperature"])
  })

  it("return self-describing columns after undeclare", async () => {
    const { columns } = await run(Dense.read(TileArray.undeclare(await open()), { region: { day: 60 } }))
    assertEquals(columns.temperature.type, "float32")
    assertEquals(Object.keys(columns), ["temperature", "note"])
  })
})

describe("schemas that differ from the array's", () => {
  const mismatch = (schema: ArraySchema.ArraySchema): Promise<ReadonlyArray<string>> =>
    run(Effect.flip(TileArray.open(weather, schema))).then((error) => {
      assert(error instanceof SchemaMismatch, String(error))
      assertStringIncludes(error.message, `${weather}: the array is not what the schema declares: `)
      for (const { field, expected, actual } of error.differences) {
        assertStringIncludes(
          error.message,
          `${field === "" ? "" : `"${field}": `}the schema says ${expected}, the array has ${actual}`,
        )
      }
      return error.differences.map(({ field, expected, actual }) => `${field}|${expected}|${actual}`)
    })
  const { day, station } = Weather.dims
  const { temperature } = Weather.attrs

  it("are rejected with every difference", async () => {
    assertEquals(
      await mismatch(ArraySchema.sparse({
        dims: { day: Dim.int64([1, 366]), place: station },
        attrs: {
          temperature: Attr.nullable(Attr.float64()),
          note: Attr.multiValue(Attr.ascii(), 4),
          wind: temperature,
        },
      })),
      [
        "|a sparse array|a dense array",
        '|the dimensions "day", "place"|the dimensions "day", "station"',
        "day|int64|int32",
        "temperature|nullable float64|float32",
        "note|string_ascii, 4 values in a cell|string_ascii, var-sized",
        'wind|float32|no such attribute, but "temperature", "note"',
      ],
    )
  })

  it("are rejected if the order of dimensions differs", async () => {
    assertEquals(await mismatch(ArraySchema.dense({ dims: { station, day }, attrs: { temperature } })), [
      '|the dimensions "station", "day"|the dimensions "day", "station"',
    ])
  })

  it("are rejected if the array has no such enumeration", async () => {
    const Ids = ArraySchema.sparse({
      dims: Forms.dims,
      attrs: { fixed: Attr.enumerated(Attr.int16(), "e") },
      enumerations: { e: ["p"] },
    })
    const error = await overForms(Effect.flip(TileArray.open(FORMS, Ids)))
    assert(error instanceof SchemaMismatch)
    assertEquals(error.differences, [{ field: "fixed", expected: "codes of an enumeration", actual: "no enumeration" }])
    // codes may be read as integers
    const Codes = ArraySchema.sparse({ dims: Forms.dims, attrs: { color: Attr.int8() } })
    assertEquals((await overForms(TileArray.open(FORMS, Codes))).declared, Codes)
  })

  it("are accepted with other domains, tiles, orders and filters", async () => {
    const other = ArraySchema.dense({
      dims: { day: Dim.int32([0, 9]), station: Dim.int32([0, 9]) },
      attrs: { temperature: Attr.float32() },
      order: "col-major",
    })
    assertEquals((await run(TileArray.open(weather, other))).declared, other)
  })

  it("are checked again when the array is reopened", async () => {
    const again = await run(TileArray.reopen(await open(), { at: new Date("2024-03-04T08:00:00Z") }))
    assertEquals(again.declared, Weather)
    const { columns } = await run(Dense.read(again, { region: { day: 60, station: [1, 2] } }))
    assertEquals(columns.temperature, Float32Array.of(99, 99))
  })

  it("are distinguished from options", async () => {
    const error = await run(Effect.flip(TileArray.open(weather, { dims: {}, attrs: {} } as never)))
    assertEquals((error as { _tag: string })._tag, "InvalidOption")
  })
})

describe("the out option", () => {
  const select = ["temperature"] as const
  const ranges = { day: 60 } as const
  const refusal = (options: Dense.ReadOptions): Promise<string> =>
    run(Effect.flatMap(TileArray.open(weather), (a) => Effect.flip(Dense.read(a, options)))).then((error) => {
      if (error instanceof InvalidOption) return `${error.option}: ${error.detail}`
      assert(error instanceof SelectionError, String(error))
      return `${error.field}: ${error.detail}`
    })

  it("receives the result", async () => {
    const buffer = new Float32Array(6).fill(-1)
    const out = { temperature: buffer.subarray(1) }
    const { columns, fields } = await run(Dense.read(await open(), { select, region: ranges, out }))
    assertEquals(columns.temperature, Float32Array.of(7.5, 8, 6.5, 9.5))
    assertEquals(columns.temperature.buffer, buffer.buffer)
    assertEquals(fields.temperature.values, columns.temperature)
    assertEquals(buffer, Float32Array.of(-1, 7.5, 8, 6.5, 9.5, -1))
  })

  it("receives results in every order, coordinates and fill values", async () => {
    for (const order of ["row", "col", "global"] as const) {
      const out = { temperature: new Float32Array(8).fill(5), day: new Int32Array(8).fill(5) }
      const query = { select: ["temperature", "day"], region: { day: [63, 64], station: [1, 4] }, order } as const
      const into = await run(Dense.read(await open(), { ...query, out }))
      const alone = await run(Dense.read(await open(), query))
      assertEquals(into.columns, alone.columns)
      assertEquals(into.columns.day.buffer, out.day.buffer)
      assert(Number.isNaN(out.temperature[order === "col" ? 1 : 7]))
    }
  })

  it("receives values and validity at any alignment", async () => {
    const Pixels = ArraySchema.dense({
      dims: { x: Dim.int32([0, 7], { tile: 4 }) },
      attrs: { rgba: Attr.nullable(Attr.multiValue(Attr.uint8(), 4)), grey: Attr.nullable(Attr.int16()) },
    })
    const made = ArraySchema.toStructure(Pixels)
    const structure = { ...made, coordsFilters: noFilters, offsetsFilters: noFilters, validityFilters: noFilters }
    const files = buildArray("pixels", structure, [{
      time: 1,
      domain: rangesOf(made.dimensions, [[0, 3]]),
      tileCount: 1,
      fields: {
        rgba: { fixed: [countingTile("uint8", 16)], validity: [Uint8Array.of(1, 0, 1, 1)] },
        grey: { fixed: [countingTile("int16", 4)], validity: [Uint8Array.of(0, 1, 1, 1)] },
      },
    }])
    const bytes = new Uint8Array(64).fill(99)
    const out = {
      // a cell of four values is copied as one unit, which is unaligned here
      rgba: { values: bytes.subarray(1, 21), validity: bytes.subarray(21, 26) },
      grey: { values: new Int16Array(bytes.buffer, 26, 6), validity: bytes.subarray(40) },
    }
    const answer = await runOver(
      files,
      Effect.flatMap(TileArray.open("mem://pixels", Pixels), (a) => Dense.read(a, { region: { x: [1, 5] }, out })),
    )
    assert("value" in answer)
    const { rgba, grey } = answer.value.columns
    assertEquals(rgba.validity, Uint8Array.of(0, 1, 1, 0, 0))
    assertEquals(rgba.values.subarray(4, 12), Uint8Array.of(8, 9, 10, 11, 12, 13, 14, 15))
    assertEquals(grey.validity, Uint8Array.of(1, 1, 1, 0, 0))
    assertEquals(grey.values.subarray(0, 3), Int16Array.of(1, 2, 3))
    assertEquals([rgba.values.buffer, grey.validity.buffer], [bytes.buffer, bytes.buffer])
    assertEquals([bytes[0], bytes[38], bytes[45]], [99, 99, 99])
  })

  it("is rejected if it does not fit the result", async () => {
    const refused = async (out: object) =>
      await refusal({ select: ["temperature", "note"], region: ranges, out: out as never })
    assertEquals(
      await refused({ temperature: new Float64Array(4) }),
      "out: temperature: float32 is read into a Float32Array, not into Float64Array",
    )
    assertEquals(
      await refused({ temperature: new Float32Array(3) }),
      "out: temperature: the result has 4 values, there is room for 3",
    )
    assertStringIncludes(await refused({ note: new Uint8Array(99) }), "out: note: var-sized cells cannot be read")
    assertStringIncludes(await refused({ day: new Int32Array(4) }), "out: day: the result has no such field")
    assertStringIncludes(
      await refused({ temperature: { values: new Float32Array(4), validity: new Uint8Array(4) } }),
      "out: temperature: the field is not nullable",
    )
    assertStringIncludes(await refused({ temperature: 5 }), "not into undefined")
    assertStringIncludes(await refused({ temperature: null }), "not into undefined")
  })
})

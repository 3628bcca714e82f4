/** Importing CSV into arrays, and rejected CSV. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import {
  ArraySchema,
  Attr,
  Cells,
  type Codecs,
  Csv,
  CsvError,
  Dense,
  Dim,
  Filter,
  Sparse,
  StorageService,
  TileArray,
} from "../../../mod.ts"
import { inMemory } from "../../support/in_memory.ts"

/** Returns all cells of an array as JSON, by column. */
const cellsOf = (uri: string, select?: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri)
    const options = select === undefined ? {} : { select }
    const { columns } =
      yield* (array.schema.arrayType === "sparse" ? Sparse.read(array, options) : Dense.read(array, options))
    return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, Cells.columnJson(column)]))
  })

/** Returns `name: type tile` of dimensions and `name: type` of attributes. */
const fieldsOf = ({ schema: { dimensions, attributes } }: TileArray.TileArray) => [
  dimensions.map(({ name, type }) => `${name}: ${type}`),
  attributes.map(({ name, type, nullable, filters }) =>
    `${name}: ${type}${nullable ? "?" : ""} ${filters.filters.map((f) => f.type).join()}`
  ),
]

const text = `place,lat,lon,depth,at,felt,note
Tōhoku,38.3,142.4,29,2011-03-11T05:46:24Z,true,
"Valdivia, Chile",-38.1,-73.4,,1960-05-22,true,"strong
""est"""
Off Maule,-36,-73,35,2010-02-27,false,""
`

describe("CSV into a new array", () => {
  it("is typed by its first rows, sparse", async () => {
    const [fields, cells] = await inMemory(Effect.gen(function* () {
      const { uri, cells } = yield* Csv.create("mem://a", Stream.make(text), {
        arrayType: "sparse",
        dims: ["lat", "lon"],
      })
      assertEquals([uri, cells], ["mem://a", 3])
      return [fieldsOf(yield* TileArray.open("mem://a")), yield* cellsOf("mem://a")]
    }))
    assertEquals(fields, [["lat: float64", "lon: float64"], [
      "place: string_utf8 zstd",
      "depth: int64? zstd",
      "at: datetime_ms zstd",
      "felt: bool zstd",
      "note: string_utf8? zstd",
    ]])
    assertEquals(cells, {
      lat: [-38.1, -36, 38.3],
      lon: [-73.4, -73, 142.4],
      place: ["Valdivia, Chile", "Off Maule", "Tōhoku"],
      depth: [null, "35", "29"],
      at: ["-303350400000", "1267228800000", "1299822384000"],
      felt: [1, 0, 1],
      note: ['strong\n"est"', "", null],
    })
  })

  it("has numbered rows, dense", async () => {
    const [fields, cells] = await inMemory(Effect.gen(function* () {
      yield* Csv.create("mem://a", Stream.make(text))
      return [fieldsOf(yield* TileArray.open("mem://a")), yield* cellsOf("mem://a", ["row", "depth"])]
    }))
    assertEquals(fields[0], ["row: int64"])
    assertEquals(fields[1].length, 7)
    assertEquals(cells, { row: ["0", "1", "2"], depth: ["29", null, "35"] })
  })

  it("has the types, tiles, domains, filters and other properties of the options", async () => {
    const [array, cells] = await inMemory(Effect.gen(function* () {
      const csv = Stream.make("3;b;7;0,5\n1;a;8;NA\n")
      yield* Csv.create("mem://a", csv, {
        arrayType: "sparse",
        delimiter: ";",
        null: "NA",
        columns: ["x", "name", "n", "v"],
        dims: ["x", "name"],
        types: { x: "uint16", n: "uint8", v: "string_ascii?" },
        tile: { x: 10 },
        domain: { x: [0, 99] },
        filters: [Filter.gzip({ level: 3 })],
        columnFilters: { v: [Filter.rle()] },
        order: "col-major",
        capacity: 5,
        allowsDuplicates: true,
        formatVersion: 19,
        at: 1000,
      })
      return [yield* TileArray.open("mem://a", { at: 1000 }), yield* cellsOf("mem://a")]
    }))
    const { schema } = array
    assertEquals(fieldsOf(array), [["x: uint16", "name: string_ascii"], ["n: uint8 gzip", "v: string_ascii? rle"]])
    assertEquals([schema.version, schema.capacity, schema.cellOrder, schema.allowsDuplicates], [
      19,
      5,
      "col-major",
      true,
    ])
    assertEquals(cells, { x: [1, 3], name: ["a", "b"], n: [8, 7], v: [null, "0,5"] })
  })

  it("has domains for every datatype of coordinates", async () => {
    const cases: ReadonlyArray<readonly [type: Csv.CsvType, low: string, high: string]> = [
      ["int8", "-128", "126"],
      ["uint8", "0", "254"],
      ["int16", "-32768", "32766"],
      ["int32", "-2147483648", "2147483646"],
      ["uint32", "0", "4294967294"],
      ["int64", "-9223372036854775808", "9223372036854775806"],
      ["uint64", "0", "18446744073709551614"],
      ["float32", "-1e37", "1e37"],
      ["float64", "-1e300", "1e300"],
      ["string_ascii", "", "~"],
      ["datetime_ns", "1900-01-01", "2200-01-01"],
      ["datetime_day", "-5000-01-01", "9999-12-31"],
      ["time_sec", "00:00:00", "23:59:59"],
    ]
    for (const [type, low, high] of cases) {
      await inMemory(Effect.gen(function* () {
        const csv = Stream.make(`x,a\n"${low}",1\n${high},2\n`)
        yield* Csv.create("mem://a", csv, { arrayType: "sparse", dims: ["x"], types: { x: type } })
        assertEquals((yield* cellsOf("mem://a", ["a"])).a, ["1", "2"], type)
        // with tiles, which start at multiples of their length
        if (type !== "string_ascii") {
          const some = Stream.make(
            type.startsWith("date") ? "x,a\n2000-01-01,1\n" : type === "time_sec" ? "x,a\n12:00:00,1\n" : "x,a\n7,1\n",
          )
          yield* Csv.create("mem://b", some, { arrayType: "sparse", dims: ["x"], types: { x: type }, tile: { x: 5 } })
          assertEquals((yield* cellsOf("mem://b", ["a"])).a, ["1"], type)
        }
      }))
    }
  })

  it("is dense if the rows contain the coordinates of boxes", async () => {
    const rows = Array.from({ length: 600 }, (_, i) => `${Math.floor(i / 20)},${-10 + i % 20},${i / 4}`)
    const { shape, values } = await inMemory(Effect.gen(function* () {
      const { fragments } = yield* Csv.create("mem://a", Stream.make(`y,x,v\n${rows.toReversed().join("\n")}`), {
        dims: ["y", "x"],
        tile: { y: 7, x: 6 },
      })
      assertEquals(fragments.length, 1)
      const { shape, columns } = yield* Dense.read(yield* TileArray.open("mem://a"))
      return { shape, values: columns.v.values }
    }))
    assertEquals(shape, [30, 20])
    assertEquals(values, Float64Array.from({ length: 600 }, (_, i) => i / 4))
  })

  it("has tiles no longer than the domain in the options", async () => {
    const tiles = (csv: string, dims: ReadonlyArray<string>, domain: Record<string, readonly [number, number]>) =>
      inMemory(Effect.gen(function* () {
        yield* Csv.create("mem://a", Stream.make(csv), { dims, domain })
        const { schema } = yield* TileArray.open("mem://a")
        return schema.dimensions.map(({ tileExtent }) =>
          Number(new DataView(tileExtent!.slice().buffer).getBigInt64(0, true))
        )
      }))
    assertEquals(await tiles("x,v\n3,1\n", ["x"], { x: [-5, 4] }), [10])
    assertEquals(await tiles("y,x,v\n0,0,1\n1,500,2\n", ["y", "x"], { y: [0, 1], x: [0, 999] }), [2, 100])
  })

  it("is read in chunks cut anywhere, within the memory option, and reports its progress", async () => {
    const line = (i: number): string => `${i},"text ${i}, ${"ä".repeat(i % 5)}",${i / 8}\n`
    const n = 90_000
    const bytes = new TextEncoder().encode("id,text,x\n" + Array.from({ length: n }, (_, i) => line(i)).join(""))
    const seen: Array<Csv.CsvProgress> = []
    await inMemory(Effect.gen(function* () {
      const pieces = Stream.fromIterable(
        Array.from({ length: Math.ceil(bytes.length / 1013) }, (_, i) => bytes.slice(i * 1013, (i + 1) * 1013)),
      )
      const options = {
        arrayType: "sparse",
        dims: ["id"],
        memory: 300_000,
        onProgress: (progress: Csv.CsvProgress) => seen.push(progress),
      } as const
      const { cells, fragments } = yield* Csv.create("mem://a", pieces, options)
      assertEquals(cells, n)
      assert(fragments.length > 2, `${fragments.length} fragments`)
      const table = yield* cellsOf("mem://a")
      assertEquals(table.text[777], `text 777, ${"ä".repeat(2)}`)
      assertEquals([table.id.length, table.x[29_999]], [n, 29_999 / 8])

      const storage = yield* StorageService
      yield* storage.write("mem://file.csv", bytes)
      seen.length = 0
      yield* Csv.create("mem://b", "mem://file.csv", options)
      assertEquals(yield* cellsOf("mem://b"), table)
    }))
    assertEquals(seen.at(-1), { rows: n, bytesRead: bytes.length, bytes: bytes.length })
  })

  it("may have no rows", async () => {
    const [array, cells] = await inMemory(Effect.gen(function* () {
      yield* Csv.create("mem://a", Stream.make("a,b\n"), { arrayType: "sparse", dims: ["a"] })
      return [yield* TileArray.open("mem://a"), yield* cellsOf("mem://a")]
    }))
    assertEquals(fieldsOf(array), [["a: string_ascii"], ["b: string_utf8 zstd"]])
    assertEquals(cells, { a: [], b: [] })
  })
})

describe("CSV appended to an array", () => {
  const Log = ArraySchema.sparse({
    dims: { t: Dim.datetime("sec", ["1970-01-01", "2100-01-01"]) },
    attrs: {
      level: Attr.nullable(Attr.enumerated(Attr.uint8(), "levels")),
      code: Attr.enumerated(Attr.int32(), "codes"),
      n: Attr.int16(),
      rgb: Attr.multiValue(Attr.uint8(), 3),
      many: Attr.varSized(Attr.float32()),
      raw: Attr.blob(),
      wide: Attr.utf16(),
      more: Attr.nullable(Attr.float32()),
    },
    enumerations: { levels: ["info", "warn"], codes: { values: [10, 20], type: "int64" } },
  })

  it("contains fields of the array in any order; missing fields are null", async () => {
    const cells = await inMemory(Effect.gen(function* () {
      yield* TileArray.create("mem://a", Log)
      const csv = [
        "n,level,t,code,rgb,many,raw,wide",
        '-5,warn,2024-01-01T00:00:01,20,"[1,2,3]","[0.5, 1]","{""hex"": ""00ff""}",wide',
        '7,,5,10,"[4,5,6]",[],"{""hex"": """"}",[104]',
      ].join("\r\n")
      yield* Csv.append("mem://a", Stream.make(csv))
      return yield* cellsOf("mem://a")
    }))
    assertEquals(cells, {
      t: ["5", "1704067201"],
      level: [null, 1],
      code: [0, 1],
      n: [7, -5],
      rgb: [[4, 5, 6], [1, 2, 3]],
      many: [[], [0.5, 1]],
      raw: [{ hex: "" }, { hex: "00ff" }],
      wide: [[104], [119, 105, 100, 101]],
      more: [null, null],
    })
  })

  it("continues the row numbers", async () => {
    const cells = await inMemory(Effect.gen(function* () {
      yield* Csv.create("mem://a", Stream.make("a\n1\n2\n"))
      for (const more of ["a\n3\n", "a\n4\n5\n"]) yield* Csv.append("mem://a", Stream.make(more))
      const Bytes = ArraySchema.dense({ dims: { i: Dim.uint8([10, 200], { tile: 5 }) }, attrs: { a: Attr.utf8() } })
      const bytes = yield* TileArray.create("mem://b", Bytes)
      yield* Csv.append(bytes, Stream.make("x\n"), { columns: ["a"] })
      yield* Csv.append("mem://b", Stream.make("y\n"), { columns: ["a"] })
      return [yield* cellsOf("mem://a", ["row", "a"]), yield* cellsOf("mem://b", ["i", "a"])]
    }))
    assertEquals(cells, [{ row: ["0", "1", "2", "3", "4"], a: ["1", "2", "3", "4", "5"] }, {
      i: [10, 11],
      a: ["x", "y"],
    }])
  })
})

describe("rows that are appended concurrently", () => {
  const append = (csv: string) => Csv.append("mem://a", Stream.make(csv))
  const begin = Csv.create("mem://a", Stream.make("a\n1\n2\n"), { domain: { row: [0, 1000] } })
  const names = Effect.gen(function* () {
    const storage = yield* StorageService
    return yield* Effect.forEach(
      ["__fragments", "__commits"],
      (folder) => Effect.map(storage.list(`mem://a/${folder}`), (entries) => entries.map(({ name }) => name)),
    )
  })

  it("are rejected if other rows were added since the array was opened", async () => {
    const [cells, more, left] = await inMemory(Effect.gen(function* () {
      yield* begin
      let between: Effect.Effect.Success<typeof names> | undefined
      // is appended while the first append runs
      const other = Stream.execute(
        Effect.flatMap(Effect.zipRight(append("a\n30\n"), names), (folders) => Effect.sync(() => between = folders)),
      )
      const rows = Stream.concat(Stream.make("a\n40\n50\n"), other)
      const error = yield* Effect.flip(Csv.append("mem://a", rows))
      assertEquals([error._tag, "field" in error && error.field], ["Conflict", "row"])
      assertMatch(error.message, /^mem:\/\/a: row: another write has added rows from 2 to 3 .* append again$/)
      assertEquals(yield* names, between)
      const cells = yield* cellsOf("mem://a", ["a"])
      yield* append("a\n40\n50\n")
      return [cells, yield* cellsOf("mem://a", ["a"]), (yield* names)[0].length]
    }))
    assertEquals([cells, more, left], [{ a: ["1", "2", "30"] }, { a: ["1", "2", "30", "40", "50"] }, 3])
  })

  it("are removed if other rows were committed just before them", () =>
    inMemory(Effect.gen(function* () {
      yield* begin
      const storage = yield* StorageService
      let commits = 0
      const late: StorageService = {
        ...storage,
        create: (uri, bytes) =>
          uri.includes("/__commits/") && commits++ === 0
            ? Effect.zipRight(
              Effect.orDie(Effect.provideService(append("a\n30\n"), StorageService, storage)),
              storage.create(uri, bytes),
            )
              .pipe(Effect.provide(codecs))
            : storage.create(uri, bytes),
      }
      const codecs = yield* Effect.context<Codecs>()
      const error = yield* Effect.flip(Effect.provideService(append("a\n40\n50\n"), StorageService, late))
      assertEquals(error._tag, "Conflict")
      assertEquals((yield* names).map((each) => each.length), [2, 2])
      assertEquals(yield* cellsOf("mem://a", ["a"]), { a: ["1", "2", "30"] })
    })))

  it("are all stored if they were acknowledged", async () => {
    const [acknowledged, stored] = await inMemory(Effect.gen(function* () {
      yield* begin
      const numbers = Array.from({ length: 40 }, (_, i) => i + 100)
      const done = yield* Effect.forEach(numbers, (n) =>
        append(`a\n${n}\n${n}\n`).pipe(
          Effect.as([n, n]),
          Effect.catchTag("Conflict", () => Effect.succeed([])),
        ), { concurrency: 5 })
      return [["1", "2", ...done.flat().map(String)], (yield* cellsOf("mem://a", ["a"])).a]
    }))
    assertEquals([...stored as Array<string>].sort(), [...acknowledged as Array<string>].sort())
  })
})

describe("invalid CSV", () => {
  const refused = (csv: string, options: Csv.CsvCreateOptions, message: RegExp) =>
    inMemory(Effect.gen(function* () {
      const storage = yield* StorageService
      yield* storage.write("mem://d.csv", new TextEncoder().encode(csv))
      const error = yield* Effect.flip(Csv.create("mem://a", "mem://d.csv", options))
      assertMatch(`${error._tag}: ${error.message}`, message)
      assertEquals(yield* storage.list("mem://a"), [])
      return error
    }))

  it("is rejected with the row and the column, and no array is created", async () => {
    const sparse = { arrayType: "sparse", dims: ["x"] } as const
    const good = Array.from({ length: 12_000 }, (_, i) => `${i},${i}`).join("\n")
    const error = await refused(
      `x,a\n${good}\n5.5,1\n`,
      sparse,
      /^CsvError: mem:\/\/d.csv: row 12002: x: "5.5" is not an integer/,
    )
    assert(error instanceof CsvError && error.row === 12_002 && error.column === "x")
    await refused(`x,a\n${good}\n12000,\n`, sparse, /row 12002: a: the cell is empty, and the field is not nullable/)
    await refused(
      `x,a\n${good}\n7,7\n`,
      sparse,
      /row 12002: the coordinates x = 7 are duplicated.*\(the other is row 9\)$/,
    )
    await refused("x,a\n1,2\n3\n", sparse, /row 3: it has 1 cells, and there are 2 columns/)
    await refused("x,a\n1,2\n\n3,4\n", sparse, /row 3: the row is empty, and other rows follow/)
    await refused("x,a\n1,2\n,4\n", sparse, /row 3: x: the cell is empty/)
    await refused('x,a\n1,"2\n3,4\n', sparse, /row 2: a quote is opened and never closed/)
    await refused("x,a\n1,300\n", { ...sparse, types: { a: "uint8" } }, /row 2: a: "300" does not fit into uint8/)
    await refused("x,a\n1,inf\n2,1e39\n", { ...sparse, types: { a: "float32" } }, /row 3: a: "1e39" does not fit/)
    await refused("x,a\n1,-1e400\n", { ...sparse, types: { a: "float64" } }, /row 2: a: "-1e400" does not fit/)
    await refused(
      "x,a\n1,é\n",
      { ...sparse, types: { a: "string_ascii" } },
      /row 2: a: it contains characters that are not ASCII/,
    )
    await refused("x,a\nNaT,2\n2024-01-01,1\n", sparse, /row 2: x: NaT is outside the domain/)
    await refused("x,a\né,1\n", sparse, /row 2: x: it contains characters that are not ASCII/)
    await refused(
      "x,a\n1,perhaps\n",
      { ...sparse, types: { a: "bool" } },
      /row 2: a: "perhaps" is neither true nor false/,
    )
    await refused("", sparse, /it is empty; add a row with column names/)
    await refused("x,,a\n", sparse, /row 1: column 2 has no name/)
    await refused("x,a,x\n", sparse, /row 1: x: there are two columns of this name/)
  })

  it("is rejected if the options do not fit it", async () => {
    const csv = "x,a\n1,2\n"
    await refused(
      csv,
      { arrayType: "sparse" },
      /^InvalidOption: mem:\/\/a: dims: specify the columns that contain coordinates/,
    )
    await refused(csv, { dims: ["y"] }, /^InvalidOption: mem:\/\/a: dims: y: there is no such column/)
    await refused("row\n1\n", {}, /^SchemaError: row: a column has the name of the dimension that numbers the rows/)
    await refused(
      csv,
      { dims: ["x"], tile: { a: 5 } },
      /^InvalidOption: mem:\/\/a: tile: a: it is not a dimension; the dimensions are "x"/,
    )
    await refused(
      csv,
      { dims: ["x"], tile: { x: "five" } },
      /^InvalidOption: mem:\/\/a: tile: x: "five" is invalid; expected a number above 0/,
    )
    await refused(csv, { types: { b: "int8" } }, /^InvalidOption: mem:\/\/a: types: there is no column "b"/)
    await refused(
      csv,
      { types: { a: "int9" as "int8" } },
      /^InvalidOption: mem:\/\/a: types: "int9", of "a", is not a datatype/,
    )
    await refused(csv, { delimiter: ", " }, /^InvalidOption: mem:\/\/a: delimiter: ", " is invalid/)
    await refused(csv, { headers: true } as never, /^InvalidOption: mem:\/\/a: headers: unknown option/)
    await refused(
      csv,
      { dims: ["x"], types: { x: "float64" } },
      /^SchemaError: x: a dense array has dimensions of integers/,
    )
  })

  it("is rejected if it is not text, is missing, or the array exists", async () => {
    await inMemory(Effect.gen(function* () {
      const storage = yield* StorageService
      const why = <A, E extends { readonly _tag: string; readonly message: string }, R>(
        effect: Effect.Effect<A, E, R>,
      ) => Effect.map(Effect.flip(effect), ({ _tag, message }) => `${_tag}: ${message}`)
      const bytes = Stream.make(Uint8Array.of(97, 10, 0xff, 10))
      assertEquals(yield* why(Csv.create("mem://a", bytes)), "CsvError: the CSV: it is not text in UTF-8")
      assertMatch(yield* why(Csv.create("mem://a", "mem://none.csv")), /^NotFound: mem:\/\/none.csv/)
      yield* Csv.create("mem://a", Stream.make("a\n1\n"))
      assertMatch(yield* why(Csv.create("mem://a", Stream.make("a\n1\n"))), /^AlreadyExists: mem:\/\/a/)
      assertEquals((yield* cellsOf("mem://a")).a, ["1"])
      assertMatch(yield* why(Csv.append("mem://b", Stream.make("a\n"))), /^ArrayNotFound: mem:\/\/b/)
      assertMatch(
        yield* why(Csv.append("mem://a", Stream.make("b\n1\n"))),
        /^CsvError: the CSV: b: the array has no such field; it has "row", "a"/,
      )
      assertMatch(
        yield* why(Csv.append("mem://a", Stream.make("row\n1\n"))),
        /^CsvError: the CSV: a: the column is missing/,
      )
      yield* storage.remove("mem://a")
    }))
  })

  it("fails with the error of the stream", async () => {
    const error = await inMemory(
      Effect.flip(Csv.create("mem://a", Stream.concat(Stream.make("a\n1\n"), Stream.fail("gone" as const)))),
    )
    assertEquals(error, "gone")
  })
})

describe("exported CSV", () => {
  it("is imported with equal numbers", async () => {
    const float = FastCheck.double()
    const integer = FastCheck.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    await FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(FastCheck.tuple(float, integer), { minLength: 1, maxLength: 30 }),
        async (rows) => {
          const csv = `f,i\n${rows.map(([f, i]) => `${Object.is(f, -0) ? "-0" : f},${i}`).join("\n")}\n`
          const [f, i] = await inMemory(Effect.gen(function* () {
            yield* Csv.create("mem://a", Stream.make(csv), { types: { f: "float64", i: "int64" } })
            const { columns } = yield* Dense.read(yield* TileArray.open("mem://a"))
            return [columns.f.values, columns.i.values]
          }))
          assertEquals(f, Float64Array.from(rows, ([f]) => f))
          assertEquals(i, BigInt64Array.from(rows, ([, i]) => i))
        },
      ),
      { numRuns: 50 },
    )
  })
})

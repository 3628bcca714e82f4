/**
 * Arrays of all format versions: their files are where engines of that version read them, and writes to old arrays use
 * the array's version.
 */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  ArraySchema,
  Attr,
  Dense,
  Dim,
  Filter,
  InvalidOption,
  layerNative,
  SchemaError,
  Sparse,
  StorageService,
  TileArray,
} from "../../mod.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { openGenericTile } from "../../src/tile/generic_tile.ts"
import { accessOf } from "../../src/array/open/open.ts"
import { openedOf } from "../../src/array/open/handle.ts"
import { packedArrays, packs } from "../support/packed_arrays.ts"
import { inMemory } from "../support/in_memory.ts"

const Line = ArraySchema.dense({
  dims: { x: Dim.int32([1, 10], { tile: 4 }) },
  attrs: { a: Attr.int32({ filters: [Filter.zstd()] }), s: Attr.ascii() },
})
const Points = ArraySchema.sparse({
  capacity: 2,
  dims: { x: Dim.float64([0, 1], { tile: 1 }), y: Dim.float64([0, 1], { tile: 1 }) },
  attrs: { a: Attr.int32() },
})
const line = { a: Int32Array.of(1, 2, 3), s: ["a", "bc", "def"] }
const points = { x: Float64Array.of(0.5, 0.25, 0.75), y: Float64Array.of(0, 0.5, 1), a: Int32Array.of(1, 2, 3) }

/** Returns the names of files below a folder in memory, without times and random digits. */
const filesOf = (files: ReadonlyMap<string, Uint8Array>): ReadonlyArray<string> =>
  [...files.keys()].map((name) => name.replace(/\d{13}_\d{13}|(?<=__)7_7(?=_)/g, "T").replace(/[0-9a-f]{32}/g, "ID"))
    .sort()

const over = <A, E>(
  files: Map<string, Uint8Array>,
  effect: Effect.Effect<A, E, Effect.Effect.Context<ReturnType<typeof Dense.read>>>,
): Promise<A> =>
  Effect.runPromise(
    Effect.provide(effect, Layer.merge(Layer.succeed(StorageService, makeMemoryStorage(files)), layerNative)),
  )

describe("arrays of a format version", () => {
  const lines: ReadonlyArray<readonly [version: number, files: ReadonlyArray<string>]> = [
    [3, [
      "__T_ID/__fragment_metadata.tdb",
      "__T_ID/a.tdb",
      "__T_ID/s.tdb",
      "__T_ID/s_var.tdb",
      "__array_schema.tdb",
      "__lock.tdb",
    ]],
    [8, [
      "__T_ID_8/__fragment_metadata.tdb",
      "__T_ID_8/a.tdb",
      "__T_ID_8/s.tdb",
      "__T_ID_8/s_var.tdb",
      "__T_ID_8.ok",
      "__array_schema.tdb",
      "__lock.tdb",
    ]],
    [10, [
      "__T_ID_10/__fragment_metadata.tdb",
      "__T_ID_10/a0.tdb",
      "__T_ID_10/a1.tdb",
      "__T_ID_10/a1_var.tdb",
      "__T_ID_10.ok",
      "__lock.tdb",
      "__schema/__T_ID",
    ]],
    [11, [
      "__T_ID_11/__fragment_metadata.tdb",
      "__T_ID_11/a0.tdb",
      "__T_ID_11/a1.tdb",
      "__T_ID_11/a1_var.tdb",
      "__T_ID_11.ok",
      "__schema/__T_ID",
    ]],
    [22, [
      "__commits/__T_ID_22.wrt",
      "__fragments/__T_ID_22/__fragment_metadata.tdb",
      "__fragments/__T_ID_22/a0.tdb",
      "__fragments/__T_ID_22/a1.tdb",
      "__fragments/__T_ID_22/a1_var.tdb",
      "__schema/__T_ID",
    ]],
  ]
  for (const [formatVersion, want] of lines) {
    it(`${formatVersion}: store their files in the places of that version`, async () => {
      const files = new Map<string, Uint8Array>()
      await over(
        files,
        Effect.gen(function* () {
          const array = yield* TileArray.create("mem://a", Line, { formatVersion })
          assertEquals(array.schema.version, formatVersion)
          yield* Dense.write(array, { x: [3, 5] }, line, { at: 7 })
          const { columns } = yield* Dense.read(yield* TileArray.reopen(array), { region: { x: [3, 6] } })
          assertEquals(columns.a, Int32Array.of(1, 2, 3, -(2 ** 31)))
        }),
      )
      assertEquals(filesOf(files).map((name) => name.slice(2)), [...want].sort())
    })
  }

  it("3: store all coordinates in one file", async () => {
    const files = new Map<string, Uint8Array>()
    await over(
      files,
      Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", Points, { formatVersion: 3 })
        yield* Sparse.write(array, points)
        const { columns } = yield* Sparse.read(yield* TileArray.reopen(array))
        assertEquals(columns, {
          x: Float64Array.of(0.25, 0.5, 0.75),
          y: Float64Array.of(0.5, 0, 1),
          a: Int32Array.of(2, 1, 3),
        })
      }),
    )
    assertEquals(filesOf(files).filter((name) => name.includes("_ID/")), [
      "a/__T_ID/__coords.tdb",
      "a/__T_ID/__fragment_metadata.tdb",
      "a/__T_ID/a.tdb",
    ])
  })

  for (let formatVersion = 3; formatVersion <= 23; formatVersion++) {
    it(`${formatVersion}: are written like engines of that version do`, async () => {
      const files = new Map<string, Uint8Array>()
      await over(
        files,
        Effect.gen(function* () {
          const key = new Uint8Array(32).fill(7)
          const array = yield* TileArray.create("mem://a", Points, { formatVersion, key })
          yield* Sparse.write(array, points, { at: 1 })
          const reopened = yield* TileArray.open("mem://a", Points, { key })
          assertEquals((yield* Sparse.read(reopened)).columns.a, Int32Array.of(2, 1, 3))
          const access = yield* accessOf(openedOf(reopened))
          for (const [name, bytes] of files) {
            if (!/fragment_metadata|schema/.test(name)) continue
            assertEquals(openGenericTile(access, name, bytes).version, formatVersion, name)
          }
        }),
      )
    })
  }

  it("reject versions that do not exist, and schemas that the version cannot store", async () => {
    const tried = (schema: ArraySchema.ArraySchema, formatVersion: number) =>
      inMemory(Effect.flip(TileArray.create("mem://a", schema, { formatVersion })))
    for (const version of [0, 2, 24, 7.5, NaN]) assert(await tried(Line, version) instanceof InvalidOption)
    const refused = async (schema: ArraySchema.ArraySchema, version: number, field: string): Promise<void> => {
      const error = await tried(schema, version)
      assert(error instanceof SchemaError && error.field === field, String(error))
    }
    const { dims } = Line
    const attrs = (a: Attr.Attribute) => ArraySchema.dense({ dims, attrs: { a } })
    await refused(attrs(Attr.nullable(Attr.int8())), 6, "a")
    await refused(attrs(Attr.fill(Attr.int8(), 5)), 5, "a")
    await refused(attrs(Attr.bool()), 13, "a")
    await refused(attrs(Attr.float32({ filters: [Filter.xor()] })), 15, "a")
    await refused(attrs(Attr.utf8({ filters: [Filter.dictionary()] })), 16, "a")
    await refused(attrs(Attr.ascii({ filters: [Filter.rle(), Filter.zstd()] })), 15, "a")
    await refused(
      ArraySchema.sparse({ dims: { s: Dim.ascii({ filters: [Filter.dictionary(), Filter.gzip()] }) }, attrs: {} }),
      15,
      "s",
    )
    await refused(attrs(Attr.ordered(Attr.int8(), "increasing")), 16, "a")
    await refused(attrs(Attr.int32({ filters: [Filter.delta({ reinterpret: "int16" })] })), 18, "a")
    await refused(ArraySchema.sparse({ dims: { s: Dim.ascii() }, attrs: {} }), 4, "s")
    await refused(ArraySchema.sparse({ dims: { x: Dim.int8([0, 1]), y: Dim.int16([0, 1]) }, attrs: {} }), 4, "y")
    await refused(ArraySchema.sparse({ dims, attrs: {}, order: "hilbert" }), 6, "order")
    await refused(ArraySchema.sparse({ dims, attrs: {}, allowsDuplicates: true }), 4, "allowsDuplicates")
    await refused(
      ArraySchema.dense({ dims, attrs: { a: Attr.int8() }, currentDomain: { x: [1, 5] } }),
      21,
      "currentDomain",
    )
    const colors = ArraySchema.dense({
      dims,
      attrs: { a: Attr.enumerated(Attr.int8(), "colors") },
      enumerations: { colors: ["red"] },
    })
    await refused(colors, 19, "a")
  })
})

describe("old arrays", () => {
  for (const pack of packs) {
    it(`${pack}: are written in their own format`, async () => {
      let written = 0
      for (const { path, key, files } of packedArrays(pack)) {
        if (!/\/(dense_2d_overlap|dense_fill|sparse_2d|sparse_float|sparse_string)\//.test(`${path}/`)) continue
        await over(
          new Map(files),
          Effect.gen(function* () {
            const array = TileArray.undeclare(yield* TileArray.open(path, { key }))
            const version = array.schema.version < 3 ? 22 : array.schema.version
            const at = Date.now()
            if (array.schema.arrayType === "sparse") {
              const before = yield* Sparse.read(array)
              const { fragments } = yield* Sparse.write(array, before.columns, { at })
              assert(version < 5 || fragments[0].endsWith(`_${version}`), fragments[0])
              const again = yield* TileArray.open(path, { key, start: at, end: at })
              const after = yield* Sparse.read(again)
              assertEquals(after.columns, before.columns)
            } else {
              const before = yield* Dense.read(array)
              const ranges = yield* Dense.read(array, { select: array.schema.dimensions.map((d) => d.name) })
              const box = Object.fromEntries(
                Object.entries(ranges.columns).map((
                  [name, { values }],
                ) => [name, [values[0], values[values.length - 1]] as const]),
              )
              yield* Dense.write(array, box, before.columns, { at })
              const again = yield* TileArray.open(path, { key, start: at, end: at })
              assertEquals((yield* Dense.read(again)).columns, before.columns)
            }
          }),
        )
        written++
      }
      assert(written >= 2, `${written} arrays`)
    })
  }
})

/** Sparse writes: reads return the written cells in global order, for any input order; invalid input is rejected. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Chunk from "effect/Chunk"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { ArraySchema, Attr, Dim, Filter, Sparse, TileArray, WriteError } from "../../../mod.ts"
import { inMemory } from "../../support/in_memory.ts"

const schemaOf = (order: "row-major" | "col-major" | "hilbert", duplicates = false) =>
  ArraySchema.sparse({
    order,
    capacity: 5,
    allowsDuplicates: duplicates,
    dims: { x: Dim.int32([-20, 20], { tile: 6 }), y: Dim.float64([-1, 1], { tile: 0.5 }) },
    attrs: { id: Attr.uint32({ filters: [Filter.zstd()] }), name: Attr.utf8(), maybe: Attr.nullable(Attr.int64()) },
  })

const cells = FastCheck.uniqueArray(
  FastCheck.record({
    x: FastCheck.integer({ min: -20, max: 20 }),
    y: FastCheck.constantFrom(-1, -0.75, -0.5, 0.25, 0.5, 1),
  }),
  { selector: ({ x, y }) => `${x},${y}`, minLength: 1, maxLength: 60 },
)

const columnsFrom = (points: ReadonlyArray<{ readonly x: number; readonly y: number }>, first = 0) => ({
  x: Int32Array.from(points, (c) => c.x),
  y: Float64Array.from(points, (c) => c.y),
  id: Uint32Array.from(points, (_, i) => first + i),
  name: points.map((_, i) => "é".repeat(i % 3) + (first + i)),
  maybe: points.map((_, i) => i % 4 === 0 ? null : BigInt(first + i)),
})

describe("sparse writes", () => {
  it("sort by tiles of the whole domain, also if tiles are longer than the range of the datatype", async () => {
    const wide = {
      int8: { low: -28, high: 127, extent: [0x9c] },
      int16: { low: -20_000, high: 20_000, extent: [0x41, 0x9c] },
      int32: { low: -(2 ** 31), high: 2 ** 31 - 2, extent: [255, 255, 255, 255] },
      int64: { low: -(2n ** 63n) + 1n, high: 2n ** 63n - 1n, extent: new Array(8).fill(255) },
      datetime_ns: { low: -(2n ** 63n) + 1n, high: 2n ** 63n - 2n, extent: [254, ...new Array(7).fill(255)] },
    } as const
    for (const [type, { low, high, extent }] of Object.entries(wide)) {
      const schema = ArraySchema.sparse({
        capacity: 2,
        dims: { x: Dim.of(type as "int8", [low, high] as never), y: Dim.int8([0, 9], { tile: 5 }) },
        attrs: { id: Attr.uint8() },
      })
      const [array, read, part, batches, copied] = await inMemory(Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", schema)
        const five = typeof low === "bigint" ? 5n : 5
        yield* Sparse.write(
          array,
          { x: [high, five, low, low, five], y: [0, 9, 9, 0, 4], id: [2, 4, 3, 0, 1] } as never,
        )
        const reopened = TileArray.undeclare(yield* TileArray.reopen(array))
        const ids = (ranges: object) =>
          Effect.map(
            Sparse.read(reopened, { order: "global", region: ranges as never }),
            (r) => [...r.columns.id.values],
          )
        const batches = yield* Stream.runCollect(Sparse.stream(reopened, { order: "global", memory: 2000 }))
        yield* TileArray.copy(reopened, "mem://b")
        const copied = yield* TileArray.open("mem://b")
        return [
          reopened,
          yield* ids({}),
          yield* ids({ x: [low, five], y: [1, 9] }),
          Chunk.toReadonlyArray(batches).flatMap(({ columns }) => [...columns.id.values]),
          copied.schema,
        ] as const
      }))
      assertEquals(array.schema.dimensions[0].tileExtent, Uint8Array.from(extent), type)
      assertEquals([read, part, batches], [[0, 1, 2, 3, 4], [1, 3, 4], [0, 1, 2, 3, 4]], type)
      assertEquals(copied.dimensions, array.schema.dimensions)
    }
  })

  for (const order of ["row-major", "col-major", "hilbert"] as const) {
    for (const formatVersion of [22, 10]) {
      it(`return the written cells: ${order}, format ${formatVersion}`, async () => {
        await FastCheck.assert(
          FastCheck.asyncProperty(cells, cells, async (first, second) => {
            await inMemory(Effect.gen(function* () {
              const array = yield* TileArray.create("mem://a", schemaOf(order), { formatVersion })
              yield* Sparse.write(array, columnsFrom(first), { at: 1 })
              const { fragments, cells } = yield* Sparse.write(array, columnsFrom(second, 1000), { at: 2 })
              assertEquals([fragments.length, cells], [1, second.length])
              const { columns } = yield* Sparse.read(yield* TileArray.reopen(array), { order: "global" })
              const expected = new Map<string, number>()
              first.forEach(({ x, y }, i) => expected.set(`${x},${y}`, i))
              second.forEach(({ x, y }, i) => expected.set(`${x},${y}`, 1000 + i))
              const ids = new Map(Array.from(columns.x, (x, k) => [`${x},${columns.y[k]}`, columns.id[k]]))
              assertEquals(new Map([...ids].sort()), new Map([...expected].sort()))
              const text = new TextDecoder()
              columns.id.forEach((id, k) => {
                const i = id % 1000
                const name = columns.name.values.subarray(columns.name.offsets[k], columns.name.offsets[k + 1])
                assertEquals(text.decode(name), "é".repeat(i % 3) + id)
                assertEquals(
                  columns.maybe.validity[k] === 0 ? null : columns.maybe.values[k],
                  i % 4 === 0 ? null : BigInt(id),
                )
              })
              // cells that were read in global order can be written in global order
              const copy = yield* TileArray.create("mem://copy", schemaOf(order), { formatVersion })
              yield* Sparse.write(copy, columns, { order: "global" })
              const again = yield* Sparse.read(yield* TileArray.reopen(copy), { order: "global" })
              assertEquals(again.columns, columns)
            }))
          }),
          { numRuns: 10 },
        )
      })
    }
  }

  const refusal = (
    write: (array: TileArray.TileArray<ReturnType<typeof schemaOf>>) => ReturnType<typeof Sparse.write>,
  ) =>
    inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", schemaOf("row-major"))
      const tried = yield* Effect.either(write(array))
      assert(Either.isLeft(tried) && tried.left instanceof WriteError, String(tried))
      const after = yield* Sparse.read(yield* TileArray.reopen(array))
      assertEquals(after.length, 0)
      return [tried.left.field, tried.left.cell] as const
    }))

  it("are rejected with the cell if they are invalid", async () => {
    const good = columnsFrom([{ x: 1, y: 0.5 }, { x: 2, y: 0.5 }, { x: 1, y: 0.25 }])
    assertEquals(await refusal((a) => Sparse.write(a, { ...good, x: Int32Array.of(1, 21, 3) })), ["x", 1])
    assertEquals(await refusal((a) => Sparse.write(a, { ...good, y: Float64Array.of(0, 0, NaN) })), ["y", 2])
    assertEquals(await refusal((a) => Sparse.write(a, { ...good, x: Int32Array.of(1, 1, 1) })), ["", 1])
    assertEquals(await refusal((a) => Sparse.write(a, good, { order: "global" })), ["", 2])
    assertEquals(await refusal((a) => Sparse.write(a, { ...good, id: Uint32Array.of(1) })), ["id", undefined])
  })

  it("write the first of cells with equal coordinates with duplicates: first, and all if the array allows duplicates", async () => {
    const same = [{ x: 1, y: 0.5 }, { x: 2, y: 0.5 }, { x: 1, y: 0.5 }]
    const ids = (duplicates: boolean) =>
      inMemory(Effect.gen(function* () {
        const array = yield* TileArray.create("mem://a", schemaOf("row-major", duplicates))
        yield* Sparse.write(array, columnsFrom(same), { duplicates: "first" })
        const { columns } = yield* Sparse.read(yield* TileArray.reopen(array))
        return [...columns.id].sort()
      }))
    assertEquals(await ids(false), [0, 1])
    assertEquals(await ids(true), [0, 1, 2])
  })

  it("write no fragment without cells", async () => {
    const { fragments } = await inMemory(
      Effect.flatMap(
        TileArray.create("mem://a", schemaOf("row-major")),
        (array) => Sparse.write(array, columnsFrom([])),
      ),
    )
    assertEquals(fragments, [])
  })
})

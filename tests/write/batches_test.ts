/**
 * Writes in batches: they store the same cells as one write, for any batch sizes, and are committed at once or not at
 * all.
 */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { ArraySchema, Attr, Dense, Dim, Filter, Sparse, StorageService, TileArray, WriteError } from "../../mod.ts"
import { inMemory } from "../support/in_memory.ts"

const Grid = ArraySchema.dense({
  dims: { x: Dim.int32([1, 11], { tile: 4 }), y: Dim.int32([1, 7], { tile: 3 }) },
  attrs: { a: Attr.int16({ filters: [Filter.zstd()] }), s: Attr.utf8(), n: Attr.nullable(Attr.uint8()) },
})

const Points = ArraySchema.sparse({
  capacity: 7,
  dims: { x: Dim.int32([0, 999], { tile: 100 }), name: Dim.ascii() },
  attrs: { a: Attr.int64(), s: Attr.nullable(Attr.ascii()) },
})

const gridColumns = (from: number, to: number) => {
  const cells = Array.from({ length: to - from }, (_, i) => from + i)
  return {
    a: Int16Array.from(cells),
    s: cells.map((i) => "y".repeat(i % 5) + i),
    n: cells.map((i) => i % 3 === 0 ? null : i),
  }
}

const pointColumns = (cells: ReadonlyArray<number>) => ({
  x: Int32Array.from(cells, (i) => i % 1000),
  name: cells.map((i) => `p${i % 13}`),
  a: BigInt64Array.from(cells, BigInt),
  s: cells.map((i) => i % 4 === 0 ? null : `s${i}`),
})

/** Cuts a number of cells into batches. */
const cuts = (total: number, sizes: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> => {
  const out: Array<readonly [number, number]> = []
  for (let at = 0, k = 0; at < total; k++) {
    const end = Math.min(total, at + (sizes[k % sizes.length] ?? 1))
    out.push([at, end])
    at = end
  }
  return out
}

const sizes = FastCheck.array(FastCheck.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })

const refused = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<string> =>
  Effect.map(Effect.either(effect), (tried) => {
    assert(Either.isLeft(tried) && tried.left instanceof WriteError, String(tried))
    return tried.left.message
  })

describe("batches of dense cells", () => {
  for (const order of ["row", "global"] as const) {
    it(`return the same cells as one write, in ${order} order`, async () => {
      await FastCheck.assert(
        FastCheck.asyncProperty(
          sizes,
          FastCheck.constantFrom(undefined, 1, 400),
          async (sizes, maxFragmentSize) => {
            await inMemory(Effect.gen(function* () {
              const box = { x: [2, 11], y: [1, 6] } as const
              const once = yield* TileArray.create("mem://once", Grid)
              yield* Dense.write(once, box, gridColumns(0, 60), { order })
              const array = yield* TileArray.create("mem://batches", Grid)
              const batches = Stream.map(Stream.fromIterable(cuts(60, sizes)), ([from, to]) => gridColumns(from, to))
              const written = yield* Stream.run(batches, Dense.sink(array, box, { order, maxFragmentSize }))
              assertEquals([written.cells, written.fragments.length], [60, maxFragmentSize === undefined ? 1 : 3])
              const want = yield* Dense.read(yield* TileArray.reopen(once))
              const result = yield* Dense.read(yield* TileArray.reopen(array))
              assertEquals(result.columns, want.columns)
            }))
          },
        ),
        { numRuns: 12 },
      )
    })
  }

  it("commit nothing if the box is incomplete", async () => {
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Grid)
      yield* Effect.scoped(Effect.gen(function* () {
        const writer = yield* Dense.writer(array, { x: [1, 8], y: [1, 3] })
        yield* writer.write(gridColumns(0, 20))
        assert((yield* refused(writer.write(gridColumns(0, 5)))).includes("only 4 are left"))
        assert((yield* refused(writer.commit)).includes("20 of the 24 cells"))
      }))
      const storage = yield* StorageService
      assertEquals(yield* storage.list("mem://a/__fragments"), [])
      assertEquals(TileArray.nonEmptyDomain(yield* TileArray.reopen(array)), undefined)
    }))
  })

  it("are rejected in row-major order if the tile order is column-major", async () => {
    const schema = ArraySchema.dense({ dims: Grid.dims, attrs: Grid.attrs, tileOrder: "col-major" })
    const reason = await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", schema)
      return yield* Effect.scoped(
        Effect.flatMap(Effect.context<StorageService>(), () => Effect.flip(Dense.writer(array, {}))),
      )
    }))
    assert(reason.message.includes('"global"'), reason.message)
  })
})

describe("batches of sparse cells", () => {
  for (const order of ["unordered", "global"] as const) {
    it(`return the same cells as one write, ${order}`, async () => {
      await FastCheck.assert(
        FastCheck.asyncProperty(sizes, FastCheck.boolean(), async (sizes, several) => {
          await inMemory(Effect.gen(function* () {
            const cells = Array.from({ length: 100 }, (_, i) => (i * 37) % 1000)
            const once = yield* TileArray.create("mem://once", Points)
            yield* Sparse.write(once, pointColumns(cells))
            const want = yield* Sparse.read(yield* TileArray.reopen(once), { order: "global" })
            const ordered = order === "global" ? [...want.columns.a].map(Number) : cells
            const array = yield* TileArray.create("mem://batches", Points)
            const batches = cuts(100, sizes).map(([from, to]) => pointColumns(ordered.slice(from, to)))
            const limits = several ? { maxFragmentSize: 500, memory: 1000 } : {}
            const written = yield* Stream.run(
              Stream.fromIterable(batches),
              Sparse.sink(array, { order, ...limits }),
            )
            assertEquals(written.cells, 100)
            assertEquals(written.fragments.length > 1, several)
            // unordered fragments may contain the same cell, and engines order them by their timestamps only
            const moments = written.fragments.map((name) => Number(name.split("_")[2]))
            assertEquals(new Set(moments).size, order === "global" ? 1 : written.fragments.length)
            assertEquals(moments, moments.toSorted((a, b) => a - b))
            const storage = yield* StorageService
            const commits = yield* storage.list("mem://batches/__commits")
            assertEquals(commits.map((c) => c.name.slice(-4)), [several ? ".con" : ".wrt"])
            const result = yield* Sparse.read(yield* TileArray.reopen(array), { order: "global" })
            assertEquals(result.columns, want.columns)
          }))
        }),
        { numRuns: 12 },
      )
    })
  }

  it("must continue the global order of earlier batches; rejected batches are not appended", async () => {
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points)
      yield* Effect.scoped(Effect.gen(function* () {
        const writer = yield* Sparse.writer(array, { order: "global" })
        yield* writer.write(pointColumns([1, 2, 3]))
        yield* refused(writer.write(pointColumns([3])))
        yield* refused(writer.write(pointColumns([2, 5])))
        yield* writer.write(pointColumns([5]))
        assertEquals((yield* writer.commit).cells, 4)
        yield* refused(writer.write(pointColumns([6])))
        yield* refused(writer.commit)
      }))
      const { columns } = yield* Sparse.read(yield* TileArray.reopen(array))
      assertEquals([...columns.x], [1, 2, 3, 5])
    }))
  })

  it("are deleted if they are not committed, or if an old format cannot commit all of them at once", async () => {
    await inMemory(Effect.gen(function* () {
      const storage = yield* StorageService
      const array = yield* TileArray.create("mem://a", Points)
      yield* Effect.scoped(Effect.gen(function* () {
        const writer = yield* Sparse.writer(array, { memory: 10 })
        yield* writer.write(pointColumns([1, 2, 3]))
        yield* writer.write(pointColumns([4]))
        assertEquals((yield* storage.list("mem://a/__fragments")).length, 2)
      }))
      assertEquals(yield* storage.list("mem://a/__fragments"), [])
      assertEquals(yield* storage.list("mem://a/__commits"), [])

      const Old = ArraySchema.sparse({ dims: { x: Dim.int32([0, 99]) }, attrs: { a: Attr.uint8() } })
      const old = yield* TileArray.create("mem://old", Old, { formatVersion: 9 })
      const before = yield* storage.list("mem://old")
      yield* Effect.scoped(Effect.gen(function* () {
        const writer = yield* Sparse.writer(old, { memory: 8 })
        yield* writer.write({ x: Int32Array.of(1, 2), a: Uint8Array.of(1, 2) })
        const reason = yield* refused(writer.write({ x: Int32Array.of(3, 4), a: Uint8Array.of(1, 2) }))
        assert(reason.includes("format 12"), reason)
        yield* refused(writer.commit)
      }))
      assertEquals(yield* storage.list("mem://old"), before)
    }))
  })

  it("may be empty, for any maximal fragment size", async () => {
    const program = Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points)
      const batches = Stream.make(pointColumns([]), pointColumns([1, 2]), pointColumns([]))
      const written = yield* Stream.run(batches, Sparse.sink(array, { maxFragmentSize: 1 }))
      assertEquals([written.cells, written.fragments.length], [2, 1])
    })
    await inMemory(program)
  })

  it("report their progress", async () => {
    const seen: Array<number> = []
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Points)
      const onProgress = ({ cells }: Sparse.WriteProgress) => seen.push(cells)
      const batches = [[1, 2], [3], [4, 5]].map(pointColumns)
      yield* Stream.run(Stream.fromIterable(batches), Sparse.sink(array, { onProgress }))
    }))
    assertEquals(seen, [2, 3, 5, 5])
  })

  it("number cells from the first cell of all batches in errors", async () => {
    const Sums = ArraySchema.sparse({
      dims: { x: Dim.int32([0, 99]) },
      attrs: { a: Attr.int32({ filters: [Filter.positive_delta()] }) },
    })
    const Row = ArraySchema.dense({ dims: { x: Dim.int32([0, 9], { tile: 2 }) }, attrs: { a: Attr.int32() } })
    await inMemory(Effect.gen(function* () {
      const array = yield* TileArray.create("mem://a", Sums)
      const row = yield* TileArray.create("mem://row", Row)
      const open = (options: Sparse.SparseWriterOptions = {}) => Sparse.writer(array, options)
      const batch = (x: ReadonlyArray<number>, a = x) => ({ x: Int32Array.from(x), a: Int32Array.from(a) })
      const cases = [
        // rejected when it is written, when it is sorted, and by a filter
        Effect.flatMap(open(), (w) => Effect.zipRight(w.write(batch([1, 2])), refused(w.write(batch([3, 100]))))),
        Effect.flatMap(
          open(),
          (w) => Effect.zipRight(w.write(batch([1, 2])), Effect.zipRight(w.write(batch([3, 2])), refused(w.commit))),
        ),
        Effect.flatMap(
          open({ order: "global" }),
          (w) =>
            Effect.zipRight(
              w.write(batch([1, 2])),
              refused(Effect.zipRight(w.write(batch([3, 4, 5], [9, 8, 10])), w.commit)),
            ),
        ),
        Effect.flatMap(
          Dense.writer(row, {}),
          (w) => Effect.zipRight(w.write({ a: [1, 2, 3] }), refused(w.write({ a: [4, 2 ** 40] }))),
        ),
      ]
      const reasons = yield* Effect.forEach(cases, Effect.scoped)
      assertEquals(reasons.map((reason) => /: (cell \d+):/.exec(reason)?.[1]), ["cell 3", "cell 3", "cell 3", "cell 4"])
      // buffered cells are sorted once there are enough of them; the other duplicate is counted from the first batch
      // too
      const second = Effect.flatMap(
        open({ memory: 100 }),
        (w) =>
          Effect.zipRight(
            w.write(batch(Array.from({ length: 50 }, (_, i) => i))),
            refused(w.write(batch([...Array(50).keys()].map((i) => i === 30 ? 10 : i)))),
          ),
      )
      assert(/: cell 80: .*\(the other is cell 60\)$/.test(yield* Effect.scoped(second)))
    }))
  })
})

/** Ranges of tiles with many chunks, on storage with one and with several requests in flight. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArraySchema, Attr, Cells, Dim, Filter, Sparse, TileArray } from "../../../mod.ts"
import { nativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { Codecs } from "../../../platform/codecs/service.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { makeMemoryStorage } from "../../../platform/storage/memory.ts"

const SIDE = 1000
const COUNT = 100_000

const schema = ArraySchema.sparse({
  capacity: 40_000,
  allowsDuplicates: true,
  dims: {
    x: Dim.int64([0n, BigInt(SIDE - 1)], { tile: BigInt(SIDE), filters: [Filter.zstd()] }),
    y: Dim.uint16([0, SIDE - 1], { tile: SIDE }),
  },
  attrs: {
    v: Attr.float64({ filters: [Filter.zstd()] }),
    plain: Attr.int32(),
    maybe: Attr.nullable(Attr.int32({ filters: [Filter.zstd()] })),
    text: Attr.utf8({ filters: [Filter.zstd()] }),
    note: Attr.nullable(Attr.utf8()),
  },
})

interface Cell {
  readonly x: number
  readonly y: number
  readonly v: number
  readonly maybe: number | null
  readonly text: string
  readonly note: string | null
}

/** Cells in row-major order, which is the global order here because there is only one space tile. */
const cells = Array.from({ length: COUNT }, (_, i): Cell => ({
  x: Math.floor(i / (COUNT / SIDE)),
  y: (i % (COUNT / SIDE)) * 10 + i % 7,
  v: i / 3,
  maybe: i % 5 === 0 ? null : i,
  // some runs of empty texts
  text: i % 1000 < 300 ? "" : `é${i}`.padEnd(i % 40, "-"),
  note: i % 3 === 0 ? null : `n${i}`,
}))

const columns = {
  x: BigInt64Array.from(cells, (c) => BigInt(c.x)),
  y: Uint16Array.from(cells, (c) => c.y),
  v: Float64Array.from(cells, (c) => c.v),
  plain: Int32Array.from(cells, (_, i) => i),
  maybe: cells.map((c) => c.maybe),
  text: cells.map((c) => c.text),
  note: cells.map((c) => c.note),
}

/**
 * Writes the cells to memory storage that supports `inFlight` concurrent requests. Returns a function that reads ranges
 * and counts the decompressed bytes.
 */
const readerWith = async (inFlight: number) => {
  let decompressed = 0
  const codecs: Codecs = {
    ...nativeCodecs,
    zstd: {
      ...nativeCodecs.zstd,
      decompress: (input, size, ...rest) => {
        decompressed += size
        return nativeCodecs.zstd.decompress(input, size, ...rest)
      },
    },
  }
  const layer = Layer.merge(
    Layer.succeed(Storage, { ...makeMemoryStorage(new Map()), inFlight: () => inFlight }),
    Layer.succeed(Codecs, codecs),
  )
  const run = <A, E>(effect: Effect.Effect<A, E, Storage | Codecs>): Promise<A> =>
    Effect.runPromise(Effect.provide(effect, layer))
  await run(Effect.flatMap(TileArray.create("mem://a", schema), (array) => Sparse.write(array, columns)))
  const array = await run(TileArray.open("mem://a", schema))
  return async (ranges: NonNullable<Sparse.Query<typeof schema>["region"]>) => {
    decompressed = 0
    const { columns } = await run(Sparse.read(array, { region: ranges, order: "unordered" }))
    const texts = Cells.texts(columns.text)
    const notes = Cells.texts(columns.note)
    const result = Array.from(columns.x, (x, i): Cell => ({
      x: Number(x),
      y: columns.y[i],
      v: columns.v[i],
      maybe: columns.maybe.validity[i] === 0 ? null : columns.maybe.values[i],
      text: texts[i]!,
      note: notes[i],
    }))
    assertEquals(columns.plain.length, result.length)
    columns.plain.forEach((plain, i) => assertEquals(plain, Math.round(3 * result[i].v)))
    return { result, decompressed }
  }
}

const selections: ReadonlyArray<
  readonly [name: string, xs: ReadonlyArray<readonly [number, number]> | undefined, ys?: [number, number]]
> = [
  ["all", undefined],
  ["a few rows", [[17, 19]]],
  ["the ends of a tile", [[0, 1], [398, 399]]],
  ["rows of several tiles", [[5, 5], [395, 402], [799, 805], [999, 999]]],
  ["columns", undefined, [100, 120]],
  ["a box", [[300, 700]], [500, 503]],
  ["no cells", [[3, 3]], [8, 9]],
]

describe("tiles of many chunks", () => {
  for (const inFlight of [1, 4]) {
    it(`return the cells in the ranges, with ${inFlight} requests in flight`, async () => {
      const read = await readerWith(inFlight)
      for (const [name, xs, ys] of selections) {
        const inside = (ranges: typeof xs, v: number): boolean =>
          ranges === undefined || ranges.some(([l, h]) => l <= v && v <= h)
        const { result } = await read({
          ...xs && { x: xs.map(([l, h]) => [BigInt(l), BigInt(h)] as const) },
          ...ys && { y: ys },
        })
        const expected = cells.filter((c) => inside(xs, c.x) && inside(ys && [ys], c.y))
        assertEquals(result, expected, name)
      }
    })
  }

  it("are unfiltered only in the required chunks", async () => {
    const read = await readerWith(1)
    const all = (await read({})).decompressed
    // the first and the last chunk of one tile for each field, but all chunks of the dimension with the ranges
    const { decompressed } = await read({ x: [[0n, 0n], [399n, 399n]] })
    assert(decompressed < all / 4, `${decompressed} of ${all} bytes`)
  })
})

/** The arrays that the corruption tests damage, as files in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ArraySchema, Attr, type Codecs, Condition, Dense, Dim, Filter, Sparse, TileArray } from "../../mod.ts"
import { layerNative, makeMemoryStorage, StorageService } from "../../platform/mod.ts"

/** Tiles of four cells without filters, so that a cell has a fixed position in its file. */
const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([1, 1000], { tile: 100, filters: [] }) },
  attrs: {
    n: Attr.int32({ filters: [] }),
    k: Attr.int32({ filters: [], nullable: true }),
    s: Attr.ascii({ filters: [] }),
    c: Attr.int64({ filters: [Filter.checksum_sha256()] }),
    z: Attr.int32({ filters: [Filter.zstd()] }),
    e: Attr.enumerated(Attr.uint8({ filters: [] }), "colors"),
  },
  enumerations: { colors: ["red", "green", "blue"] },
  capacity: 4,
  coordsFilters: [],
  offsetsFilters: [],
  validityFilters: [],
})

/** The numbers of the attributes of the points in their files: `a0.tdb`, … */
export const attributeNumbers = { n: 0, k: 1, s: 2, c: 3, z: 4, e: 5 } as const

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

const cells = (first: number, count: number, step: number) => ({
  x: Int32Array.from(range(count), (i) => first + step * i),
  n: Int32Array.from(range(count), (i) => 10 * i),
  k: range(count).map((i) => i % 4 === 1 ? null : i),
  s: range(count).map((i) => `cell ${i}`),
  c: BigInt64Array.from(range(count), (i) => BigInt(i)),
  z: new Int32Array(count),
  e: Uint8Array.from(range(count), (i) => i % 3),
})

/** Two fragments, of 15 tiles and of one tile, a delete and two metadata files. */
const writePoints = (uri: string, options: TileArray.CreateOptions = {}) =>
  Effect.gen(function* () {
    const points = yield* TileArray.create(uri, Points, { at: 1, ...options })
    yield* Sparse.write(points, cells(2, 60, 2), { at: 10 })
    yield* Sparse.write(points, cells(3, 4, 20), { at: 20 })
    yield* Sparse.delete(points, Condition.gt("n", 500), { at: 30 })
    yield* TileArray.putMetadata(points, { title: "points" }, { at: 40 })
    yield* TileArray.putMetadata(points, { version: 2 }, { at: 50 })
    return points
  })

const Grid = ArraySchema.dense({
  dims: { y: Dim.int32([1, 8], { tile: 4 }), x: Dim.int32([1, 8], { tile: 4 }) },
  attrs: { a: Attr.int32({ filters: [] }), f: Attr.float64({ filters: [] }) },
  labels: { depth: { dim: "x", type: "float64", order: "increasing" } },
})

const writeGrid = (uri: string) =>
  Effect.gen(function* () {
    const grid = yield* TileArray.create(uri, Grid, { at: 1 })
    const columns = { a: Int32Array.from(range(64)), f: Float64Array.from(range(64), (i) => i / 2) }
    yield* Dense.write(grid, { y: [1, 8], x: [1, 8] }, columns, { at: 10 })
    const part = { a: Int32Array.from(range(24)), f: new Float64Array(24).fill(0.5) }
    yield* Dense.write(grid, { y: [2, 5], x: [1, 6] }, part, { at: 20 })
    yield* TileArray.writeLabels(grid, { x: [1, 8] }, { depth: Float64Array.from(range(8)) }, { at: 30 })
    return grid
  })

const Other = ArraySchema.sparse({
  dims: { x: Dim.int32([1, 999], { tile: 100 }) },
  attrs: { n: Attr.int32() },
})

/** The key of the encrypted array. */
export const arrayKey: Uint8Array = new Uint8Array(32).fill(7)

const makers = {
  /** As written. */
  points: writePoints("mem://points"),
  /** One consolidated fragment, with the times and deletes of its cells, and the two fragments that it replaces. */
  consolidated: Effect.flatMap(writePoints("mem://consolidated"), (array) => TileArray.consolidate(array)),
  /** All commits in one file. */
  commits: Effect.flatMap(writePoints("mem://commits"), (array) =>
    Effect.zipRight(
      TileArray.consolidate(array, { mode: "commits" }),
      TileArray.vacuum(array, { mode: "commits", age: 0 }),
    )),
  /** Commits in one file, and an ignore file for the removed fragments. */
  ignored: Effect.gen(function* () {
    const array = yield* writePoints("mem://ignored")
    yield* TileArray.consolidate(array, { mode: "commits" })
    yield* TileArray.vacuum(array, { mode: "commits", age: 0 })
    yield* TileArray.consolidate(array)
    yield* TileArray.vacuum(array, { age: 0 })
  }),
  /** Consolidated footers. */
  footers: Effect.flatMap(
    writePoints("mem://footers"),
    (array) => TileArray.consolidate(array, { mode: "fragment_meta" }),
  ),
  /** Consolidated metadata. */
  metadata: Effect.flatMap(
    writePoints("mem://metadata"),
    (array) => TileArray.consolidate(array, { mode: "array_meta" }),
  ),
  /** Encrypted with {@link arrayKey}. */
  encrypted: Effect.gen(function* () {
    const array = yield* TileArray.create("mem://encrypted", Points, { at: 1, key: arrayKey })
    yield* Sparse.write(array, cells(2, 60, 2), { at: 10 })
  }),
  /** A dense array with a label. */
  grid: writeGrid("mem://grid"),
  /** An array of format 11: the fragments are in the array's own folder. */
  old: writePoints11(),
  /** An array with other dimensions. */
  other: TileArray.create("mem://other", Other, { at: 2 }),
} satisfies Readonly<Record<string, Effect.Effect<unknown, unknown, StorageService | Codecs>>>

function writePoints11() {
  return Effect.gen(function* () {
    const Old = ArraySchema.sparse({ dims: { x: Dim.int32([1, 1000]) }, attrs: { n: Attr.int32({ filters: [] }) } })
    const array = yield* TileArray.create("mem://old", Old, { at: 1, formatVersion: 11 })
    yield* Sparse.write(array, { x: [1, 2], n: [1, 2] }, { at: 10 })
    yield* Sparse.write(array, { x: [3, 4], n: [3, 4] }, { at: 20 })
  })
}

/** The name of an array. */
export type ArrayName = keyof typeof makers

/** Writes an array and returns its files, by their paths. */
export const writeArray = async (name: ArrayName): Promise<Map<string, Uint8Array>> => {
  const files = new Map<string, Uint8Array>()
  const layer = Layer.merge(Layer.succeed(StorageService, makeMemoryStorage(files)), layerNative)
  const program = makers[name] as Effect.Effect<unknown, unknown, StorageService | Codecs>
  await Effect.runPromise(Effect.provide(program, layer))
  return files
}

/** The names of all arrays. */
export const arrayNames = Object.keys(makers) as ReadonlyArray<ArrayName>

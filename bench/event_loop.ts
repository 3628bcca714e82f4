/**
 * `deno run -A bench/event_loop.ts [NAME…] [--small]`: runs large writes, imports, copies and reads while a timer runs.
 * Prints for each operation its duration and the longest delay of the timer. Files are written to a temporary folder.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type ArraySchema, Csv, Dense, Sparse, TileArray } from "../mod.ts"
import * as Api from "../mod.ts"
import { type Codecs, layerDefault } from "../mod.ts"
import type { StorageService } from "../mod.ts"
import { withHeartbeat } from "../tests/support/event_loop.ts"

const { ArraySchema: Arrays, Attr, Dim, Filter } = Api

type Program = Effect.Effect<unknown, unknown, StorageService | Codecs>
const folder = mkdtempSync(join(tmpdir(), "tessera-loop-"))
const names = process.argv.slice(2).filter((name) => !name.startsWith("--"))
const scale = process.argv.includes("--small") ? 0.1 : 1
const n = (cells: number): number => Math.round(cells * scale)

const random = (() => {
  let state = 12345
  return () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32
})()

/** Runs an operation on an array that was created before. */
const on = (
  schema: () => ArraySchema.ArraySchema,
  prepare: () => unknown,
  run: (array: TileArray.TileArray, data: never) => Program,
) =>
async (uri: string) => {
  const array = await Effect.runPromise(Effect.provide(TileArray.create(uri, schema()), layerDefault))
  const data = prepare()
  return () => run(array as never, data as never)
}

const sparse = (
  columns: () => Record<string, unknown>,
  dims: Record<string, unknown>,
  attrs: Record<string, unknown>,
  more = {},
  options = {},
) =>
  on(
    () => Arrays.sparse({ dims, attrs, ...more } as never),
    columns,
    (array, data) => Sparse.write(array as never, data, options),
  )
const dense = (
  cells: () => Record<string, unknown>,
  dims: Record<string, unknown>,
  attrs: Record<string, unknown>,
  more = {},
  options = {},
) =>
  on(
    () => Arrays.dense({ dims, attrs, ...more } as never),
    cells,
    (array, data) => Dense.write(array as never, {}, data, options),
  )

const M = 1_000_000
const ints = (count: number, max: number) => Int32Array.from({ length: count }, () => Math.floor(random() * max))
const longs = (count: number, max: number) =>
  BigInt64Array.from({ length: count }, () => BigInt(Math.floor(random() * max)))
const floats = (count: number) => Float64Array.from({ length: count }, () => random())
const texts = (count: number) => Array.from({ length: count }, (_, i) => `text ${(i * 7919) % count}`)
const strings = (count: number) => {
  const values = new Uint8Array(count * 8)
  const offsets = new Uint32Array(count + 1)
  for (let i = 0; i < count; i++) {
    offsets[i + 1] = 8 * (i + 1)
    for (let k = 0; k < 8; k++) values[8 * i + k] = 97 + Math.floor(random() * 26)
  }
  return { values, offsets }
}
const zstd = () => Filter.zstd({ level: 3 })
const plane = { x: Dim.int32([0, 99_999], { tile: 1000 }), y: Dim.int32([0, 99_999], { tile: 1000 }) }
const side = (cells: number) => Math.floor(Math.sqrt(cells))
const grid = (cells: number, tile: number) => ({
  x: Dim.int32([0, side(cells) - 1], { tile: Math.min(tile, side(cells)) }),
  y: Dim.int32([0, side(cells) - 1], { tile: Math.min(tile, side(cells)) }),
})
const double = (cells: number) => () => ({ a: floats(side(cells) ** 2) })

const csvFile =
  (name: string, text: () => Iterable<string>) => (run: (file: string, uri: string) => Program) => (uri: string) => {
    const file = join(folder, name)
    writeFileSync(file, "")
    for (const piece of text()) writeFileSync(file, piece, { flag: "a" })
    return Promise.resolve(() => run(file, uri))
  }
function* table(rows: number, columns: number) {
  yield Array.from({ length: columns }, (_, c) => `c${c}`).join(",") + "\n"
  for (let r = 0; r < rows; r += 1000) {
    let text = ""
    for (let i = 0; i < Math.min(1000, rows - r); i++) {
      text += Array.from({ length: columns }, (_, c) =>
        c % 3 === 0 ? String(r + i + c) : c % 3 === 1 ? (random() * 100).toFixed(3) : `w${i}`).join(",") + "\n"
    }
    yield text
  }
}

const cases: Record<string, (uri: string) => Promise<() => Program>> = {
  "sparse int32 2d 5M": sparse(() => ({ x: ints(n(5 * M), 1e5), y: ints(n(5 * M), 1e5), a: floats(n(5 * M)) }), plane, {
    a: Attr.float64({ filters: [zstd()] }),
  }, { allowsDuplicates: true }),
  "sparse int64 3d 5M hilbert": sparse(
    () => ({ x: longs(n(5 * M), 1e5), y: longs(n(5 * M), 1e5), z: longs(n(5 * M), 1e5), a: floats(n(5 * M)) }),
    { x: Dim.int64([0n, 99_999n]), y: Dim.int64([0n, 99_999n]), z: Dim.int64([0n, 99_999n]) },
    { a: Attr.float64() },
    { allowsDuplicates: true, order: "hilbert" },
  ),
  "sparse float64 1d 5M first of duplicates": sparse(
    () => ({ x: Float64Array.from({ length: n(5 * M) }, () => Math.floor(random() * n(4 * M))), a: floats(n(5 * M)) }),
    { x: Dim.float64([0, 1e9], { tile: 1000 }) },
    { a: Attr.float64() },
    {},
    { duplicates: "first" },
  ),
  "sparse string 1d 3M": sparse(() => ({ x: strings(n(3 * M)), a: floats(n(3 * M)) }), { x: Dim.ascii() }, {
    a: Attr.float64(),
  }, { allowsDuplicates: true }),
  "sparse one tile 5M": sparse(
    () => ({ x: ints(n(5 * M), 1e5), y: ints(n(5 * M), 1e5), a: floats(n(5 * M)), s: strings(n(5 * M)) }),
    plane,
    { a: Attr.float64({ filters: [zstd()] }), s: Attr.ascii() },
    { allowsDuplicates: true, capacity: 20 * M },
  ),
  "sparse global order 5M": sparse(
    () => ({ x: Int32Array.from({ length: n(5 * M) }, (_, i) => i), a: floats(n(5 * M)) }),
    { x: Dim.int32([0, 1e8], { tile: 1000 }) },
    { a: Attr.float64() },
    {},
    { order: "global" },
  ),
  "sparse lists of texts 5M": sparse(
    () => ({ x: Int32Array.from({ length: n(5 * M) }, (_, i) => i), s: texts(n(5 * M)) }),
    { x: Dim.int32([0, 1e8], { tile: 1000 }) },
    { s: Attr.utf8({ filters: [zstd()] }) },
  ),
  "sparse nullable lists 5M": sparse(
    () => ({
      x: Int32Array.from({ length: n(5 * M) }, (_, i) => i),
      v: Array.from({ length: n(5 * M) }, (_, i) => i % 3 === 0 ? null : i),
    }),
    { x: Dim.int32([0, 1e8], { tile: 1000 }) },
    { v: Attr.nullable(Attr.float64()) },
  ),
  "dense none 200MB": dense(double(n(25 * M)), grid(n(25 * M), 500), { a: Attr.float64() }),
  "dense zstd 200MB": dense(double(n(25 * M)), grid(n(25 * M), 500), { a: Attr.float64({ filters: [zstd()] }) }),
  "dense gzip 40MB": dense(double(n(5 * M)), grid(n(5 * M), 500), {
    a: Attr.float64({ filters: [Filter.gzip({ level: 6 })] }),
  }),
  "dense bzip2 8MB": dense(double(n(1 * M)), grid(n(1 * M), 500), {
    a: Attr.float64({ filters: [Filter.bzip2({ level: 1 })] }),
  }),
  "dense double delta 200MB": dense(() => ({ a: longs(side(n(25 * M)) ** 2, 1e6) }), grid(n(25 * M), 500), {
    a: Attr.int64({ filters: [Filter.double_delta()] }),
  }),
  "dense one tile 200MB none": dense(double(n(25 * M)), grid(n(25 * M), 1e5), { a: Attr.float64() }),
  "dense one tile 200MB zstd": dense(double(n(25 * M)), grid(n(25 * M), 1e5), {
    a: Attr.float64({ filters: [zstd()] }),
  }),
  "dense one tile 200MB col order": dense(double(n(25 * M)), grid(n(25 * M), 1e5), { a: Attr.float64() }, {}, {
    order: "col",
  }),
  "dense var 5M in a tile": dense(() => ({ s: strings(side(n(5 * M)) ** 2) }), grid(n(5 * M), 1e5), {
    s: Attr.ascii(),
  }),
  "dense var rle 5M in a tile": dense(() => ({ s: strings(side(n(5 * M)) ** 2) }), grid(n(5 * M), 1e5), {
    s: Attr.ascii({ filters: [Filter.rle()] }),
  }),
  "dense var dictionary 5M in a tile": dense(() => ({ s: strings(side(n(5 * M)) ** 2) }), grid(n(5 * M), 1e5), {
    s: Attr.ascii({ filters: [Filter.dictionary()] }),
  }),
  "sparse rows 500k": on(
    () =>
      Arrays.sparse({ dims: { x: Dim.int32([0, 1e8], { tile: 1000 }) }, attrs: { a: Attr.float64(), s: Attr.utf8() } }),
    () => Array.from({ length: n(0.5 * M) }, (_, i) => ({ x: i, a: i / 2, s: `row ${i}` })),
    (array, data) =>
      Sparse.writeRows(
        array as never,
        data,
        Schema.Struct({ x: Schema.Int, a: Schema.Number, s: Schema.String }) as never,
      ) as Program,
  ),
  "dense rows 500k": on(
    () => Arrays.dense({ dims: { x: Dim.int32([0, 999_999], { tile: 1000 }) }, attrs: { a: Attr.float64() } }),
    () => Array.from({ length: n(0.5 * M) }, (_, i) => ({ x: (i * 7919) % n(0.5 * M), a: i / 2 })),
    (array, data) =>
      Dense.writeRows(array as never, data, Schema.Struct({ x: Schema.Int, a: Schema.Number }) as never) as Program,
  ),
  "dense rows scattered 300k": on(
    () => Arrays.dense({ dims: { x: Dim.int32([0, 9_999_999], { tile: 1000 }) }, attrs: { a: Attr.float64() } }),
    () => Array.from({ length: n(0.3 * M) }, (_, i) => ({ x: i * 3, a: i / 2 })),
    (array, data) =>
      Effect.ignore(
        Dense.writeRows(array as never, data, Schema.Struct({ x: Schema.Int, a: Schema.Number }) as never) as Program,
      ),
  ),
  "sparse writer large batches": on(
    () => Arrays.sparse({ dims: { x: Dim.int32([0, 1e9], { tile: 1000 }) }, attrs: { a: Attr.float64() } }),
    () =>
      Array.from(
        { length: 4 },
        (_, k) => ({ x: Int32Array.from({ length: n(2 * M) }, (_, i) => k + 4 * i), a: floats(n(2 * M)) }),
      ),
    (array, data) =>
      Stream.run(
        Stream.rechunk(Stream.fromIterable(data as never), 1),
        Sparse.sink(array as never) as never,
      ) as Program,
  ),
  "dense writer large batches": on(
    () =>
      Arrays.dense({
        dims: { x: Dim.int32([0, n(16 * M) - 1], { tile: n(4 * M) }) },
        attrs: { a: Attr.float64({ filters: [zstd()] }) },
      }),
    () => Array.from({ length: 8 }, () => ({ a: floats(n(2 * M)) })),
    (array, data) =>
      Stream.run(
        Stream.rechunk(Stream.fromIterable(data as never), 1),
        Dense.sink(array as never, {} as never) as never,
      ) as Program,
  ),
  "csv 60MB file": csvFile("a.csv", () => table(n(500_000), 12))((file, uri) => Csv.create(uri, file)),
  "csv 500 columns": csvFile("b.csv", () => table(n(15_000), 500))((file, uri) => Csv.create(uri, file)),
  "csv one huge piece": () => {
    const text = [...table(n(400_000), 8)].join("")
    return Promise.resolve(() => Csv.create(join(folder, "piece"), Stream.make(text)))
  },
  "csv one huge piece of bytes": () => {
    const text = new TextEncoder().encode([...table(n(400_000), 8)].join(""))
    return Promise.resolve(() => Csv.create(join(folder, "bytes"), Stream.make(text)))
  },
  "csv one gigantic line": csvFile("c.csv", () => ["a,b\n", "1,".repeat(n(10 * M)), "\n"])((file, uri) =>
    Effect.ignore(Csv.create(uri, file))
  ),
  "csv long quoted cell": csvFile("d.csv", () => ["a,b\n", '1,"', "text \n".repeat(n(3 * M)), '"\n'])((file, uri) =>
    Csv.create(uri, file)
  ),
  "csv long quoted cell of quotes": csvFile("e.csv", () => ["a,b\n", '1,"', '""x'.repeat(n(8 * M)), '"\n'])((
    file,
    uri,
  ) => Csv.create(uri, file)),
  "csv dates": csvFile("f.csv", function* () {
    yield "t\n"
    for (let i = 0; i < n(1000); i++) {
      yield Array.from({ length: 2000 }, (_, k) => new Date(1e12 + (i * 2000 + k) * 1000).toISOString()).join("\n") +
        "\n"
    }
  })((file, uri) => Csv.create(uri, file)),
}

/** Copies or reads an array that another case wrote before. */
const after = (name: string, read: (uri: string, target: string) => Program) => async (uri: string) => {
  const source = uri + "-source"
  const run = await cases[name](source)
  await Effect.runPromise(Effect.provide(run(), layerDefault) as Effect.Effect<unknown>)
  return () => read(source, uri)
}
const readings: typeof cases = {
  "copy dense zstd": after("dense zstd 200MB", (uri, target) => TileArray.copy(uri, target)),
  "copy dense one tile": after(
    "dense one tile 200MB zstd",
    (uri, target) => TileArray.copy(uri, target, { memory: 1 << 30 }),
  ),
  "copy sparse": after("sparse int32 2d 5M", (uri, target) => TileArray.copy(uri, target)),
  "copy sparse texts": after("sparse lists of texts 5M", (uri, target) => TileArray.copy(uri, target)),
  "copy dense var": after(
    "dense var 5M in a tile",
    (uri, target) => TileArray.copy(uri, target, { memory: 1 << 30 }),
  ),
  "read dense none": after(
    "dense none 200MB",
    (uri) => Effect.flatMap(TileArray.open(uri), (array) => Dense.read(array as never)),
  ),
  "read dense zstd": after(
    "dense zstd 200MB",
    (uri) => Effect.flatMap(TileArray.open(uri), (array) => Dense.read(array as never)),
  ),
  "read sparse global": after(
    "sparse int32 2d 5M",
    (uri) => Effect.flatMap(TileArray.open(uri), (array) => Sparse.read(array as never)),
  ),
  "read sparse row order": after(
    "sparse int32 2d 5M",
    (uri) => Effect.flatMap(TileArray.open(uri), (array) => Sparse.read(array as never, { order: "row" })),
  ),
}
Object.assign(cases, readings)

const layer = Layer.fresh(layerDefault)
try {
  let number = 0
  for (const [name, prepare] of Object.entries(cases)) {
    if (names.length > 0 && !names.some((part) => name.includes(part))) continue
    const uri = join(folder, `array${number++}`)
    try {
      const run = await prepare(uri)
      const { elapsed, longestGap, longestWork } = await withHeartbeat(() =>
        Effect.runPromise(Effect.provide(run(), layer) as Effect.Effect<unknown>)
      )
      console.log(
        `${name.padEnd(45)} ${elapsed.toFixed(0).padStart(7)} ms, longest gap ${
          longestGap.toFixed(0).padStart(6)
        } ms, work ${longestWork.toFixed(0).padStart(5)} ms`,
      )
    } catch (error) {
      console.log(`${name.padEnd(45)} failed: ${String(error).slice(0, 200)}`)
    }
    rmSync(folder, { recursive: true, force: true })
    rmSync(uri, { recursive: true, force: true })
    const { mkdirSync } = await import("node:fs")
    mkdirSync(folder, { recursive: true })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)

/**
 * `ours.ts write FOLDER` writes the same cells repeatedly, and leaves claims for schema changes. `ours.ts follow
 * FOLDER` writes after the engine, with a clock that is behind. Both write the expected cells to expected.json.
 * `ours.ts see FOLDER` reads the engine's cells. Each closes with `N passed, N failed`.
 */
import { assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import {
  ArraySchema,
  Attr,
  type Codecs,
  Dense,
  Dim,
  layerDefault,
  Sparse,
  StorageService,
  TileArray,
} from "../../../mod.ts"

const [verb, folder] = process.argv.slice(2)

/**
 * Number of batched writes of each cell: the engine does not order fragments of equal timestamps if an array has more
 * than 16.
 */
const WRITE_COUNT = 40

/** The last value of each cell, after additional single writes. */
const LAST_VALUE = 2 * WRITE_COUNT

/** Number of cells of the dense array: the rows of one pass. */
const CELL_COUNT = 4096

const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 99], { tile: 10 }) }, attrs: { a: Attr.int32() } })
const Board = ArraySchema.dense({
  dims: { x: Dim.int32([0, CELL_COUNT - 1], { tile: 512 }) },
  attrs: { a: Attr.int32() },
})
const Row = Schema.Struct({ x: Schema.Int, a: Schema.Int })

const uriOf = (name: string) => join(folder, name)

/** Returns cell 7 of each array, read one hour in the future. */
const see = Effect.gen(function* () {
  const end = Date.now() + 3_600_000
  const points = yield* TileArray.open(uriOf("points"), Points, { at: end })
  const board = yield* TileArray.open(uriOf("board"), Board, { at: end })
  const one = { region: { x: 7 } } as const
  const [sparse, dense] = [yield* Sparse.read(points, one), yield* Dense.read(board, one)]
  return { points: [...sparse.columns.a], board: [...dense.columns.a] }
})

const note = Effect.map(see, (seen) => writeFileSync(join(folder, "expected.json"), JSON.stringify(seen)))

const write = Effect.gen(function* () {
  const points = yield* TileArray.create(uriOf("points"), Points)
  const batches = Stream.map(
    Stream.range(1, WRITE_COUNT),
    (i) => ({ x: Int32Array.of(7, 50 + i), a: Int32Array.of(i, i) }),
  )
  const { fragments } = yield* Stream.run(batches, Sparse.sink(points, { memory: 1 }))
  assertEquals(fragments.length, WRITE_COUNT)
  const board = yield* TileArray.create(uriOf("board"), Board)
  const rows = Stream.map(
    Stream.range(0, WRITE_COUNT * CELL_COUNT - 1),
    (i) => ({ x: i % CELL_COUNT, a: 1 + Math.floor(i / CELL_COUNT) }),
  )
  yield* Dense.writeRows(board, rows, Row, { memory: 1 })
  // consecutive single writes have distinct milliseconds, too
  for (let a = WRITE_COUNT + 1; a <= LAST_VALUE; a++) {
    yield* Sparse.write(points, { x: Int32Array.of(7), a: Int32Array.of(a) })
    yield* Dense.write(board, { x: 7 }, { a: Int32Array.of(a) })
  }
  // the claim that a process leaves when it is killed during a schema change
  const storage = yield* StorageService
  for (const name of ["points", "board"]) {
    const schemas = yield* storage.list(`${uriOf(name)}/__schema`)
    const base = schemas.find((entry) => entry.kind === "file")!.name
    yield* storage.create(`${uriOf(name)}/__tessera_evolve.${base}.0.claim`, new TextEncoder().encode(`${base}\nx\n`))
  }
  assertEquals(yield* see, { points: [LAST_VALUE], board: [LAST_VALUE] })
  yield* note
})

/** Writes after the engine wrote 1000 with a timestamp in the future of the local clock. */
const follow = Effect.gen(function* () {
  assertEquals(yield* see, { points: [1000], board: [1000] })
  const [points, board] = [yield* TileArray.open(uriOf("points"), Points), yield* TileArray.open(uriOf("board"), Board)]
  yield* Sparse.write(points, { x: Int32Array.of(7), a: Int32Array.of(2000) })
  yield* Dense.write(board, { x: 7 }, { a: Int32Array.of(2000) })
  for (const name of ["points", "board"]) {
    yield* TileArray.evolve(uriOf(name), { addAttributes: { ours: Attr.int8() } })
    const { schema } = yield* TileArray.open(uriOf(name), { at: Date.now() + 3_600_000 })
    assertEquals(schema.attributes.map((attribute) => attribute.name), ["a", "engine", "ours"])
  }
  assertEquals(yield* see, { points: [2000], board: [2000] })
  yield* note
})

const expected = () => JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"))

const check = Effect.map(see, (seen) => assertEquals(seen, expected()))

const verbs: Readonly<Record<string, Effect.Effect<void, unknown, StorageService | Codecs>>> = {
  write,
  follow,
  see: check,
}

try {
  await Effect.runPromise(Effect.provide(verbs[verb], layerDefault))
  console.log("1 passed, 0 failed")
} catch (error) {
  console.log(`${verb}: ${error}\n0 passed, 1 failed`)
}

/** Writes in an endless loop, and the state that readers must see at any time. */
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import { ArraySchema, Attr, Dense, Dim, Group, Metadata, Sparse, TileArray } from "../../mod.ts"

/** The number of cells of each sparse write. */
const CELLS = 10

const Events = ArraySchema.sparse({
  dims: { write: Dim.int32([0, 999_999], { tile: 1000 }), cell: Dim.int32([0, CELLS - 1], { tile: CELLS }) },
  attrs: { twice: Attr.int32(), text: Attr.utf8() },
  capacity: 4,
})

const Board = ArraySchema.dense({ dims: { x: Dim.int32([0, 5], { tile: 4 }) }, attrs: { write: Attr.int32() } })

const textOf = (write: number, cell: number): string => `${write} ${"x".repeat(cell)}`

/** Creates the targets: a sparse and a dense array in a group. */
export const makeAll = (root: string) =>
  Effect.gen(function* () {
    yield* Group.create(root)
    yield* TileArray.create(`${root}/events`, Events)
    yield* TileArray.create(`${root}/board`, Board)
    yield* Group.add(root, [{ uri: "events", relative: true }, { uri: "board", relative: true }])
  })

/** Writes to all targets once: new sparse cells, a box that all writers write, and metadata. */
export const writeOnce = (root: string, write: number) =>
  Effect.gen(function* () {
    const cells = Array.from({ length: CELLS }, (_, i) => CELLS - 1 - i)
    yield* Sparse.write(yield* TileArray.open(`${root}/events`, Events), {
      write: new Int32Array(CELLS).fill(write),
      cell: Int32Array.from(cells),
      twice: new Int32Array(CELLS).fill(2 * write),
      text: cells.map((cell) => textOf(write, cell)),
    })
    yield* Dense.write(yield* TileArray.open(`${root}/board`, Board), {}, { write: new Int32Array(6).fill(write) })
    yield* TileArray.putMetadata(`${root}/board`, { one: write, other: write })
    yield* Group.putMetadata(root, { one: write, other: write })
  })

/**
 * Returns the numbers of the writes whose sparse cells exist, and the last write of each other kind. Throws if a write
 * is incomplete.
 */
export const seeAll = (root: string) =>
  Effect.gen(function* () {
    const events = yield* TileArray.open(`${root}/events`, Events)
    const { columns, length } = yield* Sparse.read(events)
    const writes = new Map<number, number>()
    for (let i = 0; i < length; i++) {
      const write = columns.write[i]
      writes.set(write, (writes.get(write) ?? 0) + 1)
      assertEquals(columns.twice[i], 2 * write)
    }
    for (const [write, cells] of writes) assertEquals(cells, CELLS, `write ${write} is there in part`)
    const { columns: board } = yield* Dense.read(yield* TileArray.open(`${root}/board`, Board))
    assertEquals(new Set(board.write).size, 1, "the box is there in part")
    const metadata = [
      yield* TileArray.metadata(yield* TileArray.open(`${root}/board`)),
      yield* Group.metadata(yield* Group.open(root)),
    ].map((items) => Object.fromEntries(Metadata.values(items)))
    for (const { one, other } of metadata) assertEquals(one, other, "metadata is there in part")
    assert(Group.members(yield* Group.open(root)).length === 2)
    return { writes: new Set(writes.keys()), fragments: (yield* TileArray.fragments(events)).length }
  })

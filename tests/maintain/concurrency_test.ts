/** Maintenance, readers and writers at the same time: the interleavings that the soak found, one by one. */
import { assert, assertEquals, assertMatch } from "@std/assert"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, it } from "node:test"
import { ArraySchema, Attr, Dense, Dim, Sparse, TileArray } from "../../mod.ts"
import { Storage } from "../../platform/storage/service.ts"
import { inMemory } from "../support/in_memory.ts"

const Points = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 99]) },
  attrs: { n: Attr.int32() },
  allowsDuplicates: true,
})
const Line = ArraySchema.dense({ dims: { x: Dim.int32([0, 7], { tile: 3 }) }, attrs: { n: Attr.int32() } })

const makePoints = (uri: string, count: number) =>
  Effect.gen(function* () {
    const array = yield* TileArray.create(uri, Points)
    for (let i = 0; i < count; i++) yield* Sparse.write(array, { x: [i], n: [i] })
  })

/** Runs `change` once, before the first file whose name has this ending is read. */
const beforeRead = <A, E>(
  ending: string,
  change: Effect.Effect<unknown, E, never>,
  run: Effect.Effect<A, E, Storage>,
) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    let isPending = true
    const once = <B, F>(uri: string, read: Effect.Effect<B, F>): Effect.Effect<B, F> =>
      Effect.suspend(() => {
        if (!isPending || !uri.endsWith(ending)) return read
        isPending = false
        return Effect.zipRight(Effect.orDie(change), read)
      })
    const result = yield* Effect.provideService(run, Storage, {
      ...storage,
      read: (uri: string) => once(uri, storage.read(uri)),
    })
    assert(!isPending, `no ${ending} was read`)
    return result
  })

const readCells = (uri: string) =>
  Effect.gen(function* () {
    const { columns } = yield* Sparse.read(yield* TileArray.open(uri, Points))
    return [...columns.x].sort((a, b) => a - b)
  })

const reasonOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isFailure(exit) ? String((Cause.squash(exit.cause) as { readonly reason?: string }).reason) : "no failure"

describe("maintenance beside readers", () => {
  for (const [mode, ending] of [["fragments", ".vac"], ["commits", ".con"], ["commits", ".del"]] as const) {
    it(`opens and reads an array although a vacuum of ${mode} removes a ${ending} file that was listed`, async () => {
      const cells = await inMemory(Effect.gen(function* () {
        const uri = "mem://a"
        yield* makePoints(uri, 4)
        const array = yield* TileArray.open(uri, Points)
        if (ending === ".del") yield* Sparse.delete(array, "x == 2")
        yield* TileArray.consolidate(uri, { mode })
        if (ending === ".con") {
          yield* Sparse.write(array, { x: [4], n: [4] })
          yield* TileArray.consolidate(uri, { mode })
        }
        const vacuum = TileArray.vacuum(uri, { mode, age: 0 })
        const context = yield* Effect.context<Storage>()
        // the commits file contains the delete, so that its own file is not read at all
        if (ending === ".del") {
          const opened = yield* TileArray.open(uri, Points)
          yield* vacuum
          return [...(yield* Sparse.read(opened)).columns.x].sort()
        }
        return yield* beforeRead(ending, Effect.provide(vacuum, context), readCells(uri) as never)
      }) as never)
      assertEquals(cells, ending === ".vac" ? [0, 1, 2, 3] : ending === ".con" ? [0, 1, 2, 3, 4] : [0, 1, 3])
    })
  }

  it("still fails for a file that is missing for another reason", async () => {
    const exit = await inMemory(Effect.gen(function* () {
      yield* makePoints("mem://a", 2)
      const storage = yield* Storage
      const [{ name }] = yield* storage.list("mem://a/__fragments")
      yield* storage.remove(`mem://a/__fragments/${name}/__fragment_metadata.tdb`)
      return yield* Effect.exit(TileArray.open("mem://a"))
    }))
    assert(Exit.isFailure(exit))
    assertEquals((Cause.squash(exit.cause) as { readonly _tag: string })._tag, "FormatError")
  })
})

describe("maintenance beside maintenance", () => {
  it("combines each fragment once and refuses one of two tasks with a common fragment", async () => {
    const { reasons, cells, files } = await inMemory(Effect.gen(function* () {
      const uri = "mem://a"
      yield* makePoints(uri, 3)
      const names = (yield* TileArray.fragments(yield* TileArray.open(uri))).map(({ name }) => name)
      const exits = yield* Effect.forEach(
        [names.slice(0, 2), names.slice(1)],
        (fragments) => Effect.exit(TileArray.consolidate(uri, { fragments })),
        { concurrency: 2 },
      )
      const files = (yield* (yield* Storage).list(uri)).map(({ name }) => name).filter((name) =>
        name.endsWith(".claim")
      )
      return { reasons: exits.map(reasonOf).sort(), cells: yield* readCells(uri), files }
    }))
    assertEquals(reasons, ["Stale", "no failure"])
    assertEquals([cells, files], [[0, 1, 2], []])
  })

  it("takes over the claim of a process that was killed", async () => {
    const names = await inMemory(Effect.gen(function* () {
      yield* makePoints("mem://a", 3)
      const storage = yield* Storage
      yield* storage.write("mem://a/__tessera_consolidate.0.claim", new Uint8Array(0))
      yield* TileArray.consolidate("mem://a")
      assertEquals(yield* readCells("mem://a"), [0, 1, 2])
      return (yield* storage.list("mem://a")).map(({ name }) => name)
    }))
    assertEquals(names.filter((name) => name.endsWith(".claim")), [])
  })
})

describe("maintenance beside writers of dense arrays", () => {
  it("does not cover a write that is not finished", async () => {
    const { reason, detail, values } = await inMemory(Effect.gen(function* () {
      const uri = "mem://line"
      const line = yield* TileArray.create(uri, Line)
      const storage = yield* Storage
      yield* Dense.write(line, { x: [0, 0] }, { n: [1] })
      // a write of the cells between, which is not committed yet
      yield* Dense.write(line, { x: [3, 4] }, { n: [3, 4] })
      const commits = (yield* storage.list(`${uri}/__commits`)).map(({ name }) => `${uri}/__commits/${name}`).sort()
      const commit = commits[1]
      const bytes = yield* storage.read(commit)
      yield* storage.remove(commit)
      yield* Dense.write(line, { x: [7, 7] }, { n: [7] })
      const exit = yield* Effect.exit(TileArray.consolidate(uri, { amplification: 100 }))
      yield* storage.write(commit, bytes)
      const { columns } = yield* Dense.read(yield* TileArray.open(uri, Line), { region: { x: [0, 7] } })
      const error = Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : ""
      return { reason: reasonOf(exit), detail: error, values: [columns.n[0], columns.n[3], columns.n[4], columns.n[7]] }
    }))
    assertEquals(reason, "Stale")
    assertMatch(detail, /is not finished/)
    assertEquals(values, [1, 3, 4, 7])
  })
})

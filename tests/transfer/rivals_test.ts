/** Two transfers to one target: at most one of them succeeds, and the array is complete. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Codecs, Csv, Sparse, StorageService, TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/mod.ts"
import { UNFINISHED_FILE } from "../../src/array/open/unfinished.ts"
import { localGround } from "../laws/ground.ts"
import { over } from "./local_folder.ts"

/** Returns a storage that waits before its first call of this kind. */
const pausedAt = (storage: StorageService, op: "create" | "openWrite", name: RegExp) => {
  const [reached, released] = [Deferred.unsafeMake<void>(0 as never), Deferred.unsafeMake<void>(0 as never)]
  let waits = true
  const pause = (uri: string) =>
    Effect.suspend(() => {
      if (!waits || !name.test(uri)) return Effect.void
      waits = false
      return Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(released))
    })
  const paused: StorageService = {
    ...storage,
    create: (uri, bytes) => Effect.zipRight(op === "create" ? pause(uri) : Effect.void, storage.create(uri, bytes)),
    openWrite: (uri) => Effect.zipRight(op === "openWrite" ? pause(uri) : Effect.void, storage.openWrite(uri)),
  }
  return {
    storage: paused,
    reached: Deferred.await(reached),
    release: Deferred.succeed(released, undefined),
  }
}

const rows = (from: number): string =>
  `x,n,name\n${Array.from({ length: 9000 }, (_, i) => `${i},${from + i},name ${i}`).join("\n")}\n`

const importing = (target: string, from: number, options: Csv.CsvCreateOptions = {}) =>
  Csv.create(target, Stream.make(rows(from)), { arrayType: "sparse", dims: ["x"], memory: 300_000, ...options })

/** Returns the cell of row 1, and checks that all rows exist. */
const read = (target: string) =>
  Effect.flatMap(TileArray.open(target), (array) =>
    Effect.map(Sparse.read(array), ({ length, columns }) => {
      assertEquals(length, 9000)
      return Number((columns.n.values as BigInt64Array)[1])
    }))

const provided = <A, E>(storage: StorageService, program: Effect.Effect<A, E, StorageService | Codecs>) =>
  Effect.provide(program, Layer.merge(Layer.succeed(StorageService, storage), layerNative))

describe("a copy or import whose target another process takes over", () => {
  const pauses = [
    ["create", /__commits\//],
    ["create", /__schema\/__/],
    ["openWrite", /a1_?\w*\.tdb/],
  ] as const
  for (const [op, name] of pauses) {
    for (const second of ["overwrite", "resume"] as const) {
      for (const isSlow of [false, true]) {
        it(`fails with Conflict and leaves the array of the other process: ${op} ${name}, ${second}${isSlow ? ", both wait" : ""}`, async () => {
          const ground = localGround()
          try {
            mkdirSync(ground.uri, { recursive: true })
            const target = join(ground.uri, "target")
            const from = second === "resume" ? 0 : 50_000
            const [first, other] = [pausedAt(ground.storage, op, name), pausedAt(ground.storage, op, name)]
            if (!isSlow) await Effect.runPromise(other.release)
            const [one, two, early] = await Effect.runPromise(Effect.gen(function* () {
              const one = yield* Effect.fork(Effect.exit(provided(first.storage, importing(target, 0))))
              yield* first.reached
              const two = yield* Effect.fork(
                Effect.exit(provided(other.storage, importing(target, from, { [second]: true }))),
              )
              if (isSlow) yield* Effect.raceFirst(other.reached, Fiber.await(two))
              else yield* Fiber.await(two)
              const early = isSlow ? undefined : yield* Effect.exit(provided(ground.storage, read(target)))
              yield* first.release
              const done = yield* Fiber.join(one)
              yield* other.release
              return [done, yield* Fiber.join(two), early] as const
            }))
            const all = JSON.stringify([one, two])
            assertEquals(two._tag, "Success", all)
            if (early !== undefined) assertEquals(early._tag, "Success", all)
            assertEquals(await over(ground.storage, read(target)), from + 1)
            assertEquals(existsSync(join(target, UNFINISHED_FILE)), false)
            // the process that wrote identical files may have committed them first
            if (one._tag === "Failure") assert(all.includes('"reason":"Conflict"'), all)
            else assertEquals([second, op], ["resume", "create"])
          } finally {
            ground.close()
          }
        })
      }
    }
  }
})

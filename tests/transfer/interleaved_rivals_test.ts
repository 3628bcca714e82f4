/** Two transfers to one target, whose storage calls interleave at random: who succeeds, leaves a complete array. */
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import process from "node:process"
import { setImmediate } from "node:timers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type Codecs, Csv, Sparse, StorageService, TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/mod.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { mapStorage } from "../../platform/storage/map_storage.ts"
import { makeRandom, type Random } from "../hostile/random.ts"

const TARGET = "mem://target"
const ROWS = 40

const rows = (from: number): string => `x,n\n${Array.from({ length: ROWS }, (_, i) => `${i},${from + i}`).join("\n")}\n`

const importing = (from: number, options: Csv.CsvCreateOptions = {}) =>
  Csv.create(TARGET, Stream.make(rows(from)), { arrayType: "sparse", dims: ["x"], memory: 100_000, ...options })

/** Returns the cell of row 0 of a complete array. */
const read = Effect.flatMap(TileArray.open(TARGET), (array) =>
  Effect.map(Sparse.read(array), ({ length, columns }) => {
    assertEquals(length, ROWS)
    return Number((columns.n.values as BigInt64Array)[0])
  }))

/** Lets one storage call through at a time, of either program, in bursts of random length. */
const makeScheduler = ({ below }: Random) => {
  const pending: [Array<() => void>, Array<() => void>] = [[], []]
  let [current, burst] = [0, 0]
  let isStopped = false
  const step = (): void => {
    if (!isStopped) setImmediate(step)
    if (pending[0].length + pending[1].length === 0) return
    if (burst-- <= 0) [current, burst] = [below(2), below(12)]
    const queue = pending[current].length > 0 ? pending[current] : pending[1 - current]
    queue.splice(below(queue.length), 1)[0]()
  }
  setImmediate(step)
  const around = (program: 0 | 1, storage: StorageService): StorageService => {
    const gate = Effect.async<void>((resume) => void pending[program].push(() => resume(Effect.void)))
    const wrap = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => Effect.zipRight(gate, call)
    return mapStorage(storage, { read: wrap, list: wrap, write: wrap })
  }
  return { around, stop: () => void (isStopped = true) }
}

const provided = <A, E>(storage: StorageService, program: Effect.Effect<A, E, StorageService | Codecs>) =>
  Effect.provide(program, Layer.merge(Layer.succeed(StorageService, storage), layerNative))

/** Options of both calls, and whether there is an array before. */
const cases = [
  ["overwrite", {}, { overwrite: true }, false],
  ["resume", {}, { resume: true }, false],
  ["no option", {}, {}, false],
  ["overwrite, both, an existing array", { overwrite: true }, { overwrite: true }, true],
  ["overwrite and resume, an existing array", { overwrite: true }, { resume: true }, true],
] as const

describe("two imports to one target, their storage calls interleaved", () => {
  for (const [name, first, second, isThere] of cases) {
    it(`the array is complete if one succeeds: ${name}`, async () => {
      const outcomes = new Set<string>()
      for (let seed = 1; seed <= Number(process.env.SEEDS ?? 100); seed++) {
        const storage = makeMemoryStorage()
        if (isThere) await Effect.runPromise(provided(storage, importing(5000)))
        const scheduler = makeScheduler(makeRandom(`${name} ${seed}`))
        // only the same import can be resumed
        const from = "resume" in second ? 0 : 1000
        const [one, two] = await Effect.runPromise(Effect.all([
          Effect.exit(provided(scheduler.around(0, storage), importing(0, first))),
          Effect.exit(provided(scheduler.around(1, storage), importing(from, second))),
        ], { concurrency: 2 })).finally(scheduler.stop)
        const content = await Effect.runPromise(Effect.either(provided(storage, read)))
        const tags = `${one._tag} ${two._tag}`
        outcomes.add(tags)
        const all = `seed ${seed}: ${tags} ${JSON.stringify(content)}`
        const possible = new Set<unknown>([
          ...(one._tag === "Success" ? [0] : []),
          ...(two._tag === "Success" ? [from] : []),
        ])
        if (possible.size > 0) assert(content._tag === "Right" && possible.has(content.right), all)
        // nothing that can be opened and is not complete
        else assert(content._tag === "Right" || content.left._tag === "ArrayNotFound", all)
      }
      assert(outcomes.size > 1, [...outcomes].join())
    })
  }
})

/**
 * A process that writes: `writer.ts ROOT FIRST WRITERS COUNT`. WRITERS fibers write concurrently, COUNT times each, or
 * until the process is killed if COUNT is 0. Prints the number of each write after it is complete; the numbers start at
 * FIRST.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { writeSync } from "node:fs"
import process from "node:process"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { layerLocal } from "../../platform/storage/local/local.ts"
import { writeOnce } from "./loop.ts"

const [root, ...numbers] = process.argv.slice(-4)
const [first, writers, count] = numbers.map(Number)

const writer = (index: number) =>
  Effect.gen(function* () {
    for (let i = 0; count === 0 || i < count; i++) {
      const write = first + i * writers + index
      yield* writeOnce(root, write)
      writeSync(1, `${write}\n`)
      yield* Effect.yieldNow()
    }
  })

await Effect.runPromise(
  Effect.provide(
    Effect.forEach(Array.from({ length: writers }, (_, i) => i), writer, { concurrency: "unbounded", discard: true }),
    Layer.merge(layerLocal, layerNative),
  ),
)

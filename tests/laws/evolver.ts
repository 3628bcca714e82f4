/**
 * A process that changes a schema: `evolver.ts URI NAME FIRST COUNT`. Adds COUNT attributes, named NAME and a number
 * from FIRST on, each with a value of an enumeration and a larger current domain of the dimension NAME; then upgrades
 * the array. Prints the number of each attribute after it is added.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { writeSync } from "node:fs"
import process from "node:process"
import { Attr, TileArray } from "../../mod.ts"
import { layerNative } from "../../platform/codecs/layers/native.ts"
import { layerLocal } from "../../platform/storage/local/local.ts"

const [uri, name, ...numbers] = process.argv.slice(-4)
const [first, count] = numbers.map(Number)

const program = Effect.gen(function* () {
  for (let i = first; i < first + count; i++) {
    yield* TileArray.evolve(uri, {
      addAttributes: { [`${name}${i}`]: Attr.fill(Attr.int32(), i) },
      extendEnumerations: { kinds: [`${name}${i}`] },
      // each process extends the current domain of a different dimension
      currentDomain: { [name]: [0, 10 + i] },
    })
    writeSync(1, `${i}\n`)
    yield* Effect.yieldNow()
  }
  yield* TileArray.upgrade(uri, { formatVersion: 23 })
})

await Effect.runPromise(Effect.provide(program, Layer.merge(layerLocal, layerNative)))

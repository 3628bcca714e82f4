/**
 * Copies arrays that engines of all ages wrote: unpacks each array of the packed fixtures to `DIR/<n>/array`, copies it
 * to `DIR/<n>/copy`, and writes the input of see.py to `DIR/<n>/copy.json`.
 *
 *     deno run -A tests/interop/copies/make.ts DIR SEED COUNT
 *
 * A count of 0 takes all arrays. The format of a copy is the newest, the source's, or a random one that supports the
 * array.
 */
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import process from "node:process"
import { layerDefault, TileArray } from "../../../mod.ts"
import { packedArrays, packs } from "../../support/packed_arrays.ts"
import { makeRandom } from "../../hostile/random.ts"

const [folder, seed, count] = process.argv.slice(2)
const random = makeRandom(`copies/${seed}`)

const all = packs.filter((pack) => pack !== "upstream").flatMap((pack) =>
  packedArrays(pack).map((array) => ({ ...array, version: Number(pack.slice(1)) }))
)
const chosen = Number(count) === 0 ? all : Array.from({ length: Number(count) }, () => random.pick(all))

for (const [n, { path, key, files, version }] of chosen.entries()) {
  const at = join(folder, String(n))
  for (const [name, bytes] of files) {
    const file = join(at, "array", name.slice(path.length + 1))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
  const formatVersion = random.pick([22, Math.max(3, version), 3 + random.below(20)])
  const options = key === undefined ? {} : { key }
  const copy = Effect.gen(function* () {
    const source = yield* TileArray.open(join(at, "array"), options)
    const copyTo = (formatVersion: number) =>
      TileArray.copy(source, join(at, "copy"), {
        ...options,
        formatVersion,
        metadata: formatVersion > 3,
        // a small budget: the same cells in more batches
        ...(random.below(2) === 0 ? {} : { memory: 2 ** 20 }),
      })
    // if an older format does not support the array, it is copied to the newest format
    return yield* copyTo(formatVersion).pipe(
      Effect.catchIf(
        ({ _tag }) => _tag === "SchemaError" || _tag === "ResultTooLarge" || _tag === "WriteError",
        () => TileArray.copy(source, join(at, "copy"), options),
      ),
    )
  })
  const copied = await Effect.runPromise(Effect.provide(copy, layerDefault))
  const facts = {
    path,
    key: key === undefined ? null : new TextDecoder().decode(key),
    version: copied.formatVersion,
    cells: copied.cells,
  }
  writeFileSync(join(at, "copy.json"), JSON.stringify(facts))
}

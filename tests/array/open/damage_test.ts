/**
 * Damaged files of real arrays: after any cut, flipped bit, zeroed or filled range, opening and reading the whole array
 * soon returns cells or a tagged error, without a huge allocation.
 */
import * as Effect from "effect/Effect"
import { describe, it } from "node:test"
import { assert } from "@std/assert"
import process from "node:process"
import { nativeCodecs } from "../../../platform/codecs/layers/native.ts"
import { openArray } from "../../../src/array/open/open.ts"
import { readDense } from "../../../src/query/request/dense_request.ts"
import { readSparse } from "../../../src/query/request/sparse_request.ts"
import { openGenericTile } from "../../../src/tile/generic_tile.ts"
import { genericTile } from "../../support/build_array.ts"
import { type PackedArray, packedArrays, packs } from "../../support/packed_arrays.ts"
import { runOver } from "../../support/run_bytes.ts"

/** Returns a random number generator, so that the sample is the same on every runtime. */
const generator = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { below, pick: <A>(list: ReadonlyArray<A>): A => list[below(list.length)] }
}
type Generator = ReturnType<typeof generator>

const damages: Readonly<Record<string, (bytes: Uint8Array, random: Generator) => Uint8Array>> = {
  cut: (bytes, { below }) => bytes.slice(0, below(bytes.length)),
  "bit flipped": (bytes, { below }) => {
    bytes[below(bytes.length)] ^= 1 << below(8)
    return bytes
  },
  // footers are plain bytes at the end of their files: a change there affects most code
  "bit flipped at the end": (bytes, { below }) => {
    bytes[bytes.length - 1 - below(Math.min(bytes.length, 400))] ^= 1 << below(8)
    return bytes
  },
  zeroed: (bytes, { below }) => {
    const at = below(bytes.length)
    return bytes.fill(0, at, at + 1 + below(40))
  },
  "filled with 0xFF": (bytes, { below }) => {
    const at = below(bytes.length)
    return bytes.fill(0xff, at, at + 1 + below(40))
  },
}

/** Reads the whole array, in the orders that have different implementations. */
const readWhole = (path: string, key: Uint8Array | undefined) =>
  Effect.gen(function* () {
    const array = yield* openArray(`mem://${path}`, key === undefined ? {} : { key })
    if (array.schema.arrayType === "dense") {
      yield* readDense(array)
      return
    }
    yield* readSparse(array)
    yield* readSparse(array, { order: "global" })
    yield* readSparse(array, { order: "unordered", select: array.schema.attributes.slice(0, 1).map((a) => a.name) })
  })

/**
 * Returns the array with unfiltered structures: schemas, deletes and the metadata of formats 1 and 2, so that a change
 * reaches their fields instead of failing a checksum.
 */
const bare = (array: PackedArray): PackedArray => {
  const access = { codecs: nativeCodecs, key: undefined, verifyChecksums: true }
  const structure = array.path.match(/^v[12]\//) === null
    ? /__schema\/|__array_schema|\.del$|\.meta$/
    : /__array_schema|__fragment_metadata/
  const files = new Map(array.files)
  for (const [name, bytes] of array.files) {
    if (!structure.test(name)) continue
    const tile = openGenericTile(access, name, bytes)
    files.set(name, genericTile(tile.bytes, tile.version))
  }
  return { ...array, files }
}

const size = (files: ReadonlyMap<string, Uint8Array>): number =>
  [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0)

describe("damaged arrays", () => {
  const arrays = packs.flatMap((pack) => packedArrays(pack)).filter(({ files }) => size(files) < 60_000)

  const whole = { arrays, names: /./ }
  const structures = arrays.filter(({ key }) => key === undefined).map(bare)
  const inside = { arrays: structures, names: /__schema\/|__array_schema|\.del$|\.meta$|metadata\.tdb$/ }
  for (const [codecs, part] of [["native", whole], ["portable", whole], ["native", inside]] as const) {
    for (const [kind, damage] of Object.entries(damages)) {
      it(`${kind}${part === inside ? " inside structures" : ""}, ${codecs} codecs`, async () => {
        const random = generator(kind.length * 31 + codecs.length)
        let refused = 0
        for (let i = 0; i < 40; i++) {
          const { path, key, files } = random.pick(part.arrays)
          const names = [...files].filter(([name, bytes]) => bytes.length > 0 && part.names.test(name)).map(([name]) =>
            name
          )
          // half of all changes affect the files that locate all other data
          const metadata = names.filter((name) => /metadata|schema|commits/.test(name))
          const name = random.pick(random.below(2) === 0 && metadata.length > 0 ? metadata : names)
          const damaged = new Map(files).set(name, damage(files.get(name)!.slice(), random))
          const before = performance.now()
          const memory = process.memoryUsage().rss
          const result = await runOver(damaged, readWhole(path, key), codecs).catch((error) => {
            throw new Error(`change ${i}, ${name}: ${error?.stack ?? error}`)
          })
          const took = performance.now() - before
          assert(took < 5000, `change ${i}, ${name}: took ${Math.round(took)} ms`)
          const grown = process.memoryUsage().rss - memory
          assert(grown < 2 ** 29, `change ${i}, ${name}: took ${Math.round(grown / 2 ** 20)} MiB`)
          if ("error" in result) refused++
        }
        assert(refused >= 10, `only ${refused} of 40 were noticed`)
      })
    }
  }
})

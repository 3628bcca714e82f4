/**
 * Writes random arrays through tessera's public API, and next to each the result expected from the engine:
 * `DIR/<case>/meant.json`.
 *
 *     deno run -A tests/interop/writes/make.ts DIR SEED COUNT [FORMAT…]
 *
 * With formats, the arrays are for engines of these format versions, the same number for each.
 */
import { describeOpenFragments } from "../../../src/array/describe/fragment_descriptions.ts"
import { openedOf } from "../../../src/array/open/handle.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { ArraySchema, TileArray, WriteError } from "../../../mod.ts"
import { layerDefault, makeLocalStorage, StorageService } from "../../../platform/mod.ts"
import { Since } from "../../../schema/version/version.ts"
import { describeEnumerations, describeFragments, describeSchema } from "../../../src/array/describe/describe.ts"
import { makeRandom, type Random } from "../../hostile/random.ts"
import { type MeantEntry, randomMetadata } from "../changes/random_changes.ts"
import type { Meant, MeantCells, Moment } from "./meant.ts"
import { randomSchema } from "./random_schema.ts"
import { denseSteps, type Run, sparseSteps } from "./random_writes.ts"

const KEY = "0123456789abcdeF0123456789abcdeF"
const VERSIONS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]

/** Whether engines of a format version support the type of a metadata entry. */
const isKnown = (version: number, { type }: MeantEntry): boolean =>
  !(type === "blob" || type === "bool" || type.startsWith("geom_") || type.startsWith("time_")) || version === 22

/** Returns a random value that engines of the format version support. */
const knownMetadata = (random: Random, key: string, version: number): ReturnType<typeof randomMetadata> => {
  for (;;) {
    const made = randomMetadata(random, key)
    if (made.entries.every((entry) => isKnown(version, entry))) return made
  }
}

/** Changes metadata at random, and updates the expected metadata. */
const editMetadata = (random: Random, expected: Map<string, MeantEntry>, array: TileArray.TileArray, at: number) =>
  TileArray.editMetadata(array, (edit) =>
    Effect.gen(function* () {
      for (let i = 1 + random.below(3); i > 0; i--) {
        const key = random.pick(["a", "b", "ö", "k k", ""])
        for (const name of [key, `__np_flat_${key}`, `__np_shape_${key}`]) expected.delete(name)
        if (random.below(4) === 0) yield* edit.delete([key])
        else {
          const { input, entries } = knownMetadata(random, key, array.schema.version)
          yield* edit.put({ [key]: input })
          for (const entry of entries) expected.set(entry.key, entry)
        }
      }
    }), { at })

const byKey = (metadata: ReadonlyMap<string, MeantEntry>): ReadonlyArray<MeantEntry> =>
  [...metadata.values()].sort((a, b) => a.key < b.key ? -1 : 1)

/** Writes one array; returns false if a filter refuses the random cells. */
const makeOne = (folder: string, seed: string, version: number, old: boolean): Run<boolean> =>
  Effect.gen(function* () {
    const random = makeRandom(seed)
    const sparse = random.below(2) === 0
    const large = random.below(15) === 0
    const schema = randomSchema(random, { version, sparse, large, old })
    const key = random.below(8) === 0 ? KEY : null
    const keyed = key === null ? {} : { key: new TextEncoder().encode(key) }
    mkdirSync(folder, { recursive: true })
    const array = TileArray.undeclare(
      yield* TileArray.create(join(folder, "array"), schema, { formatVersion: version, ...keyed }),
    )
    const target = { random, schema, array, scratch: join(folder, "scratch"), large, old }
    const dense = sparse ? undefined : denseSteps(target)
    const moments: Array<Moment> = []
    const metadata = new Map<string, MeantEntry>()
    let at = 10
    let cells: MeantCells | undefined
    for (const step of dense?.steps ?? sparseSteps(target)) {
      cells = yield* step(at)
      if (version >= Since.metadata && random.below(3) === 0) yield* editMetadata(random, metadata, array, ++at)
      moments.push({ at, ...cells, metadata: byKey(metadata) })
      at += 1 + random.below(20)
    }
    rmSync(target.scratch, { recursive: true, force: true })
    const fragments = yield* describeOpenFragments(openedOf(yield* TileArray.reopen(array)))
    const expected: Meant = {
      key,
      sparse,
      version,
      schema: describeSchema(array.schema),
      enumerations: describeEnumerations(ArraySchema.enumerationsOf(schema, { enumerationFile: (name) => name })),
      fragments: describeFragments(array.schema, fragments),
      ranges: dense?.ranges ?? null,
      moments,
    }
    writeFileSync(join(folder, "meant.json"), JSON.stringify(expected))
    return true
  }).pipe(Effect.catchIf(
    (error) => error instanceof WriteError && error.detail.includes("filter"),
    () =>
      Effect.sync(() => {
        rmSync(folder, { recursive: true, force: true })
        return false
      }),
  ))

const main = async ([folder, seed, count, ...formats]: ReadonlyArray<string>): Promise<void> => {
  let made = 0
  let refused = 0
  // no crash is tested here, so files are not synced to disk
  const files = Layer.succeed(StorageService, makeLocalStorage({ durability: "cached" }))
  const runtime = ManagedRuntime.make(Layer.merge(layerDefault, files))
  const old = formats.length > 0
  for (let i = 0; made < Number(count); i++) {
    const name = `${seed}/${i}`
    // two of five arrays have an older format
    const turn = Math.floor(i / 5) * 2 + i % 5
    const version = old ? Number(formats[i % formats.length]) : i % 5 > 1 ? 22 : VERSIONS[turn % VERSIONS.length]
    const at = join(folder, String(i).padStart(5, "0"))
    rmSync(at, { recursive: true, force: true })
    try {
      if (await runtime.runPromise(makeOne(at, name, version, old))) made++
      else refused++
    } catch (error) {
      console.log(`FAILED to write ${name} (format ${version}): ${error}`)
      process.exitCode = 1
      made++
    }
  }
  await runtime.dispose()
  console.log(`${made} arrays made; ${refused} were refused by a filter`)
}

await main(process.argv.slice(2))

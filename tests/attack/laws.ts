/** Random writes of every kind, each with a function that reads its result (`tests/laws/crash_laws.ts`). */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ArraySchema, Attr, Csv, Dense, Dim, Filter, Group, Metadata, Sparse, TileArray } from "../../mod.ts"
import type { Random } from "../hostile/random.ts"
import type { CrashLaw, Program } from "../laws/crash_laws.ts"
import { transfers, writes } from "../laws/writes.ts"
import { between, chance } from "./input.ts"

/**
 * A write to test; `replaces`: whether it first removes the existing array, so that for some time only a mark exists.
 */
export interface RandomLaw extends CrashLaw {
  readonly name: string
  readonly replaces?: boolean
}

/** Since format 5, dimensions may have different types and their own filters. */
const FORMATS = [5, 6, 7, 8, 9, 11, 12, 15, 18, 20, 21, 22, 22, 22, 22]

const filtersOf = (random: Random) =>
  random.pick([[], [Filter.zstd()], [Filter.byteshuffle(), Filter.lz4()], [Filter.gzip()]])

/** Returns undefined if the array does not exist. */
const ifThere = (read: Program<unknown>): Program<unknown> =>
  Effect.catchAll(
    read,
    (error) =>
      (error as { readonly _tag?: string })._tag === "ArrayNotFound" ? Effect.succeed(undefined) : Effect.fail(error),
  )

/** Returns everything that readers can read of an array. */
const see = (uri: string): Program<unknown> =>
  Effect.gen(function* () {
    const array = yield* TileArray.open(uri)
    const { columns } = array.schema.arrayType === "sparse" ? yield* Sparse.read(array) : yield* Dense.read(array)
    const metadata = Object.fromEntries(Metadata.values(yield* TileArray.metadata(array)))
    return { columns, metadata, attributes: array.schema.attributes.map(({ name, type }) => `${name} ${type}`) }
  })

const sparseSchema = (random: Random) =>
  ArraySchema.sparse({
    dims: {
      x: Dim.int32([-1000, 100_000], { tile: random.pick([10, 1000]) }),
      y: Dim.float64([0, 1000], { tile: 50 }),
    },
    attrs: { n: Attr.int32({ filters: [...filtersOf(random)] }), s: Attr.utf8({ filters: [...filtersOf(random)] }) },
    capacity: random.pick([2, 5, 100]),
  })

const sparseCells = (from: number, length: number, shuffled = true) => ({
  x: Int32Array.from({ length }, (_, i) => from + (shuffled ? (i * 7) % length : i)),
  y: Float64Array.from({ length }, (_, i) => i % 900),
  n: Int32Array.from({ length }, (_, i) => from * i),
  s: Array.from({ length }, (_, i) => `${from} ${"s".repeat(i % 9)}`),
})

const denseSchema = (random: Random, size: number) =>
  ArraySchema.dense({
    dims: {
      x: Dim.int32([0, size - 1], { tile: between(random, 2, size) }),
      y: Dim.int32([0, size - 1], { tile: between(random, 2, size) }),
    },
    attrs: { a: Attr.float32({ filters: [...filtersOf(random)] }), t: Attr.utf8() },
  })

const denseCells = (seed: number, length: number) => ({
  a: Float32Array.from({ length }, (_, i) => seed + i),
  t: Array.from({ length }, (_, i) => `${seed}${"t".repeat(i % 5)}`),
})

const besideTarget = (
  uri: string,
): ReadonlyArray<string> => [`${uri}/notes.txt`, `${uri}/to.txt`, `${uri}/to-other/__commits/x`]
const inside = (uri: string): ReadonlyArray<string> => [
  `${uri}/notes.txt`,
  `${uri}/__fragments/readme.md`,
  `${uri}/__meta/mine`,
  `${uri}/__schema/not ours`,
]

type Maker = (random: Random) => RandomLaw

const writeSparse: Maker = (random) => {
  const schema = sparseSchema(random)
  const formatVersion = random.pick(FORMATS)
  const [first, then] = [between(random, 1, 20), between(random, 1, 60)]
  // arrays before format 12 support only writes of one fragment
  const how = formatVersion < 12 ? 0 : random.below(3)
  const maxFragmentSize = chance(random, 0.5) ? between(random, 50, 900) : undefined
  return {
    name: `sparse cells of format ${formatVersion}, ${["at once", "in global order", "sorted in little memory"][how]}`,
    prepare: (uri) =>
      Effect.flatMap(
        TileArray.create(uri, schema, { formatVersion }),
        (array) => Sparse.write(array, sparseCells(0, first)),
      ),
    act: (uri) =>
      Effect.flatMap(TileArray.open(uri, schema), (array) => {
        if (how === 0) return Sparse.write(array, sparseCells(200, then)) as Program<unknown>
        const batches = Stream.map(Stream.range(0, 3), (i) => sparseCells(1000 + i * 1000, then, false))
        const options = how === 1 ? { order: "global" as const, maxFragmentSize } : { memory: 2000 }
        return Stream.run(batches, Sparse.sink(array, options as never)) as Program<unknown>
      }),
    read: see,
    strangers: (uri) => formatVersion < 12 ? [`${uri}/notes.txt`] : inside(uri),
  }
}

const writeDense: Maker = (random) => {
  const size = between(random, 4, 12)
  const schema = denseSchema(random, size)
  const formatVersion = random.pick(FORMATS)
  const [x0, y0] = [random.below(size), random.below(size)]
  const [x1, y1] = [between(random, x0, size - 1), between(random, y0, size - 1)]
  const cells = (x1 - x0 + 1) * (y1 - y0 + 1)
  const inBatches = formatVersion >= 12 && chance(random, 0.5)
  return {
    name: `dense cells of format ${formatVersion}${inBatches ? " in batches" : ""}`,
    prepare: (uri) =>
      Effect.flatMap(
        TileArray.create(uri, schema, { formatVersion }),
        (array) => Dense.write(array, {}, denseCells(0, size * size)),
      ),
    act: (uri) =>
      Effect.flatMap(
        TileArray.open(uri, schema),
        (array): Program<unknown> =>
          inBatches
            ? Effect.scoped(Effect.gen(function* () {
              const writer = yield* Dense.writer(array, { x: [x0, x1], y: [y0, y1] })
              for (let i = x0; i <= x1; i++) yield* writer.write(denseCells(500 + i, y1 - y0 + 1))
              return yield* writer.commit
            }))
            : Dense.write(array, { x: [x0, x1], y: [y0, y1] }, denseCells(500, cells)),
      ),
    read: see,
    strangers: (uri) => formatVersion < 12 ? [`${uri}/notes.txt`] : inside(uri),
  }
}

const deleteCells: Maker = (random) => {
  const schema = sparseSchema(random)
  const limit = between(random, 0, 30)
  return {
    name: `a deletion of x <= ${limit}`,
    prepare: (uri) => Effect.flatMap(TileArray.create(uri, schema), (array) => Sparse.write(array, sparseCells(0, 40))),
    act: (uri) =>
      Effect.flatMap(TileArray.open(uri, schema), (array) => Sparse.delete(array, `x <= ${limit}`)) as Program<unknown>,
    read: see,
    strangers: inside,
  }
}

const putMetadata: Maker = (random) => {
  const schema = sparseSchema(random)
  const values = Object.fromEntries(
    Array.from(
      { length: between(random, 1, 6) },
      (_, i) => [`key ${i}`, random.pick<string | number>(["text", "", 5, 1.5])],
    ),
  )
  const removes = chance(random, 0.5)
  return {
    name: "metadata",
    prepare: (uri) => Effect.zipRight(TileArray.create(uri, schema), TileArray.putMetadata(uri, { old: 1 })),
    act: (uri) =>
      TileArray.editMetadata(
        uri,
        (metadata) =>
          Effect.zipRight(metadata.put({ ...values, fresh: "x" }), removes ? metadata.delete(["old"]) : Effect.void),
      ),
    read: see,
    strangers: inside,
  }
}

const evolve: Maker = (random) => {
  const schema = sparseSchema(random)
  const drops = chance(random, 0.5)
  const adds = !drops || chance(random, 0.5)
  return {
    name: `a schema that evolves${drops ? ", dropping" : ""}${adds ? ", adding" : ""}`,
    prepare: (uri) => Effect.flatMap(TileArray.create(uri, schema), (array) => Sparse.write(array, sparseCells(0, 9))),
    act: (uri) =>
      TileArray.evolve(uri, {
        ...(drops ? { dropAttributes: ["s"] } : {}),
        ...(adds ? { addAttributes: { late: Attr.int16() } } : {}),
      }),
    read: see,
    strangers: inside,
  }
}

const create: Maker = (random) => {
  const schema = chance(random, 0.5) ? sparseSchema(random) : denseSchema(random, 8)
  const formatVersion = random.pick(FORMATS)
  return {
    name: `a new array of format ${formatVersion}`,
    prepare: () => Effect.void,
    act: (uri) => TileArray.create(`${uri}/to`, schema, { formatVersion }),
    read: (uri) =>
      ifThere(
        Effect.map(TileArray.open(`${uri}/to`), ({ schema: { attributes } }) => attributes.map(({ name }) => name)),
      ),
    strangers: besideTarget,
  }
}

const changeGroup: Maker = (random) => {
  const count = between(random, 1, 5)
  const removes = chance(random, 0.5)
  return {
    name: `a group of ${count} more members`,
    prepare: (uri) =>
      Effect.zipRight(Group.create(uri), Group.add(uri, { uri: "old", relative: true, name: "old", type: "array" })),
    act: (uri) =>
      Group.change(uri, {
        add: Array.from({ length: count }, (_, i) => ({
          uri: `member-${i}`,
          relative: true,
          name: `m${i}`,
          type: "array" as const,
        })),
        ...(removes ? { remove: ["old"] } : {}),
      }),
    read: (uri) => Effect.map(Group.open(uri), (group) => Group.members(group).map(({ name }) => name)),
  }
}

const copy: Maker = (random) => {
  const isSparse = chance(random, 0.5)
  const overwrite = chance(random, 0.4)
  const schema = isSparse ? sparseSchema(random) : denseSchema(random, 8)
  const fill = (uri: string, seed: number): Program<unknown> =>
    Effect.flatMap(TileArray.create(uri, schema), (array): Program<unknown> =>
      isSparse
        ? Effect.zipRight(
          Sparse.write(array as never, sparseCells(seed, 30) as never),
          TileArray.putMetadata(array, { seed }),
        ) as Program<unknown>
        : Dense.write(array as never, {}, denseCells(seed, 64) as never) as Program<unknown>)
  const maxFragmentSize = chance(random, 0.5) ? between(random, 40, 900) : undefined
  return {
    name: `a copy of a ${isSparse ? "sparse" : "dense"} array${overwrite ? " over another" : ""}`,
    prepare: (uri) => Effect.zipRight(fill(`${uri}/from`, 100), overwrite ? fill(`${uri}/to`, 900) : Effect.void),
    act: (uri) =>
      TileArray.copy(`${uri}/from`, `${uri}/to`, {
        ...(overwrite ? { overwrite } : { resume: true }),
        ...(maxFragmentSize === undefined ? {} : { maxFragmentSize }),
      }),
    read: (uri) => ifThere(see(`${uri}/to`)),
    strangers: overwrite ? (uri) => [...besideTarget(uri), ...inside(`${uri}/to`)] : besideTarget,
    replaces: overwrite,
  }
}

const importCsv: Maker = (random) => {
  const rows = between(random, 1, 80)
  const isSparse = chance(random, 0.5)
  const overwrite = chance(random, 0.4)
  const text = `x,name\n${Array.from({ length: rows }, (_, i) => `${i},name ${i}`).join("\n")}\n`
  const formatVersion = random.pick(FORMATS)
  const memory = formatVersion < 12 ? 1e6 : random.pick([100, 200, 5000])
  const old = denseSchema(random, 4)
  return {
    name: `an import of ${rows} rows into a ${isSparse ? "sparse" : "dense"} array of format ${formatVersion}` +
      (overwrite ? " over another" : ""),
    prepare: (uri) =>
      overwrite
        ? Effect.flatMap(TileArray.create(`${uri}/to`, old), (array) => Dense.write(array, {}, denseCells(1, 16)))
        : Effect.void,
    act: (uri) =>
      Csv.create(`${uri}/to`, Stream.make(text), {
        ...(isSparse ? { arrayType: "sparse" as const, dims: ["x"] } : {}),
        memory,
        formatVersion,
        ...(overwrite ? { overwrite } : { resume: true }),
      }),
    read: (uri) => ifThere(see(`${uri}/to`)),
    strangers: overwrite
      ? (uri) => [...besideTarget(uri), `${uri}/to/notes.txt`, `${uri}/to/__meta/mine`]
      : besideTarget,
    replaces: overwrite,
  }
}

const lookup: Maker = (random) => {
  const [name, law] = random.pick(Object.entries({ ...writes, ...transfers }))
  return { ...law, name }
}

const makers: ReadonlyArray<Maker> = [
  writeSparse,
  writeSparse,
  writeDense,
  writeDense,
  deleteCells,
  putMetadata,
  evolve,
  create,
  changeGroup,
  copy,
  copy,
  importCsv,
  importCsv,
  lookup,
  lookup,
  lookup,
]

/** Returns a random write. */
export const randomLaw = (random: Random): RandomLaw => random.pick(makers)(random)

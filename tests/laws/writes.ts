/**
 * The writes that are tested with faults: small writes of every kind, since each is run once for every call that it
 * makes.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ArraySchema, Attr, Csv, Dense, Dim, Filter, Group, Metadata, Sparse, TileArray } from "../../mod.ts"
import type { CrashLaw } from "./crash_laws.ts"

const Weather = ArraySchema.dense({
  dims: { x: Dim.int32([1, 8], { tile: 4 }), y: Dim.int32([1, 8], { tile: 4 }) },
  attrs: {
    temp: Attr.float32({ filters: [Filter.zstd()] }),
    name: Attr.nullable(Attr.utf8()),
    kind: Attr.enumerated(Attr.uint8(), "kinds"),
  },
  enumerations: { kinds: ["rain", "snow"] },
})

const Quakes = ArraySchema.sparse({
  dims: { place: Dim.ascii(), at: Dim.float64([0, 100], { tile: 10 }) },
  attrs: { note: Attr.utf8() },
  capacity: 3,
})

const Points = ArraySchema.sparse({
  dims: { x: Dim.uint32([0, 9999], { tile: 100 }) },
  attrs: { n: Attr.uint8() },
  capacity: 4,
})

const Log = ArraySchema.dense({ dims: { second: Dim.uint32([0, 31], { tile: 4 }) }, attrs: { volts: Attr.float32() } })

const values = (from: number, length: number) => ({
  temp: Float32Array.from({ length }, (_, i) => from + i),
  name: Array.from({ length }, (_, i) => i % 3 === 0 ? null : `${from}:${i}`),
  kind: Uint8Array.from({ length }, (_, i) => i % 2),
})

const cells = (from: number, length: number) => ({
  place: Array.from({ length }, (_, i) => `p${(i * 5) % length}`),
  at: Float64Array.from({ length }, (_, i) => from + i),
  note: Array.from({ length }, (_, i) => "n".repeat(i)),
})

const metadata = (uri: string) =>
  Effect.map(
    Effect.flatMap(TileArray.open(uri), TileArray.metadata),
    (items) => Object.fromEntries(Metadata.values(items)),
  )

const dense = (uri: string) =>
  Effect.map(Effect.flatMap(TileArray.open(uri, Weather), (array) => Dense.read(array)), ({ columns }) => columns)

const sparse = (uri: string) =>
  Effect.map(Effect.flatMap(TileArray.open(uri, Quakes), (array) => Sparse.read(array)), ({ columns }) => columns)

/** Returns the schema of an array; undefined without an array. */
const schema = (uri: string) =>
  TileArray.open(uri).pipe(
    Effect.map((array) => ({ ...array.schema, enumerations: Object.keys(array.schema.enumerations) })),
    Effect.catchTag("ArrayNotFound", () => Effect.succeed(undefined)),
  )

/** Creates an array and writes all its cells: TileDB-Py cannot show the fill value of `kind`. */
const makeDense = (uri: string) =>
  Effect.flatMap(TileArray.create(uri, Weather), (array) => Dense.write(array, {}, values(100, 64)))

const writeSparse = (uri: string, from: number, length: number) =>
  Effect.flatMap(TileArray.open(uri, Quakes), (array) => Sparse.write(array, cells(from, length)))

const points = (uri: string) =>
  Effect.map(Effect.flatMap(TileArray.open(uri, Points), (array) => Sparse.read(array)), ({ columns }) => columns)

const pointsFrom = (from: number, length = 8) => ({
  x: Uint32Array.from({ length }, (_, i) => from + i),
  n: new Uint8Array(length).fill(from),
})

const log = (uri: string) =>
  Effect.map(Effect.flatMap(TileArray.open(uri, Log), (array) => Dense.read(array)), ({ columns }) => columns)

const makePoints = (uri: string) =>
  Effect.flatMap(TileArray.create(uri, Points), (array) => Sparse.write(array, pointsFrom(4)))

/** Returns the members and the metadata of a group; undefined without a group. */
const group = (uri: string) =>
  Effect.gen(function* () {
    const opened = yield* Group.open(uri)
    const members = Group.members(opened).map((member) => ({ ...member, uri: member.uri.split(uri).at(-1) }))
    return { members, metadata: Object.fromEntries(Metadata.values(yield* Group.metadata(opened))) }
  }).pipe(Effect.catchTag("ArrayNotFound", () => Effect.succeed(undefined)))

const makeGroup = (uri: string) =>
  Effect.gen(function* () {
    yield* Group.create(uri)
    yield* Group.create(`${uri}/one`)
    yield* TileArray.create(`${uri}/two`, Quakes)
    yield* Group.add(uri, { uri: "one", relative: true, name: "first" })
    yield* Group.putMetadata(uri, { title: "Some" })
  })

const Labelled = ArraySchema.dense({
  dims: { x: Dim.int32([1, 8], { tile: 4 }) },
  attrs: { n: Attr.uint8() },
  labels: { height: { dim: "x", type: "float64", order: "increasing" } },
})

/** Returns undefined if the array does not exist. */
const ifThere = <A, E extends { readonly _tag: string }, R>(read: Effect.Effect<A, E, R>) =>
  Effect.catchAll(read, (error) => error._tag === "ArrayNotFound" ? Effect.succeed(undefined) : Effect.fail(error))

/**
 * Returns paths of unrelated files next to the target: copies and imports reject a folder that contains other files.
 */
const besideTarget = (
  uri: string,
): ReadonlyArray<string> => [`${uri}/notes.txt`, `${uri}/to.txt`, `${uri}/to-other/__commits/x`]

const csv = `x,name\n${Array.from({ length: 30 }, (_, i) => `${i},name ${i}`).join("\n")}\n`

/** The laws of copies and imports, which create an array next to existing files. */
export const transfers: Readonly<Record<string, CrashLaw>> = {
  "a copy of sparse cells, in several fragments": {
    prepare: (uri) =>
      Effect.zipRight(
        makePoints(`${uri}/from`),
        Effect.flatMap(TileArray.open(`${uri}/from`, Points), (array) =>
          Effect.zipRight(
            Sparse.write(array, pointsFrom(300, 20)),
            TileArray.putMetadata(array, { title: "Points" }),
          )),
      ),
    act: (uri) => TileArray.copy(`${uri}/from`, `${uri}/to`, { resume: true, maxFragmentSize: 40 }),
    read: (uri) => ifThere(Effect.all([points(`${uri}/to`), metadata(`${uri}/to`)])),
    strangers: besideTarget,
  },
  "a copy of dense cells and their labels": {
    prepare: (uri) =>
      Effect.flatMap(
        TileArray.create(`${uri}/from`, Labelled),
        (array) =>
          Dense.write(array, { x: [1, 8] }, {
            n: new Uint8Array(8).fill(3),
            height: Float64Array.from({ length: 8 }, (_, i) => i),
          }),
      ),
    act: (uri) => TileArray.copy(`${uri}/from`, `${uri}/to`, { resume: true }),
    read: (uri) =>
      ifThere(
        Effect.flatMap(TileArray.open(`${uri}/to`), (array) =>
          Effect.map(Dense.read(array, { region: { height: [2, 5] } as never }), ({ columns }) => columns)),
      ),
    strangers: besideTarget,
  },
  "an import of sparse cells": {
    prepare: () => Effect.void,
    act: (uri) =>
      Csv.create(`${uri}/to`, Stream.make(csv), { arrayType: "sparse", dims: ["x"], memory: 200, resume: true }),
    read: (uri) =>
      ifThere(
        Effect.flatMap(
          TileArray.open(`${uri}/to`),
          (array) => Effect.map(Sparse.read(array), ({ columns }) => columns),
        ),
      ),
    strangers: besideTarget,
  },
  "an import of dense rows": {
    prepare: () => Effect.void,
    act: (uri) => Csv.create(`${uri}/to`, Stream.make(csv), { memory: 200, resume: true }),
    read: (uri) =>
      ifThere(
        Effect.flatMap(TileArray.open(`${uri}/to`), (array) => Effect.map(Dense.read(array), ({ columns }) => columns)),
      ),
    strangers: besideTarget,
  },
}

/** The laws by the names of their writes. */
export const writes: Readonly<Record<string, CrashLaw>> = {
  "metadata that is put": {
    prepare: (uri) =>
      Effect.zipRight(TileArray.create(uri, Quakes), TileArray.putMetadata(uri, { title: "Quakes", draft: 1 })),
    act: (uri) =>
      TileArray.editMetadata(
        uri,
        (metadata) =>
          Effect.zipRight(metadata.put({ title: "Quakes of today", unit: "km" }), metadata.delete(["draft"])),
      ),
    read: metadata,
  },
  "the first metadata": {
    prepare: (uri) => TileArray.create(uri, Quakes),
    act: (uri) => TileArray.putMetadata(uri, { title: "Quakes" }),
    read: metadata,
  },
  "a new array": {
    prepare: () => Effect.void,
    act: (uri) => TileArray.create(uri, Weather),
    read: schema,
  },
  "a new array of format 9": {
    prepare: () => Effect.void,
    act: (uri) => TileArray.create(uri, Quakes, { formatVersion: 9 }),
    read: schema,
  },
  "a schema that evolves": {
    prepare: makeDense,
    act: (uri) =>
      TileArray.evolve(uri, {
        addAttributes: { depth: Attr.int32() },
        dropAttributes: ["name"],
        extendEnumerations: { kinds: ["hail"] },
        addEnumerations: { colors: ["red"] },
      }),
    read: (uri) =>
      Effect.gen(function* () {
        const array = yield* TileArray.open(uri)
        const { columns } = yield* Dense.read(array)
        const enumerations = yield* TileArray.enumerations(array)
        // the names of enumeration files are random
        return { columns, enumerations: Object.values(enumerations).map((each) => ({ ...each, fileName: "" })) }
      }),
  },
  "a new group": { prepare: () => Effect.void, act: (uri) => Group.create(uri), read: group },
  "members of a group": {
    prepare: makeGroup,
    act: (uri) => Group.change(uri, { add: [{ uri: "two", relative: true, name: "second" }], remove: ["first"] }),
    read: group,
  },
  "metadata of a group": { prepare: makeGroup, act: (uri) => Group.putMetadata(uri, { title: "All" }), read: group },
  "dense cells, across tiles": {
    prepare: makeDense,
    act: (uri) =>
      Effect.flatMap(
        TileArray.open(uri, Weather),
        (array) => Dense.write(array, { x: [3, 6], y: [3, 6] }, values(200, 16)),
      ),
    read: dense,
  },
  "sparse cells": {
    prepare: (uri) => Effect.zipRight(TileArray.create(uri, Quakes), writeSparse(uri, 10, 4)),
    act: (uri) => writeSparse(uri, 12, 7),
    read: sparse,
  },
  "dense cells of format 3, whose commit is their metadata": {
    prepare: (uri) => TileArray.create(uri, Log, { formatVersion: 3 }),
    act: (uri) =>
      Effect.flatMap(
        TileArray.open(uri, Log),
        (array) => Dense.write(array, { second: [2, 21] }, { volts: new Float32Array(20).fill(5) }),
      ),
    read: log,
  },
  "the first sparse cells, of format 9": {
    prepare: (uri) => TileArray.create(uri, Points, { formatVersion: 9 }),
    act: (uri) => Effect.flatMap(TileArray.open(uri, Points), (array) => Sparse.write(array, pointsFrom(0))),
    read: points,
  },
  "sparse cells in batches, several fragments of them": {
    prepare: makePoints,
    act: (uri) =>
      Effect.flatMap(TileArray.open(uri, Points), (array) =>
        Stream.run(
          Stream.map(Stream.range(0, 2), (i) => pointsFrom(8 * i)),
          Sparse.sink(array, { order: "global", maxFragmentSize: 40 }),
        )),
    read: points,
  },
  "dense cells in batches": {
    prepare: (uri) => TileArray.create(uri, Log),
    act: (uri) =>
      Effect.flatMap(TileArray.open(uri, Log), (array) =>
        Effect.scoped(Effect.gen(function* () {
          const writer = yield* Dense.writer(array, { second: [2, 21] })
          for (let i = 0; i < 4; i++) yield* writer.write({ volts: new Float32Array(5).fill(i) })
          return yield* writer.commit
        }))),
    read: log,
  },
  "a deletion of sparse cells": {
    prepare: makePoints,
    act: (uri) => Effect.flatMap(TileArray.open(uri, Points), (array) => Sparse.delete(array, "x >= 8")),
    read: points,
  },
}

/**
 * Arrays and groups with forged files: random paths in all places where a file contains the path of another one, and
 * random bits in small files. No operation may call the storage outside of the array, and no file outside of it may
 * change.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ArraySchema, Attr, Dense, Dim, Group, Sparse, TileArray } from "../../mod.ts"
import { makeLocalStorage } from "../../platform/storage/local/local.ts"
import { makeMemoryStorage } from "../../platform/storage/memory.ts"
import { Storage } from "../../platform/storage/service.ts"
import { makeCounters, withCounters } from "../../platform/storage/middleware/counters.ts"
import { ArraySchema as SchemaCodec, type ArraySchema as Structure } from "../../schema/array/array_schema.ts"
import { encode } from "../../schema/binary/mod.ts"
import { ConsolidatedCommits } from "../../schema/commit/consolidated_commits.ts"
import { ConsolidatedFragmentMetadata, consolidateFooters } from "../../schema/commit/consolidated_fragment_metadata.ts"
import { UNFINISHED_FILE } from "../../src/array/open/unfinished.ts"
import { genericTile } from "../support/build_array.ts"
import { details, member } from "../group/group_files.ts"
import type { Random } from "../hostile/random.ts"
import type { Program } from "../laws/crash_laws.ts"
import { differences, type Snapshot, snapshotOf } from "./files.ts"
import { type Attack, between, chance, shortText } from "./input.ts"
import { judgeExit, runIn } from "./outcomes.ts"

const uuid = (n: number): string => n.toString(16).padStart(32, "0")
const text = (...lines: ReadonlyArray<string>): Uint8Array => new TextEncoder().encode(lines.join("\n") + "\n")

const Labelled = ArraySchema.dense({
  dims: { x: Dim.int32([0, 3], { tile: 4 }) },
  attrs: { a: Attr.enumerated(Attr.int32(), "e") },
  enumerations: { e: ["zero", "one"] },
  labels: { l: { dim: "x", type: "int64", order: "increasing" } },
})
const Points = ArraySchema.sparse({ dims: { x: Dim.int32([0, 99]) }, attrs: { a: Attr.int32() } })
const Plain = ArraySchema.dense({ dims: { x: Dim.int32([0, 3], { tile: 4 }) }, attrs: { a: Attr.int32() } })

/** Creates an array and a group, with unrelated files around them. */
const makeWorld = (root: string, isSparse: boolean): Program<unknown> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const array = `${root}/lab/array`
    if (isSparse) {
      const made = yield* TileArray.create(array, Points)
      yield* Sparse.write(made, { x: [1, 2, 3], a: [1, 2, 3] }, { at: 10 })
      yield* Sparse.delete(made, "a > 2", { at: 20 })
    } else {
      const made = yield* TileArray.create(array, Labelled)
      yield* Dense.write(made, {}, { a: Int32Array.of(0, 1, 0, 1), l: BigInt64Array.of(1n, 2n, 3n, 4n) }, { at: 10 })
      yield* Dense.write(made, {}, { a: Int32Array.of(1, 1, 1, 1) }, { at: 20 })
    }
    yield* TileArray.putMetadata(array, { title: "forged" })
    yield* Group.create(`${root}/lab/group`)
    for (const stranger of ["other", "lab/other", "lab/l0"]) yield* TileArray.create(`${root}/${stranger}`, Plain)
    for (const file of ["x.wrt", "lab/x.wrt", "secret", "lab/notes.txt"]) {
      yield* storage.write(`${root}/${file}`, text("secret"))
    }
  })

/**
 * Returns a forged path: parent folders, schemes, queries, absolute paths, percent escapes, control characters, long
 * names.
 */
export const forgedPath = (random: Random, root: string): string => {
  const bare = root.replace(/^mem:\/\//, "")
  const segments = [
    ..."..,..,..,.,,%2e%2e,%2E%2E,%2e.,..%2f..,..%5c..,x,other,lab,secret,__labels,l0,l1,array,__schema,__commits"
      .split(","),
    `__1_1_${uuid(7)}_22`,
    `__1_1_${uuid(7)}_22.wrt`,
    "x.wrt",
    "\0",
    "a\nb",
    "\x1b[31m",
    "\u2028",
    "\u202e",
    "é".repeat(between(random, 1, 300)),
    "n".repeat(between(random, 200, 5000)),
    "con:",
    "CON",
    "~",
    "$HOME",
    "..;",
    ". .",
    " ..",
    ".. ",
  ]
  const starts = [
    ..."|||||/|//|\\|\\\\server\\|C:\\|C:/|file:///|file://|FILE:/|http://evil/|https://me:pw@evil/|mem://|s3://b/|data:,|javascript:"
      .split("|"),
    `${root}/`,
    `file://${bare}/`,
    `${root}/lab/array/../`,
    "__labels/",
    "__labels/../",
    "__commits/",
  ]
  const path = Array.from({ length: between(random, 0, 6) }, () => random.pick(segments))
    .join(random.pick(["/", "/", "/", "\\", "//", "%2f", "/./"]))
  return random.pick(starts) + path +
    random.pick(["", "", "", "", "/", "?x", "#x", "?sig=1", "%00", "\0", "\\", ".wrt", ".del"])
}

/** Damages the files, and returns a description. */
type Forge = (random: Random, root: string, storage: Storage) => Program<string>

const namesIn = (storage: Storage, folder: string) =>
  Effect.map(storage.list(folder), (entries) => entries.filter(({ kind }) => kind === "file").map(({ name }) => name))

const forgeSchema =
  (change: (random: Random, path: string, schema: Structure) => Structure, label: string): Forge =>
  (random, root, storage) =>
    Effect.gen(function* () {
      const folder = `${root}/lab/array/__schema`
      const { schema } = yield* TileArray.open(`${root}/lab/array`)
      const [name] = yield* namesIn(storage, folder)
      const path = forgedPath(random, root)
      yield* storage.write(
        `${folder}/${name}`,
        genericTile(encode(SchemaCodec, change(random, path, schema), schema.version)),
      )
      return `${label} ${JSON.stringify(path.slice(0, 80))}`
    })

const labelUri = forgeSchema((random, uri, schema) => ({
  ...schema,
  dimensionLabels: schema.dimensionLabels.map((label) => ({
    ...label,
    uri,
    ...(chance(random, 0.3) ? { relative: false, external: chance(random, 0.5) } : {}),
  })),
}), "a label at")

const enumerationFile = forgeSchema((_, fileName, schema) => ({
  ...schema,
  enumerations: schema.enumerations.map((each) => ({ ...each, fileName })),
}), "an enumeration in")

const commitLines: Forge = (random, root, storage) =>
  Effect.gen(function* () {
    const [suffix, folder] = random.pick([
      [".con", "__commits"],
      [".ign", "__commits"],
      [".vac", "__commits"],
      [".vac", "__meta"],
    ])
    const lines = Array.from({ length: between(random, 1, 4) }, () => forgedPath(random, root))
    const name = folder === "__meta" ? `__1_2_${uuid(3)}` : `__10_20_${uuid(99)}_22`
    // a line break in a path splits it into two paths
    const entries = lines.flatMap((line) => line.split("\n"))
      .map((path) => ({ path, file: path.endsWith(".del") ? text("x") : null }))
    const bytes = suffix === ".con" ? encode(ConsolidatedCommits, entries, 22) : text(...lines)
    yield* storage.write(`${root}/lab/array/${folder}/${name}${suffix}`, bytes)
    return `${suffix} in ${folder} with ${JSON.stringify(lines).slice(0, 200)}`
  })

const footerNames: Forge = (random, root, storage) =>
  Effect.gen(function* () {
    const names = Array.from({ length: between(random, 1, 3) }, () => forgedPath(random, root))
    const footers = names.map((name) => ({ name, footer: new Uint8Array(between(random, 0, 300)) }))
    const file = `${root}/lab/array/__fragment_meta/__10_20_${uuid(5)}_22.meta`
    yield* storage.write(file, genericTile(encode(ConsolidatedFragmentMetadata, consolidateFooters(footers), 22)))
    return `consolidated footers of ${JSON.stringify(names).slice(0, 200)}`
  })

const schemaName: Forge = (random, root, storage) =>
  Effect.gen(function* () {
    const array = `${root}/lab/array`
    const [name] = yield* namesIn(storage, `${array}/__schema`)
    const entries = yield* storage.list(`${array}/__fragments`)
    const file = `${array}/__fragments/${random.pick(entries).name}/__fragment_metadata.tdb`
    const bytes = (yield* storage.read(file)).slice()
    const latin = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
    const at = latin.indexOf(name)
    const path = forgedPath(random, root).slice(0, name.length)
    for (let i = 0; i < path.length && at >= 0; i++) bytes[at + i] = path.charCodeAt(i)
    yield* storage.write(file, bytes)
    return `a fragment of the schema ${JSON.stringify(path)}`
  })

/** Flips bits of a small file of the array. */
const flipBits: Forge = (random, root, storage) =>
  Effect.gen(function* () {
    const array = `${root}/lab/array`
    const files: Array<string> = []
    const walk = (folder: string): Effect.Effect<void, unknown> =>
      Effect.gen(function* () {
        for (const { name, kind } of yield* storage.list(folder)) {
          if (kind === "folder") yield* walk(`${folder}/${name}`)
          else files.push(`${folder}/${name}`)
        }
      })
    yield* walk(array)
    const file = random.pick(files.sort((a, b) => shapeOf(a) < shapeOf(b) ? -1 : 1))
    const bytes = (yield* storage.read(file)).slice()
    const flips = between(random, 1, 5)
    for (let i = 0; i < flips && bytes.length > 0; i++) bytes[random.below(bytes.length)] ^= 1 << random.below(8)
    yield* storage.write(file, chance(random, 0.2) ? bytes.slice(0, random.below(bytes.length + 1)) : bytes)
    return `${flips} bits in ${file.slice(array.length + 1)}`
  })

/** Removes the random parts of a name, so that the choice depends on the seed only. */
const shapeOf = (file: string): string => file.replace(/[0-9a-f]{32}|\d{10,}/g, "")

const groupMembers: Forge = (random, root, storage) =>
  Effect.gen(function* () {
    const members = Array.from({ length: between(random, 1, 4) }, (_, i) =>
      member(forgedPath(random, root), {
        type: random.pick(["array", "group"] as const),
        relative: chance(random, 0.6),
        name: chance(random, 0.5) ? forgedPath(random, root) : `member ${i}`,
      }))
    yield* storage.write(`${root}/lab/group/__group/__1_1_${uuid(1)}_2`, details(2, members))
    return `members at ${JSON.stringify(members.map(({ uri }) => uri)).slice(0, 200)}`
  })

const unfinishedMark: Forge = (random, root, storage) =>
  Effect.gen(function* () {
    const path = () => forgedPath(random, root)
    const name = () => chance(random, 0.3) ? `__1_1_${uuid(8)}_22` : path()
    const mark = {
      format: "tessera-unfinished",
      version: 1,
      operation: random.pick(["copy", "import"]),
      source: path(),
      id: chance(random, 0.8) ? "0123456789abcdef".repeat(2) : path(),
      begun: random.pick([0, 1e300, -1, 5, 2 ** 53]),
      request: path(),
      replaces: chance(random, 0.5),
      schemaName: name(),
      checkpoint: {
        inputCells: 0,
        cells: 0,
        bytes: 0,
        fragments: [name(), name()],
        commit: chance(random, 0.5) ? name() : null,
      },
    }
    yield* storage.write(`${root}/lab/target/${UNFINISHED_FILE}`, text(JSON.stringify(mark)))
    return `a mark in the target: ${JSON.stringify(mark.checkpoint).slice(0, 200)}`
  })

const forges: ReadonlyArray<Forge> = [
  labelUri,
  enumerationFile,
  commitLines,
  commitLines,
  footerNames,
  schemaName,
  flipBits,
  flipBits,
  flipBits,
  groupMembers,
  groupMembers,
  unfinishedMark,
]

/** Returns all operations that follow the paths in an array. */
const programsOf = (root: string): Readonly<Record<string, Program<unknown>>> => {
  const [array, target, group] = ["array", "target", "group"].map((name) => `${root}/lab/${name}`)
  const opened = <A>(use: (array: TileArray.TileArray) => Program<A>) => Effect.flatMap(TileArray.open(array), use)
  return {
    enumerations: opened(TileArray.enumerations),
    fragments: opened(TileArray.fragments),
    metadata: opened(TileArray.metadata),
    read: opened((tileArray): Program<unknown> =>
      tileArray.schema.arrayType === "sparse" ? Sparse.read(tileArray as never) : Dense.read(tileArray)
    ),
    "read by a label": opened((tileArray) => Dense.read(tileArray, { region: { l: [1n, 2n] } as never })),
    write: opened((tileArray) => Dense.write(tileArray, {}, { a: Int32Array.of(1, 0, 1, 0) } as never)),
    "write cells": opened((tileArray) => Sparse.write(tileArray as never, { x: [7], a: [7] } as never)),
    "delete cells": opened((tileArray) => Sparse.delete(tileArray as never, "a > 100" as never)),
    "put metadata": TileArray.putMetadata(array, { more: 1 }),
    evolve: TileArray.evolve(array, { addAttributes: { late: Attr.int16() } }),
    resume: opened((tileArray) => TileArray.copy(tileArray, target, { resume: true })),
    copy: opened((tileArray) => TileArray.copy(tileArray, target)),
    overwrite: opened((tileArray) => TileArray.copy(tileArray, target, { overwrite: true })),
    "list a group": Group.ls(group),
    "open a group": Group.open(group),
    tree: Group.tree(group),
    walk: Stream.runDrain(Stream.take(Group.walk(group), 200)),
  }
}

const WRITES: ReadonlySet<string> = new Set([
  "write",
  "openWrite",
  "create",
  "createFolder",
  "remove",
  "removeFolder",
  "append",
])

/** Forges an array, and runs all operations on it. */
export const attackWithForgedFiles: Attack = async (random, _, folder) => {
  const isLocal = chance(random, 0.5)
  const files = new Map<string, Uint8Array>()
  const storage = isLocal ? makeLocalStorage({ durability: "cached" }) : makeMemoryStorage(files)
  const root = isLocal ? folder : "mem://root"
  const snapshot = (): Snapshot =>
    isLocal
      ? snapshotOf(folder)
      : new Map([...files].map(([path, bytes]) => [path.slice("root/".length), bytes.join()]))
  const isSparse = chance(random, 0.3)
  const set = await runIn(storage, makeWorld(root, isSparse), 60_000)
  if (set.exit?._tag !== "Success") throw new Error(`the world cannot be made: ${set.exit}`)

  const done: Array<string> = []
  for (let i = between(random, 1, 2); i > 0; i--) {
    const { exit } = await runIn(storage, random.pick(forges)(random, root, storage), 60_000)
    // a second forgery may fail because the schema is already unreadable
    if (exit?._tag === "Success") done.push(exit.value)
    else if (done.length === 0) throw new Error(`the forgery failed: ${exit}`)
  }
  const before = snapshot()
  const wrong: Array<string> = []
  for (const [name, program] of Object.entries(programsOf(root))) {
    const isOfGroup = name === "tree" || name === "walk" || name.endsWith(" group")
    const inside = ["array", "target"].map((each) => `${root}/lab/${each}`)
    const watched = withCounters(storage, makeCounters(), ({ operation, uri }) => {
      const isInside = inside.some((each) => uri === each || uri.startsWith(`${each}/`))
      const isPlain = !/(^|[/\\])\.\.?([/\\]|$)/.test(uri) && !/[?#]/.test(uri)
      // members of local groups may be anywhere, and are only read
      if (isOfGroup ? WRITES.has(operation) : !isInside || !isPlain) {
        wrong.push(`${name} calls ${operation} of ${uri.slice(0, 200)}`)
      }
    })
    wrong.push(...judgeExit(name, await runIn(watched, program, 20_000)))
  }
  const outside = (path: string): boolean => !/^lab($|\/(array|target)($|\/))/.test(path)
  wrong.push(...differences(before, snapshot(), outside).map((line) => `outside of the array: ${line}`))
  return {
    label: `${isSparse ? "sparse" : "dense"} array in ${isLocal ? "local files" : "memory"}, ${
      shortText(done.join("; "))
    }`,
    wrong,
  }
}

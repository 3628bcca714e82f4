/**
 * Writes random arrays and groups through tessera's public API, changes them at several times, and writes the expected
 * state at each time next to them (`meant.json`).
 *
 *     deno run -A tests/interop/changes/make.ts DIR SEED COUNT [again]
 *
 * With `again` it changes the existing arrays and groups once more, after the engine changed them.
 */
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { Attr, type Codecs, Dense, Group, layerDefault, Sparse, type StorageService, TileArray } from "../../../mod.ts"
import type { SchemaChanges } from "../../../src/array/evolve/evolve_schema.ts"
import { makeRandom, type Random } from "../../hostile/random.ts"
import { firstSchema, kinds, type MeantEntry, randomMetadata } from "./random_changes.ts"

type Run<A> = Effect.Effect<A, unknown, StorageService | Codecs>

/** Timestamps with as many digits as the current time; the engine's own timestamps are later. */
const START = 1_600_000_000_000
const KEY = "0123456789abcdeF0123456789abcdeF"

/** The expected state at a timestamp. */
interface Moment {
  readonly at: number
  readonly metadata: ReadonlyArray<MeantEntry>
  readonly attributes?: ReadonlyArray<string>
  readonly enumerations?: Readonly<Record<string, ReadonlyArray<string>>>
  readonly members?: ReadonlyArray<{ readonly uri: string; readonly type: string; readonly name: string | null }>
}

const sorted = (metadata: ReadonlyMap<string, MeantEntry>): ReadonlyArray<MeantEntry> =>
  [...metadata.values()].sort((a, b) => a.key < b.key ? -1 : 1)

/** Changes metadata at random, and updates the expected metadata. */
const changeMetadata = (
  random: Random,
  expected: Map<string, MeantEntry>,
  edit: TileArray.MetadataEdit,
): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    for (let i = 1 + random.below(4); i > 0; i--) {
      const key = random.pick(["a", "b", "ö", "k k", ""])
      for (const name of [key, `__np_flat_${key}`, `__np_shape_${key}`]) expected.delete(name)
      if (random.below(4) === 0) yield* edit.delete([key])
      else {
        const { input, entries } = randomMetadata(random, key)
        yield* edit.put({ [key]: input })
        for (const entry of entries) expected.set(entry.key, entry)
      }
    }
  })

/** Returns a random change of a schema, and updates the expected names. */
const changeSchema = (
  random: Random,
  attributes: Array<string>,
  dropped: Set<string>,
  enumerations: Record<string, ReadonlyArray<string>>,
  number: number,
): SchemaChanges => {
  // when a dropped name is added again, the engine returns overwritten cells
  const free = Object.keys(kinds).filter((name) => !attributes.includes(name) && !dropped.has(name))
  switch (random.below(free.length === 0 ? 4 : 5)) {
    case 0: {
      const codes = `codes${number}`
      attributes.push(codes)
      enumerations[codes] = ["one", "two"]
      return {
        addEnumerations: { [codes]: ["one", "two"] },
        addAttributes: { [codes]: Attr.enumerated(Attr.int16(), codes) },
      }
    }
    case 1: {
      const names = Object.keys(enumerations)
      if (names.length === 0) return {}
      const name = random.pick(names)
      enumerations[name] = [...enumerations[name], `more ${number}`, ...(enumerations[name].includes("") ? [] : [""])]
      return { extendEnumerations: { [name]: enumerations[name].slice(enumerations[name].indexOf(`more ${number}`)) } }
    }
    case 2: {
      // `whole` is never dropped, so a schema always has an attribute
      const names = attributes.filter((name) => name !== "whole")
      if (names.length === 0) return {}
      const name = random.pick(names)
      attributes.splice(attributes.indexOf(name), 1)
      dropped.add(name)
      const codes = name === "size" ? "sizes" : name
      const isEnumerated = Object.hasOwn(enumerations, codes)
      if (isEnumerated) delete enumerations[codes]
      return { dropAttributes: [name], ...(isEnumerated ? { dropEnumerations: [codes] } : {}) }
    }
    default: {
      const names = free.length === 0 ? [] : [random.pick(free)]
      attributes.push(...names)
      return { addAttributes: Object.fromEntries(names.map((name) => [name, kinds[name].make()])) }
    }
  }
}

const cellsOf = (random: Random, name: string, codes: number, count: number): ReadonlyArray<unknown> =>
  Array.from({ length: count }, () => kinds[name] === undefined ? random.below(codes) : kinds[name].cell(random))

const writeCells = (
  random: Random,
  array: TileArray.TileArray,
  enumerations: Record<string, ReadonlyArray<string>>,
  at: number,
): Run<unknown> => {
  const columns = (count: number): Record<string, never> =>
    Object.fromEntries(
      array.schema.attributes.map(({ name, enumeration }) => {
        const codes = enumerations[enumeration]?.length ?? 0
        return [name, cellsOf(random, name, codes, count)]
      }),
    ) as never
  if (array.schema.arrayType === "sparse") {
    const x = Array.from({ length: 1 + random.below(12) }, () => random.below(100)).filter((v, i, all) =>
      all.indexOf(v) === i
    )
    return Sparse.write(array, { x, name: x.map((v) => `n${v % 7}`), ...columns(x.length) }, { at })
  }
  const [y, x] = [[1, 8], [1, 6]].map(([low, high]) => {
    const from = low + random.below(high - low + 1)
    return [from, from + random.below(high - from + 1)] as const
  })
  return Dense.write(array, { y, x }, columns((y[1] - y[0] + 1) * (x[1] - x[0] + 1)), { at })
}

const makeArray = (random: Random, uri: string, key: Uint8Array | undefined): Run<ReadonlyArray<Moment>> =>
  Effect.gen(function* () {
    const formatVersion = random.pick([22, 22, 22, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 21])
    const schema = firstSchema(random, formatVersion)
    const options = { key, formatVersion, at: START }
    yield* TileArray.create(uri, schema, options)
    const attributes = [...schema.attributeNames]
    const dropped = new Set<string>()
    const enumerations: Record<string, ReadonlyArray<string>> = formatVersion >= 20 ? { sizes: ["small", "large"] } : {}
    const metadata = new Map<string, MeantEntry>()
    const moments: Array<Moment> = []
    for (let step = 1; step <= 8; step++) {
      const at = START + 10 * step
      const array = yield* TileArray.open(uri, { key })
      const kind = step === 1 ? 0 : random.below(4)
      if (kind < 2) yield* writeCells(random, array, enumerations, at)
      else if (kind === 2) {
        yield* TileArray.editMetadata(array, (edit) => changeMetadata(random, metadata, edit), { at })
      } // engines do not open arrays of older formats whose number of attributes changed
      else if (formatVersion < 10) {
        yield* TileArray.evolve(array, { addEnumerations: { [`unused${step}`]: [step] } }, { at })
      } else yield* TileArray.evolve(array, changeSchema(random, attributes, dropped, enumerations, step), { at })
      moments.push({ at, metadata: sorted(metadata), attributes: [...attributes], enumerations: { ...enumerations } })
    }
    return moments
  })

const makeGroup = (random: Random, uri: string, key: Uint8Array | undefined): Run<ReadonlyArray<Moment>> =>
  Effect.gen(function* () {
    yield* Group.create(uri)
    yield* Group.create(join(uri, "inner"))
    const candidates = [
      { uri: "inner", type: "group" },
      { uri: "../a", type: "array" },
      { uri: "../b", type: "array" },
    ]
    const members = new Map<string, { readonly uri: string; readonly type: string; readonly name: string | null }>()
    const metadata = new Map<string, MeantEntry>()
    const moments: Array<Moment> = []
    for (let step = 1; step <= 6; step++) {
      const at = START + 10 * step
      const kind = random.below(3)
      const keys = [...members.keys()]
      if (kind === 0) yield* Group.editMetadata(uri, (edit) => changeMetadata(random, metadata, edit), { at, key })
      else {
        const remove = kind === 2 && keys.length > 0 ? [random.pick(keys)] : []
        const member = random.pick(candidates)
        const relative = random.below(2) === 0
        const name = random.pick([`m${step}`, "same"])
        const add = remove.includes(name)
          ? []
          : [{ uri: relative ? member.uri : join(uri, member.uri), relative, name }]
        yield* Group.change(uri, { add, remove }, { at, key })
        for (const removed of remove) members.delete(removed)
        for (const { name } of add) members.set(name, { ...member, name })
      }
      const list = [...members.values()].sort((a, b) =>
        a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : a.name! < b.name! ? -1 : 1
      )
      moments.push({ at, metadata: sorted(metadata), members: list })
    }
    return moments
  })

/** Changes every array and group once more, after the engine changed them. */
const changeAgain = (random: Random, path: string, key: Uint8Array | undefined): Run<void> =>
  Effect.gen(function* () {
    for (const name of ["a", "b"]) {
      const uri = join(path, name)
      const enumerations = yield* Effect.flatMap(TileArray.open(uri, { key }), TileArray.enumerations)
      const codes = Object.fromEntries(enumerations.map((e) => [e.name, Array(e.offsets?.length ?? 1).fill("")]))
      yield* TileArray.evolve(uri, {
        ...("engine codes" in codes ? { extendEnumerations: { "engine codes": ["and we"] } } : {}),
        addEnumerations: { again: [random.below(9)] },
      }, { key })
      yield* TileArray.putMetadata(uri, { engine: "no more", again: [1.5] }, { key })
      yield* writeCells(random, yield* TileArray.open(uri, { key }), codes, Date.now())
    }
    const g = join(path, "g")
    yield* Group.change(g, { remove: ["by the engine"], add: [{ uri: "../a", relative: true, name: "by us" }] }, {
      key,
    })
    yield* Group.putMetadata(g, { again: true }, { key })
  })

const [folder, seed, count, again] = process.argv.slice(2)
for (let i = 0; i < Number(count); i++) {
  const random = makeRandom(`${seed} ${i} ${again ?? ""}`)
  const path = join(folder, `case${i}`)
  if (again !== undefined) {
    const { key } = JSON.parse(readFileSync(join(path, "meant.json"), "utf8"))
    const bytes = key === null ? undefined : new TextEncoder().encode(key)
    await Effect.runPromise(Effect.provide(changeAgain(random, path, bytes), layerDefault))
    continue
  }
  mkdirSync(path, { recursive: true })
  const key = random.below(4) === 0 ? KEY : null
  const bytes = key === null ? undefined : new TextEncoder().encode(key)
  const making = Effect.gen(function* () {
    const a = yield* makeArray(random, join(path, "a"), bytes)
    const b = yield* makeArray(random, join(path, "b"), bytes)
    const g = yield* makeGroup(random, join(path, "g"), bytes)
    return { key, arrays: { a, b }, groups: { g } }
  })
  const expected = await Effect.runPromise(Effect.provide(making, layerDefault))
  writeFileSync(join(path, "meant.json"), JSON.stringify(expected))
}

/** Changes of the schemas of arrays. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ArraySchema, Attr, Cells, Dense, Dim, Filter, layerNative, SchemaError, TileArray } from "../../../mod.ts"
import { layerMemory } from "../../../platform/storage/memory.ts"
import { Storage } from "../../../platform/storage/service.ts"
import type { SchemaChanges } from "../../../src/array/evolve/evolve_schema.ts"
import { arraySchema, attribute, buildArray, countingTile, dimension, rangesOf } from "../../support/build_array.ts"
import { makeArray, onEachStorage } from "../../support/change_array.ts"

const key = Uint8Array.from({ length: 32 }, (_, i) => i)

const Colors = ArraySchema.dense({
  dims: { x: Dim.int32([1, 10], { tile: 5 }) },
  attrs: { a: Attr.int32(), color: Attr.enumerated(Attr.uint8(), "colors") },
  enumerations: { colors: ["red", "green"], unused: [1.5, 2.5] },
})

const Limited = ArraySchema.sparse({
  dims: { x: Dim.int32([0, 99], { tile: 10 }), name: Dim.ascii(), y: Dim.float64([0, 1]) },
  attrs: { a: Attr.int32() },
  currentDomain: { x: [10, 20], name: ["b", "d"], y: [0.25, 0.5] },
})

const attributesAt = (uri: string, at?: number) =>
  Effect.map(TileArray.open(uri, { at }), ({ schema }) => schema.attributes.map((a) => a.name))

const valuesOf = (uri: string, at?: number) =>
  Effect.map(
    Effect.flatMap(TileArray.open(uri, { at }), TileArray.enumerations),
    (all) => Object.fromEntries(all.map((e) => [e.name, Cells.columnJson(Cells.enumerationColumn(e))])),
  )

const whyNot = (uri: string, changes: SchemaChanges, options = {}) =>
  Effect.map(Effect.flip(TileArray.evolve(uri, changes, options)), (error) => {
    assert(error instanceof SchemaError || error._tag === "InvalidOption", String(error))
    return error.message
  })

const schemaNames = (uri: string) =>
  Effect.flatMap(
    Storage,
    (storage) =>
      Effect.map(storage.list(`${uri}/__schema`), (all) => all.filter((e) => e.kind === "file").map((e) => e.name)),
  )

describe("evolve", () => {
  onEachStorage("adds and drops attributes, at a timestamp", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Colors, { at: 1 })
      yield* TileArray.evolve(uri, {
        addAttributes: {
          note: Attr.nullable(Attr.utf8({ filters: [Filter.zstd()] })),
          b: Attr.fill(Attr.float64(), -1),
        },
        dropAttributes: ["color"],
      }, { at: 5 })
      yield* TileArray.evolve(yield* TileArray.open(uri, { at: 3 }), { dropAttributes: ["a"] }, { at: new Date(7) })
      assertEquals(yield* attributesAt(uri, 4), ["a", "color"])
      assertEquals(yield* attributesAt(uri, 5), ["a", "note", "b"])
      assertEquals(yield* attributesAt(uri), ["note", "b"])
      const { schema } = yield* TileArray.open(uri)
      assertEquals(schema.attributes[0].filters.filters, [{ type: "zstd", level: -1 }])
      assertEquals(schema.enumerations.map((e) => e.name), ["colors", "unused"])
    }))

  onEachStorage("adds, extends and drops enumerations", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Colors, { at: 1 })
      yield* TileArray.evolve(uri, { extendEnumerations: { colors: ["", "blue"] } }, { at: 5 })
      yield* TileArray.evolve(uri, {
        addEnumerations: { sizes: { values: Int32Array.of(3, 1), ordered: true } },
        addAttributes: { size: Attr.enumerated(Attr.int16(), "sizes"), tint: Attr.enumerated(Attr.int8(), "colors") },
        extendEnumerations: { unused: [0.5] },
      }, { at: 6 })
      yield* TileArray.evolve(uri, { dropAttributes: ["color", "tint"], dropEnumerations: ["colors"] }, { at: 7 })
      assertEquals(yield* valuesOf(uri, 4), { colors: ["red", "green"], unused: [1.5, 2.5] })
      assertEquals(yield* valuesOf(uri, 5), { colors: ["red", "green", "", "blue"], unused: [1.5, 2.5] })
      const later = { unused: [1.5, 2.5, 0.5], sizes: [3, 1] }
      assertEquals(yield* valuesOf(uri, 6), { colors: ["red", "green", "", "blue"], ...later })
      assertEquals(yield* valuesOf(uri), later)
      assertEquals(yield* attributesAt(uri), ["a", "size"])
      const [, sizes] = yield* Effect.flatMap(TileArray.open(uri), TileArray.enumerations)
      assertEquals([sizes.type, sizes.ordered], ["int32", true])
    }))

  onEachStorage("grows the current domain", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Limited)
      yield* TileArray.evolve(uri, { currentDomain: { x: [5, 20], name: ["a", "dd"] } })
      const { schema } = yield* TileArray.open(uri)
      const value = ArraySchema.fromStructure(schema)
      const want = ArraySchema.sparse({
        dims: Limited.dims,
        attrs: Limited.attrs,
        currentDomain: { x: [5, 20], name: ["a", "dd"], y: [0.25, 0.5] },
      })
      assertEquals(value.currentDomain, want.currentDomain)
      for (
        const [name, range] of [
          ["x", [6, 20]],
          ["x", [5, 19]],
          ["name", ["a", "d"]],
          ["name", ["aa", "e"]],
          ["y", [0.3, 1]],
        ] as const
      ) {
        const why = yield* whyNot(uri, { currentDomain: { [name]: range } as never })
        assertStringIncludes(why, `${name}: the current domain can only grow`)
      }
      assertStringIncludes(
        yield* whyNot(uri, { currentDomain: { x: [5, 100] } }),
        "x: the current domain [5, 100] exceeds",
      )
      assertStringIncludes(
        yield* whyNot(uri, { currentDomain: { z: [5, 10] } }),
        'z: the current domain names an unknown dimension; the schema has "x", "name", "y"',
      )
      yield* makeArray(`${root}/b`, Colors)
      yield* TileArray.evolve(`${root}/b`, { currentDomain: { x: [2, 3] } })
      const b = ArraySchema.fromStructure((yield* TileArray.open(`${root}/b`)).schema)
      assertEquals(
        b.currentDomain,
        ArraySchema.dense({ dims: Colors.dims, attrs: { a: Attr.int8() }, currentDomain: { x: [2, 3] } }).currentDomain,
      )
    }))

  onEachStorage("rejects invalid changes, and leaves the array unchanged", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Colors)
      for (
        const [changes, why] of [
          [{ addAttributes: { a: Attr.int8() } }, "a: the attribute exists already"],
          [{ addAttributes: { a: Attr.int8() }, dropAttributes: ["a"] }, "a: it is dropped and added"],
          [{ addAttributes: { x: Attr.int8() } }, "x: an attribute and a dimension may not have the same name"],
          [{ addAttributes: { __b: Attr.int8() } }, "__b: names that start with __"],
          [
            { addAttributes: { b: Attr.float32({ filters: [Filter.delta()] }) } },
            "b: filter 0, delta, does not support float32",
          ],
          [{ addAttributes: { b: Attr.fill(Attr.int8(), 300) } }, "b: fill value: 300 does not fit"],
          [{ addAttributes: { b: Attr.enumerated(Attr.int8(), "sizes") } }, 'b: unknown enumeration "sizes"'],
          [
            { addAttributes: { b: Attr.enumerated(Attr.float64(), "colors") } },
            "b: codes of an enumeration are integers",
          ],
          [{ dropAttributes: ["x"] }, 'x: there is no such attribute to drop; the schema has "a", "color"'],
          [{ dropAttributes: ["a", "a"] }, "a: it is dropped twice"],
          [{ dropAttributes: ["a", "color"] }, "a dense array has at least one attribute"],
          [{ addEnumerations: { colors: ["x"] } }, "enumeration colors: the enumeration exists already"],
          [{ addEnumerations: { sizes: ["x", "x"] } }, 'enumeration sizes: duplicate value "x"'],
          [{ addEnumerations: { "": ["x"] } }, "an enumeration needs a name"],
          [{ extendEnumerations: { colors: ["green"] } }, 'enumeration colors: duplicate value "green"'],
          [{ extendEnumerations: { colors: [1] } }, "enumeration colors: 1 is not a text"],
          [{ extendEnumerations: { colors: [] } }, "enumeration colors: no values to add"],
          [{ extendEnumerations: { sizes: ["x"] } }, "enumeration sizes: the enumeration does not exist"],
          [
            { extendEnumerations: { colors: Array.from({ length: 300 }, (_, i) => `${i}`) } },
            "color: uint8 is too narrow",
          ],
          [{ dropEnumerations: ["colors"] }, 'enumeration colors: the attribute "color" has it'],
          [{ dropEnumerations: ["sizes"] }, "enumeration sizes: there is no such enumeration to drop"],
          [{ dropEnumerations: ["unused"], extendEnumerations: { unused: [9] } }, "it is extended and dropped"],
        ] as ReadonlyArray<readonly [SchemaChanges, string]>
      ) assertStringIncludes(yield* whyNot(uri, changes), why)
      for (
        const [changes, why] of [
          [{ addAttribute: { b: Attr.int8() } }, "addAttribute: unknown option; valid options: addAttributes, "],
          [{ dropAttributes: "a" }, "dropAttributes: give a list of names"],
          [null, "this is null"],
        ] as ReadonlyArray<readonly [unknown, string]>
      ) {
        const error = yield* Effect.flip(TileArray.evolve(uri, changes as never))
        assertStringIncludes(`${error._tag} ${error.message}`, `InvalidOption ${uri}: `)
        assertStringIncludes(error.message, why)
      }
      assertEquals((yield* schemaNames(uri)).length, 1)
      yield* TileArray.evolve(uri, {})
      yield* TileArray.evolve(uri, { addAttributes: {}, dropAttributes: [] })
      assertEquals((yield* schemaNames(uri)).length, 1)
      assertEquals(
        (yield* Effect.flip(TileArray.evolve(`${root}/none`, { dropAttributes: ["a"] })))._tag,
        "ArrayNotFound",
      )
    }))

  onEachStorage("writes the newest schema, or is rejected", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Colors, { at: 50 })
      // several changes at the same timestamp
      for (const name of ["b", "c", "d"]) {
        yield* TileArray.evolve(uri, { addAttributes: { [name]: Attr.int8() } }, { at: 50 })
        assertEquals((yield* attributesAt(uri)).at(-1), name)
      }
      const add = { addAttributes: { e: Attr.int8() } }
      assertStringIncludes(
        yield* whyNot(uri, add, { at: 49 }),
        "the newest schema has the time 50 and would hide one of time 49",
      )
      assertStringIncludes(yield* whyNot(uri, add, { at: 400 }), "sorts before the newest one, of time 50")
      yield* TileArray.evolve(uri, add, { at: 60 })
      // after a name of an engine with high random digits
      const storage = yield* Storage
      const [newest] = (yield* schemaNames(uri)).slice(-1)
      const bytes = yield* storage.read(`${uri}/__schema/${newest}`)
      yield* storage.write(`${uri}/__schema/__60_60_${"f".repeat(15)}e${"0".repeat(16)}`, bytes)
      yield* TileArray.evolve(uri, { addAttributes: { f: Attr.int8() } }, { at: 60 })
      assertEquals((yield* attributesAt(uri)).slice(-2), ["e", "f"])
    }))

  onEachStorage("adds a dropped attribute again with the same type only", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Colors)
      yield* TileArray.evolve(uri, { dropAttributes: ["a"], addAttributes: { n: Attr.nullable(Attr.int8()) } })
      yield* TileArray.evolve(uri, { dropAttributes: ["n"] })
      for (
        const [name, attribute] of [
          ["a", Attr.uint32()],
          ["a", Attr.nullable(Attr.int32())],
          ["a", Attr.varSized(Attr.int32())],
          ["a", Attr.int32({ filters: [Filter.zstd()] })],
          ["n", Attr.int8()],
        ] as const
      ) {
        const why = yield* whyNot(uri, { addAttributes: { [name]: attribute } })
        assertStringIncludes(why, `${name}: the array had another attribute of this name`)
      }
      yield* TileArray.evolve(uri, { addAttributes: { a: Attr.fill(Attr.int32(), 1), n: Attr.nullable(Attr.int8()) } })
      assertEquals(yield* attributesAt(uri), ["color", "a", "n"])
    }))

  onEachStorage("keeps encrypted arrays encrypted", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, Colors, { key: Redacted.make(key) })
      const changes = { extendEnumerations: { colors: ["blue"] }, addAttributes: { b: Attr.int8() } }
      assertEquals((yield* Effect.flip(TileArray.evolve(uri, changes)))._tag, "DecryptionFailed")
      yield* TileArray.evolve(yield* TileArray.open(uri, { key }), changes)
      const array = yield* TileArray.open(uri, { key })
      assertEquals(array.schema.attributes.length, 3)
      const [colors] = yield* TileArray.enumerations(array, ["colors"])
      assertEquals(Cells.columnJson(Cells.enumerationColumn(colors)), ["red", "green", "blue"])
    }))

  onEachStorage(
    "writes format version 22, or the requested version if it supports the change",
    (root) =>
      Effect.gen(function* () {
        const plain = ArraySchema.dense({ dims: { x: Dim.int32([1, 10]) }, attrs: { a: Attr.int32() } })
        const versions = (uri: string) =>
          Effect.map(TileArray.open(uri), ({ schema, schemaName }) => [schema.version, schemaName.slice(0, 7)])
        for (const version of [3, 7, 9, 10, 16]) {
          const uri = `${root}/v${version}`
          yield* makeArray(uri, plain, { version, at: 10 })
          yield* TileArray.evolve(uri, { addAttributes: { b: Attr.nullable(Attr.int8()) } }, { at: 20 })
          assertEquals(yield* versions(uri), [22, "__20_20"])
          assertEquals(yield* attributesAt(uri), ["a", "b"])
          assertEquals(yield* attributesAt(uri, 19), ["a"])
        }
        const uri = `${root}/kept`
        yield* makeArray(uri, plain, { version: 16 })
        const options = { formatVersion: 16 }
        yield* TileArray.evolve(uri, { addAttributes: { b: Attr.int8() } }, options)
        assertEquals((yield* TileArray.open(uri)).schema.version, 16)
        for (
          const [changes, why] of [
            [{ addEnumerations: { e: ["a"] } }, "format version 20"],
            [{ currentDomain: { x: [1, 5] } }, "format version 22"],
            [{ addAttributes: { c: Attr.int8({ filters: [Filter.delta()] }) } }, "format version 19"],
          ] as ReadonlyArray<readonly [SchemaChanges, string]>
        ) assertStringIncludes(yield* whyNot(uri, changes, options), why)
        for (const formatVersion of [15, 9, 24, 16.5]) {
          assertStringIncludes(yield* whyNot(uri, { dropAttributes: ["b"] }, { formatVersion }), "formatVersion: ")
        }
        yield* TileArray.upgrade(uri, { formatVersion: 16 })
        assertEquals((yield* TileArray.open(uri)).schema.version, 16)
        yield* TileArray.upgrade(uri)
        yield* TileArray.upgrade(uri)
        assertEquals((yield* TileArray.open(uri)).schema.version, 22)
        assertEquals((yield* schemaNames(uri)).length, 3)
      }),
  )

  onEachStorage(
    "keeps the number of attributes if there are fragments of formats before 10",
    (root) =>
      Effect.gen(function* () {
        const plain = ArraySchema.dense({
          dims: { x: Dim.int32([1, 10]) },
          attrs: { a: Attr.int32(), b: Attr.int32() },
        })
        for (const version of [3, 7, 9]) {
          const uri = `${root}/v${version}`
          yield* TileArray.create(uri, plain, { formatVersion: version, at: 1 })
          const values = Int32Array.from({ length: 10 }, (_, i) => i)
          yield* Dense.write(yield* TileArray.open(uri), {}, { a: values, b: values }, { at: 2 })
          const add = { addAttributes: { c: Attr.int8() } }
          const why = `the array has fragments of format version ${version}, and with another number of attributes`
          assertStringIncludes(yield* whyNot(uri, add, { at: 3 }), `addAttributes: ${why}`)
          assertStringIncludes(yield* whyNot(uri, { dropAttributes: ["a"] }, { at: 3 }), `dropAttributes: ${why}`)
          yield* TileArray.evolve(uri, { addEnumerations: { e: ["x"] } }, { at: 4 })
          assertStringIncludes(yield* whyNot(uri, add, { at: 5 }), why)
          yield* TileArray.evolve(uri, { ...add, dropAttributes: ["a"] }, { at: 6 })
          const { columns } = yield* Dense.read(yield* TileArray.open(uri))
          assertEquals(columns.b.values, values)
          assertEquals(columns.c.values, new Int8Array(10).fill(-128))
        }
      }),
  )

  it("returns fill values for cells of older fragments", async () => {
    const dimensions = [dimension("x", "int32", 1, 4, 2)]
    const schema = arraySchema({
      arrayType: "dense",
      dimensions,
      attributes: [attribute("a", "int32"), attribute("b", "int32")],
    })
    const files = buildArray("a", schema, [{
      time: 10,
      domain: rangesOf(dimensions, [[1, 4]]),
      tileCount: 2,
      fields: {
        a: { fixed: [countingTile("int32", 2), countingTile("int32", 2, 2)] },
        b: { fixed: [countingTile("int32", 2, 10), countingTile("int32", 2, 12)] },
      },
    }])
    const program = Effect.gen(function* () {
      const storage = yield* Storage
      for (const [name, bytes] of files) yield* storage.write(name, bytes)
      const added = { c: Attr.fill(Attr.int16(), -7), n: Attr.nullable(Attr.float32()), t: Attr.ascii() }
      yield* TileArray.evolve("a", { dropAttributes: ["a"], addAttributes: added }, { at: 20 })
      const after = yield* Effect.flatMap(TileArray.open("a"), (array) => Dense.read(array))
      const before = yield* Effect.flatMap(TileArray.open("a", { at: 15 }), (array) => Dense.read(array))
      return [after, before].map(({ columns }) =>
        Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, Cells.columnJson(column)]))
      )
    })
    const [after, before] = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
    assertEquals(before, { a: [0, 1, 2, 3], b: [10, 11, 12, 13] })
    assertEquals(after, {
      b: [10, 11, 12, 13],
      c: [-7, -7, -7, -7],
      n: [null, null, null, null],
      t: ["\0", "\0", "\0", "\0"].map(() => ({ hex: "00" })),
    })
  })
})

/** Writing and deleting metadata of arrays. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertStringIncludes } from "@std/assert"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import { ArraySchema, Attr, Dim, Metadata, TileArray } from "../../../mod.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { arrayOf, datatypes, sizeOf } from "../../../schema/array/datatype.ts"
import { WriteError } from "../../../src/array/open/errors.ts"
import { checkTyped, typedValue } from "../../../src/array/metadata/metadata_input.ts"
import { makeArray, onEachStorage } from "../../support/change_array.ts"

const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
const key = Uint8Array.from({ length: 32 }, (_, i) => i)

const valuesAt = (uri: string, at?: number, key?: Uint8Array) =>
  Effect.map(
    Effect.flatMap(TileArray.open(uri, { at, key }), TileArray.metadata),
    (items) => Object.fromEntries(Metadata.values(items)),
  )

const files = (uri: string) =>
  Effect.flatMap(Storage, (storage) => Effect.map(storage.list(`${uri}/__meta`), (all) => all.map((e) => e.name)))

const whyNot = (uri: string, ...args: [Parameters<typeof TileArray.putMetadata>[1], { at?: number }?]) =>
  Effect.map(Effect.flip(TileArray.putMetadata(uri, ...args)), (error) => {
    assert(error instanceof WriteError, String(error))
    return [error.field, error.message] as const
  })

describe("putMetadata", () => {
  onEachStorage("stores the given values", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, schema)
      yield* TileArray.putMetadata(uri, {
        text: "é°",
        noText: "",
        bytes: Uint8Array.of(1, 2),
        whole: 5,
        large: 2n ** 63n,
        fraction: 2.5,
        minusZero: -0,
        yes: true,
        day: new Date(5),
        list: [1, 2],
        floats: [1, 2.5],
        empty: [],
        words: Uint16Array.of(7, 8),
        grid: Metadata.numpy(Int16Array.of(1, 2), { shape: [2, 1] }),
        flags: Metadata.numpy(Uint8Array.of(1, 0), { type: "bool" }),
        point: Metadata.numpy(Float32Array.of(1.5), { shape: [] }),
        small: Metadata.int8(-3),
        ten: Metadata.float64(10),
        wide: Metadata.of("string_utf16", "a😀"),
        time: Metadata.of("time_sec", "00:01:00"),
        "": 1,
      })
      assertEquals(yield* files(uri).pipe(Effect.map((names) => names.length)), 1)
      assertEquals(yield* valuesAt(uri), {
        "": 1n,
        bytes: Uint8Array.of(1, 2),
        day: { type: "datetime_ms", shape: [], values: BigInt64Array.of(5n) },
        empty: new BigInt64Array(),
        flags: { type: "bool", shape: [2], values: Uint8Array.of(1, 0) },
        floats: Float64Array.of(1, 2.5),
        fraction: 2.5,
        grid: { type: "int16", shape: [2, 1], values: Int16Array.of(1, 2) },
        large: 2n ** 63n,
        list: BigInt64Array.of(1n, 2n),
        minusZero: -0,
        noText: "",
        point: { type: "float32", shape: [], values: Float32Array.of(1.5) },
        small: -3,
        ten: 10,
        text: "é°",
        time: 60n,
        whole: 5n,
        wide: "a😀",
        words: Uint16Array.of(7, 8),
        yes: 1n,
      })
    }))

  onEachStorage(
    "is a change at its timestamp, and the last of two changes at one timestamp wins",
    (root) =>
      Effect.gen(function* () {
        const uri = `${root}/a`
        yield* makeArray(uri, schema)
        yield* TileArray.putMetadata(uri, { k: "first", other: 1 }, { at: 10 })
        for (const n of ["a", "b", "c", "d"]) yield* TileArray.putMetadata(uri, { k: n }, { at: new Date(20) })
        yield* TileArray.deleteMetadata(uri, ["k", "never"], { at: 30 })
        // a string is one key, not a list of letters
        yield* TileArray.deleteMetadata(uri, "ko", { at: 20 })
        yield* TileArray.deleteMetadata(uri, "other", { at: 40 })
        assertEquals(yield* valuesAt(uri, 40), {})
        for (const none of [null, 5]) {
          assertEquals((yield* Effect.flip(TileArray.deleteMetadata(uri, none as never)))._tag, "WriteError")
        }
        assertEquals((yield* whyNot(uri, null as never))[1], `${uri}: give values by their keys: { title: … }`)
        assertEquals(yield* valuesAt(uri, 9), {})
        assertEquals(yield* valuesAt(uri, 10), { k: "first", other: 1n })
        assertEquals(yield* valuesAt(uri, 20), { k: "d", other: 1n })
        assertEquals(yield* valuesAt(uri, 30), { other: 1n })
      }),
  )

  onEachStorage(
    "replaces a value by a NumPy array with the same key, and vice versa",
    (root) =>
      Effect.gen(function* () {
        const uri = `${root}/a`
        yield* makeArray(uri, schema)
        const array = yield* TileArray.open(uri)
        const grid = { type: "int32", shape: [1, 2], values: Int32Array.of(1, 2) } as const
        yield* TileArray.putMetadata(array, { k: "text" })
        yield* TileArray.putMetadata(array, { k: grid })
        assertEquals(yield* valuesAt(uri), { k: grid })
        yield* TileArray.putMetadata(array, new Map([["k", 1.5]]))
        assertEquals(yield* valuesAt(uri), { k: 1.5 })
        yield* TileArray.putMetadata(array, { k: grid })
        yield* TileArray.deleteMetadata(array, ["k"])
        assertEquals(yield* valuesAt(uri), {})
      }),
  )

  onEachStorage("collects successful changes into one file", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, schema)
      const result = yield* TileArray.editMetadata(uri, (metadata) =>
        Effect.gen(function* () {
          yield* metadata.put({ a: 1, b: 2 })
          yield* metadata.delete(["a"])
          const refused = yield* Effect.either(metadata.put({ c: 3, d: null as never }))
          assert(Either.isLeft(refused))
          yield* metadata.put({ b: "two" })
          return "answer"
        }))
      assertEquals(result, "answer")
      assertEquals((yield* files(uri)).length, 1)
      assertEquals(yield* valuesAt(uri), { b: "two" })
      const failed = yield* Effect.flip(
        TileArray.editMetadata(uri, (metadata) => Effect.zipRight(metadata.put({ z: 1 }), Effect.fail("no"))),
      )
      assertEquals(failed, "no")
      yield* TileArray.editMetadata(uri, () => Effect.void)
      assertEquals((yield* files(uri)).length, 1)
    }))

  onEachStorage("copies items unchanged, with any keys", (root) =>
    Effect.gen(function* () {
      for (const name of ["a", "b"]) yield* makeArray(`${root}/${name}`, schema)
      yield* TileArray.putMetadata(`${root}/a`, [
        { key: Uint8Array.of(0xff, 0), name: undefined, type: "int8", count: 1, value: Uint8Array.of(1) },
        { key: Uint8Array.of(107), name: "k", type: "int32", count: 1, value: Uint8Array.of(1, 0, 0, 0) },
      ])
      yield* TileArray.putMetadata(`${root}/a`, { grid: Metadata.numpy(Int16Array.of(1, 2), { shape: [2, 1] }) })
      const items = yield* Effect.flatMap(TileArray.open(`${root}/a`), TileArray.metadata)
      assertEquals(items.length, 4)
      yield* TileArray.putMetadata(`${root}/b`, items)
      assertEquals(yield* Effect.flatMap(TileArray.open(`${root}/b`), TileArray.metadata), items)
    }))

  onEachStorage("encrypts with the key of the array, and requires it", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, schema, { key: Redacted.make(key) })
      yield* TileArray.putMetadata(uri, { secret: 1 }, { key })
      yield* TileArray.putMetadata(yield* TileArray.open(uri, { key }), { more: 2 })
      assertEquals(yield* valuesAt(uri, undefined, key), { more: 2n, secret: 1n })
      for (const wrong of [undefined, key.map((b) => b ^ 1)]) {
        const error = yield* Effect.flip(TileArray.putMetadata(uri, { k: 1 }, { key: wrong }))
        assertEquals(error._tag, "DecryptionFailed")
      }
      assertEquals((yield* files(uri)).length, 2)
    }))

  onEachStorage("rejects invalid values, and reports the key", (root) =>
    Effect.gen(function* () {
      const uri = `${root}/a`
      yield* makeArray(uri, schema)
      for (
        const [value, why] of [
          [null, "null is not a metadata value"],
          [undefined, "undefined is not a metadata value"],
          [{}, "object is not a metadata value"],
          [new Date(NaN), "invalid Date"],
          ["\ud800", "half of a surrogate pair"],
          [["a"], "a list of string"],
          [[1n, 0.5], "no common datatype"],
          [2n ** 64n, "does not fit into uint64"],
          [[-1n, 2n ** 63n], "does not fit into uint64"],
          [Metadata.int8(200), "200 does not fit into int8 (-128 to 127)"],
          [Metadata.of("any", [1]), "use blob"],
          [Metadata.of("int32", "x"), '"x" is not an integer'],
          [Metadata.of("nothing" as "int8", 1), "there is no datatype"],
          [Metadata.of("int32", true), "true is not a value of type int32"],
          [{ type: "int32", count: 1, value: new Uint8Array(3) }, "1 values of int32 do not take 3 bytes"],
          [Metadata.numpy(Int8Array.of(1, 2), { shape: [3] }), "the shape [3] does not match 2 values"],
          [Metadata.numpy(Uint8Array.of(1), { type: "string_utf8" }), "not of string_utf8"],
          [new Uint8ClampedArray(1), "Uint8ClampedArray"],
        ] as const
      ) {
        const [field, message] = yield* whyNot(uri, { ok: 1, bad: value as never })
        assertEquals(field, "bad")
        assertStringIncludes(message, why)
      }
      assertEquals((yield* whyNot(uri, { __np_flat_x: 1 }))[0], "__np_flat_x")
      assertEquals((yield* whyNot(uri, { "\udc00": 1 }))[0], "\udc00")
      assertEquals(yield* files(uri), [])
    }))

  onEachStorage(
    "rejects missing arrays, arrays without metadata and invalid options",
    (root) =>
      Effect.gen(function* () {
        assertEquals((yield* Effect.flip(TileArray.putMetadata(`${root}/none`, { k: 1 })))._tag, "ArrayNotFound")
        yield* makeArray(`${root}/old`, schema, { version: 3 })
        assertStringIncludes((yield* whyNot(`${root}/old`, { k: 1 }))[1], "needs format version 4, the array has 3")
        yield* makeArray(`${root}/a`, schema)
        const array = yield* TileArray.open(`${root}/a`)
        const wrong = [{ at: -1 }, { at: 0.5 }, { at: new Date(NaN) }, { time: 5 }, { key: new Uint8Array(3) }, { key }]
        for (const options of wrong) {
          const error = yield* Effect.flip(TileArray.putMetadata(array, { k: 1 }, options as never))
          assertEquals(error._tag, "InvalidOption")
        }
      }),
  )

  onEachStorage("writes the format version of the array", (root) =>
    Effect.gen(function* () {
      for (const version of [4, 7, 9, 10, 16, 22]) {
        const uri = `${root}/v${version}`
        yield* makeArray(uri, schema, { version })
        yield* TileArray.putMetadata(uri, { k: version })
        assertEquals(yield* valuesAt(uri), { k: BigInt(version) })
        const [name] = yield* files(uri)
        const bytes = yield* Effect.flatMap(Storage, (storage) => storage.read(`${uri}/__meta/${name}`))
        assertEquals(bytes[0], version)
      }
    }))
})

describe("values with a datatype", () => {
  it("are read with their datatype, for every datatype", () => {
    for (const type of datatypes.filter((t) => t !== "any")) {
      const bytes = FastCheck.uint8Array({ maxLength: 40 })
      FastCheck.assert(FastCheck.property(bytes, (raw) => {
        const value = raw.slice(0, raw.length - raw.length % sizeOf(type))
        const values = new (arrayOf(type))(value.buffer)
        assertEquals(typedValue(type, values), { type, count: values.length, value })
        assertEquals(checkTyped({ type, count: values.length, value }), { type, count: values.length, value })
      }))
    }
  })
})

import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import * as fc from "effect/FastCheck"
import { type Datatype, sizeOf, type TypedArray } from "../../../schema/array/datatype.ts"
import type { MetadataItem } from "../../../src/array/metadata/metadata.ts"
import { value, values } from "../../../src/array/metadata/metadata_values.ts"

const bytesOf = (list: TypedArray): Uint8Array => new Uint8Array(list.buffer, list.byteOffset, list.byteLength)

const item = (name: string, type: Datatype, list: TypedArray): MetadataItem => ({
  key: new TextEncoder().encode(name),
  name,
  type,
  count: list.byteLength / sizeOf(type),
  value: bytesOf(list),
})
const text = (type: Datatype, list: TypedArray) => value(item("k", type, list))
const shown = (...items: ReadonlyArray<MetadataItem>): Record<string, unknown> => Object.fromEntries(values(items))
const shape = (key: string, ...lengths: ReadonlyArray<number>): MetadataItem =>
  item(`__np_shape_${key}`, "int64", BigInt64Array.from(lengths, BigInt))

describe("metadata values", () => {
  it("are strings, also of wide characters; bytes if the text is invalid", () => {
    for (const type of ["string_ascii", "string_utf8", "char"] as const) {
      assertEquals(text(type, new TextEncoder().encode("a🙂")), "a🙂")
      assertEquals(text(type, new Uint8Array(0)), "")
      assertEquals(text(type, Uint8Array.of(0x61, 0xff)), Uint8Array.of(0x61, 0xff))
    }
    for (const type of ["string_utf16", "string_ucs2"] as const) {
      assertEquals(text(type, Uint16Array.of(0x61, 0xd83d, 0xde42)), "a🙂")
      assertEquals(text(type, Uint16Array.of(0xd83d)), Uint16Array.of(0xd83d))
    }
    for (const type of ["string_utf32", "string_ucs4"] as const) {
      assertEquals(text(type, Uint32Array.of(0x61, 0x1f642)), "a🙂")
      for (const wrong of [0x110000, 0xd800, 0xdfff]) {
        assertEquals(text(type, Uint32Array.of(wrong)), Uint32Array.of(wrong))
      }
    }
  })

  it("are one number, or a typed array of several or no numbers", () => {
    assertEquals(value(item("k", "float32", Float32Array.of(1.5))), 1.5)
    assertEquals(value(item("k", "datetime_day", BigInt64Array.of(-3n))), -3n)
    assertEquals(value(item("k", "uint16", Uint16Array.of(1, 2))), Uint16Array.of(1, 2))
    assertEquals(value(item("k", "int64", new BigInt64Array(0))), new BigInt64Array(0))
    assertEquals(value(item("k", "blob", Uint8Array.of(7))), Uint8Array.of(7))
  })

  it("omit keys that are not valid text", () => {
    assertEquals([...values([{ ...item("k", "int8", Int8Array.of(1)), name: undefined }])], [])
  })
})

describe("NumPy arrays", () => {
  it("are one value from two entries, of any shape", () => {
    fc.assert(fc.property(
      fc.array(fc.nat({ max: 4 }), { maxLength: 4 }),
      fc.constantFrom("a", "", "__np_flat_a", "__proto__", "ü"),
      (lengths, key) => {
        const list = Float64Array.from({ length: lengths.reduce((a, b) => a * b, 1) }, (_, i) => i)
        const items = [shape(key, ...lengths), item(`__np_flat_${key}`, "float64", list)]
        assertEquals([...values(items)], [[key, { type: "float64", shape: lengths, values: list }]])
      },
    ))
  })

  it("of one dimension have no shape entry", () => {
    assertEquals(shown(item("__np_flat_a", "uint8", Uint8Array.of(1, 2))), {
      a: { type: "uint8", shape: [2], values: Uint8Array.of(1, 2) },
    })
  })

  it("stay two entries if the shape does not fit, or the key exists", () => {
    const flat = item("__np_flat_a", "int8", Int8Array.of(1, 2, 3, 4))
    const both = ["__np_flat_a", "__np_shape_a"]
    assertEquals(Object.keys(shown(flat, shape("a", 2, 2))), ["a"])
    for (const wrong of [shape("a", 2, 3), shape("a", -2, -2), shape("a")]) {
      assertEquals(Object.keys(shown(flat, wrong)), both)
    }
    assertEquals(Object.keys(shown(flat, item("__np_shape_a", "float64", Float64Array.of(4)))), both)
    assertEquals(Object.keys(shown(flat, item("a", "int8", Int8Array.of(9)))), ["__np_flat_a", "a"])
    assertEquals(Object.keys(shown(shape("b", 1))), ["__np_shape_b"])
  })
})

import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import { columnJson } from "../../../src/query/column/cell_json.ts"
import type { Column } from "../../../src/query/column/column.ts"
import { enumerationColumn, resolveEnumeration } from "../../../src/query/column/resolve_enumeration.ts"

const words = (list: ReadonlyArray<string>): Enumeration => {
  const parts = list.map((w) => new TextEncoder().encode(w))
  let at = 0
  const offsets = Float64Array.from(parts, (p) => (at += p.byteLength) - p.byteLength)
  const data = Uint8Array.from(parts.flatMap((p) => [...p]))
  return { version: 0, name: "e", fileName: "f", type: "string_utf8", cellValNum: VAR, ordered: false, data, offsets }
}
const numbers: Enumeration = {
  ...words([]),
  type: "int16",
  cellValNum: 1,
  data: new Uint8Array(Int16Array.of(10, -20).buffer),
  offsets: null,
}
const codes = (values: Column["values"], type: Column["type"], validity?: Uint8Array): Column => ({
  name: "c",
  type,
  cellValNum: 1,
  length: values.length,
  values,
  validity,
  enumeration: "e",
})
const resolved = (column: Column, enumeration: Enumeration, max?: number) =>
  Effect.runSync(Effect.map(resolveEnumeration(column, enumeration, max), columnJson))

describe("codes", () => {
  it("are resolved to values, or to null if the enumeration has no such value", () => {
    const colours = words(["red", "", "grün"])
    assertEquals(resolved(codes(Uint8Array.of(2, 0, 1, 3, 255), "uint8"), colours), ["grün", "red", "", null, null])
    assertEquals(resolved(codes(Int8Array.of(-1, 0), "int8"), colours), [null, "red"])
    assertEquals(resolved(codes(BigInt64Array.of(1n, -(2n ** 63n), 2n ** 40n), "int64"), numbers), [-20, null, null])
    assertEquals(resolved(codes(Uint16Array.of(0, 1), "uint16", Uint8Array.of(0, 1)), numbers), [null, -20])
    assertEquals(resolved(codes(Uint8Array.of(0), "uint8"), words([])), [null])
    assertEquals(columnJson(enumerationColumn(colours)), ["red", "", "grün"])
    assertEquals(columnJson(enumerationColumn(numbers)), [10, -20])
  })

  it("are resolved like single codes", () => {
    fc.assert(fc.property(fc.array(fc.fullUnicodeString({ maxLength: 3 })), fc.array(fc.nat(6)), (list, indexes) => {
      const column = codes(Uint8Array.from(indexes), "uint8")
      assertEquals(
        resolved(column, words(list)),
        columnJson({
          ...column,
          ...Effect.runSync(resolveEnumeration(column, words(list))),
        }),
      )
      const texts = columnJson(enumerationColumn(words(list)))
      assertEquals(resolved(column, words(list)), indexes.map((code) => texts[code] ?? null))
    }))
  })

  it("are rejected if the values exceed the memory limit", () => {
    const long = words(["x".repeat(1000)])
    const error = Effect.runSync(Effect.flip(resolveEnumeration(codes(new Uint8Array(100), "uint8"), long, 1000)))
    assertEquals([error._tag, error.needed, error.uri], ["ResultTooLarge", 100 * 1005, ""])
    assert(error.message.startsWith('the values of "c" need 100500 bytes'), error.message)
    const of = resolveEnumeration(codes(new Uint8Array(100), "uint8"), long, 1000, "mem://a")
    assert(Effect.runSync(Effect.flip(of)).message.startsWith('mem://a: the values of "c"'))
  })
})

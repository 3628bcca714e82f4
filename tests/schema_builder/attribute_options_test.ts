/** Options of attributes and filters. */
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import { ArraySchema, Attr, Dim, Filter, SchemaError } from "../../mod.ts"
import { exactly } from "../types/equal.ts"

const schemaOf = (a: Attr.Attribute) => ArraySchema.dense({ dims: { x: Dim.int32([0, 9]) }, attrs: { a } })

describe("attributes", () => {
  it("take filters and nullable as options", () => {
    const plain = Attr.int32()
    exactly<false>()(plain.nullable)
    const nullable = Attr.int32({ nullable: true, filters: [Filter.zstd({ level: 3 })] })
    exactly<true>()(nullable.nullable)
    assertEquals(nullable, Attr.nullable(Attr.int32({ filters: [Filter.zstd({ level: 3 })] })))
    const date = Attr.datetime("day", { nullable: true })
    exactly<true>()(date.nullable)
    assertEquals(date, Attr.nullable(Attr.datetime("day")))
    assertEquals(Attr.of("int32", { nullable: false }), plain)
  })

  it("reject filters that are not in the options, and unknown options", () => {
    const options: ReadonlyArray<readonly [unknown, string]> = [
      [Filter.zstd(), "filters are an option"],
      [{ filter: [] }, "filter is not an option"],
      [{ filters: Filter.zstd() }, "expected a list"],
      [{ nullable: "yes" }, "expected true or false"],
    ]
    for (const [input, reason] of options) {
      const attribute = Attr.int32(input as Attr.AttributeOptions)
      assertThrows(() => schemaOf(attribute), SchemaError, reason)
    }
  })
})

describe("filters", () => {
  it("are functions with the name of their type, as in JSON", () => {
    for (const [name, make] of Object.entries(Filter)) {
      assertEquals(make({ format: "rgb" }).type, name)
    }
  })
})

/** Schemas of arrays from the Schemas of rows. */
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import * as Schema from "effect/Schema"
import { ArraySchema, Attr, Dim, Filter, SchemaError } from "../../mod.ts"

const dims = { id: Dim.int64([0, 999]) }

/** Returns the attribute of a field as `type`, `type?` if nullable, and the values of the enumeration. */
const made = <A, I>(field: Schema.Schema<A, I> | Schema.PropertySignature.All): string => {
  const row = Schema.Struct({ id: Schema.BigIntFromSelf, field: field as Schema.Schema<A, I> })
  const { attrs, enumerations } = ArraySchema.fromRows(row, { dims })
  const { type, nullable, cellValNum, enumeration } = attrs.field
  const values = enumeration === "" ? "" : ` of ${new TextDecoder().decode(enumerations[enumeration].data)}`
  return `${type}${cellValNum === "var" ? " var" : ""}${nullable ? "?" : ""}${values}`
}

enum Side {
  Left = "left",
  Right = "right",
}

describe("a schema of rows", () => {
  it("has an attribute for every form of a value", () => {
    assertEquals(made(Schema.Number), "float64")
    assertEquals(made(Schema.Number.pipe(Schema.between(0, 1))), "float64")
    assertEquals(made(Schema.NumberFromString), "string_utf8 var")
    assertEquals(made(Schema.Int), "int64")
    assertEquals(made(Schema.Int.pipe(Schema.positive())), "int64")
    assertEquals(made(Schema.BigIntFromSelf), "int64")
    assertEquals(made(Schema.BigIntFromNumber), "float64")
    assertEquals(made(Schema.Boolean), "bool")
    assertEquals(made(Schema.String), "string_utf8 var")
    assertEquals(made(Schema.NonEmptyString.pipe(Schema.brand("Name"))), "string_utf8 var")
    assertEquals(made(Schema.TemplateLiteral("a", Schema.Number)), "string_utf8 var")
    assertEquals(made(Schema.Date), "string_utf8 var")
    assertEquals(made(Schema.DateFromSelf), "datetime_ms")
    assertEquals(made(Schema.ValidDateFromSelf), "datetime_ms")
    assertEquals(made(Schema.DateTimeUtcFromSelf), "datetime_ms")
    assertEquals(made(Schema.Uint8ArrayFromSelf), "blob var")
    assertEquals(made(Schema.Literal(1, 2)), "float64")
    assertEquals(made(Schema.Literal(true)), "bool")
    assertEquals(made(Schema.Literal("a", "b")), "uint8 of ab")
    assertEquals(made(Schema.Enums(Side)), "uint8 of leftright")
  })

  it("has nullable attributes for fields that may be null or missing", () => {
    assertEquals(made(Schema.NullOr(Schema.Number)), "float64?")
    assertEquals(made(Schema.UndefinedOr(Schema.Int)), "int64?")
    assertEquals(made(Schema.NullishOr(Schema.DateFromSelf)), "datetime_ms?")
    assertEquals(made(Schema.NullOr(Schema.Literal("a", "b"))), "uint8? of ab")
    assertEquals(made(Schema.optional(Schema.String)), "string_utf8 var?")
    assertEquals(made(Schema.optionalWith(Schema.Number, { default: () => 0 })), "float64?")
    assertEquals(made(Schema.optionalWith(Schema.Number, { as: "Option", nullable: true })), "float64?")
  })

  it("uses explicit dimensions and attributes, in the order of the fields", () => {
    class Row extends Schema.Class<Row>("Row")({
      a: Schema.Number,
      y: Schema.Int,
      b: Schema.Literal("x", "y"),
      x: Schema.Int,
      c: Schema.String,
    }) {}
    const schema = ArraySchema.fromRows(Row, {
      arrayType: "dense",
      dims: { x: Dim.int32([1, 9], { tile: 3 }), y: Dim.int32([1, 4], { tile: 2 }) },
      attrs: { a: Attr.float32({ filters: [Filter.zstd({ level: 3 })] }) },
      filters: [Filter.gzip({ level: 1 })],
      tileOrder: "col-major",
    })
    assertEquals([schema.arrayType, schema.tileOrder, schema.dimensionNames], ["dense", "col-major", ["x", "y"]])
    assertEquals(schema.attributeNames, ["a", "b", "c"])
    assertEquals(schema.attrs.a, Attr.float32({ filters: [Filter.zstd({ level: 3 })] }))
    assertEquals(schema.attrs.c, Attr.utf8({ filters: [Filter.gzip({ level: 1 })] }))
    assertEquals(Object.keys(schema.enumerations), ["b"])
    // an explicit attribute does not create an enumeration
    const plain = ArraySchema.fromRows(Row, { dims: { x: Dim.int32([1, 9]) }, attrs: { b: Attr.ascii() } }).enumerations
    assertEquals(plain, {})
  })

  it("is rejected with the name of the field", () => {
    const refused = <A, I>(row: Schema.Schema<A, I>, message: RegExp, options = {}): void => {
      const error = assertThrows(() => ArraySchema.fromRows(row, { dims, ...options }), SchemaError)
      if (!message.test(error.message)) throw new Error(`${error.message} is not ${message}`)
    }
    const id = Schema.BigIntFromSelf
    refused(
      Schema.Struct({ id, list: Schema.Array(Schema.Number) }),
      /^list: no datatype for ReadonlyArray<number>/,
    )
    refused(
      Schema.Struct({ id, both: Schema.Union(Schema.Number, Schema.String) }),
      /^both: no datatype for number \| string/,
    )
    refused(Schema.Struct({ id, empty: Schema.Null }), /^empty: no datatype for an empty union/)
    refused(Schema.Struct({ other: id }), /^id: rows have no such field; they have "other"/)
    refused(Schema.Struct({ id: Schema.NullOr(id) }), /^id: coordinates must not be nullable or optional/)
    refused(Schema.Number, /^the schema: rows are not structs: number/)
    refused(Schema.Record({ key: Schema.String, value: Schema.Number }), /rows are not structs/)
    refused(Schema.Struct({ id, a: Schema.Number }), /^b: rows have no such field/, { attrs: { b: Attr.int8() } })
  })
})

/** Input columns: every form of the same cells gives the same buffers, and invalid input is rejected with the cell. */
import * as DateTime from "effect/DateTime"
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals, assertThrows } from "@std/assert"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import {
  arrayOf,
  type Datatype,
  datatypes,
  isFloat,
  sizeOf,
  storageOf,
  viewAs,
} from "../../../schema/array/datatype.ts"
import { type Scalar, scalarBytes } from "../../../schema/array/scalar.ts"
import { WriteError } from "../../../src/array/open/errors.ts"
import { checkColumns, type CheckOptions } from "../../../src/write/input/check_columns.ts"
import * as build from "../../support/build_array.ts"

const x = build.dimension("x", "int32", 0, 9, 2)
const dense = (...attributes: ArraySchema["attributes"]): ArraySchema =>
  build.arraySchema({ arrayType: "dense", dimensions: [x], attributes })
const sparse = (...dimensions: ArraySchema["dimensions"]): ArraySchema =>
  build.arraySchema({ arrayType: "sparse", dimensions, attributes: [] })

/** Returns the checked column of a dense array whose only attribute is `a`. */
const one = (type: Datatype, more: Partial<ArraySchema["attributes"][number]>, value: unknown, cells?: number) => {
  const { values, offsets, validity } =
    checkColumns(dense(build.attribute("a", type, more)), { a: value }, cells).attributes[0]
  return { values: Uint8Array.from(values), offsets: offsets && [...offsets], validity: validity && [...validity] }
}

const refused = (
  schema: ArraySchema,
  columns: Readonly<Record<string, unknown>>,
  field: string,
  cell: number | undefined,
  reason: string,
  options?: CheckOptions,
  cells?: number,
) => {
  const error = assertThrows(() => checkColumns(schema, columns, cells, options), WriteError, reason)
  assertEquals([error.field, error.cell], [field, cell])
}

describe("cells given as lists", () => {
  const valueOf = (type: Datatype): fc.Arbitrary<Scalar> => {
    const storage = storageOf(type)
    if (type === "bool") return fc.constantFrom(0, 1)
    if (isFloat(type)) return fc.double().map((value) => type === "float32" ? Math.fround(value) : value)
    const bits = BigInt(8 * sizeOf(type))
    const range = storage.startsWith("u")
      ? { min: 0n, max: 2n ** bits - 1n }
      : { min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n }
    return fc.bigInt(range).map((value) => bits === 64n ? value : Number(value))
  }
  for (const type of datatypes) {
    it(`of ${type} equal the same cells in buffers`, () => {
      const ascii = type === "string_ascii" ? fc.nat(127) : valueOf(type)
      const cell = (nullable: boolean, count: number | "var"): fc.Arbitrary<Array<Scalar> | null> => {
        const full = fc.array(ascii, count === "var" ? { maxLength: 4 } : { minLength: count, maxLength: count })
        return nullable ? fc.option(full, { nil: null }) : full
      }
      const problem = fc.tuple(fc.boolean(), fc.constantFrom(1, 2, "var" as const)).chain(([nullable, count]) =>
        fc.tuple(fc.constant(nullable), fc.constant(count), fc.array(cell(nullable, count), { maxLength: 8 }))
      )
      fc.assert(
        fc.property(problem, ([nullable, count, cells]) => {
          const flat = cells.flatMap((c) =>
            c ?? (count === "var" ? [] : Array(count).fill(sizeOf(type) === 8 && !isFloat(type) ? 0n : 0))
          )
          const values = new (arrayOf(type))(flat.length)
          flat.forEach((value, i) => values[i] = value as never)
          const ends = [0]
          for (const c of cells) ends.push(ends[ends.length - 1] + (c?.length ?? 0))
          const validity = nullable ? Uint8Array.from(cells, (c) => c === null ? 0 : 1) : undefined
          const buffers = { values, ...(count === "var" ? { offsets: Uint32Array.from(ends) } : {}), validity }
          const list = cells.map((c) => c === null ? null : count === 1 ? c[0] : c)
          const arrays = cells.map((c) => c === null || count === 1 ? c?.[0] ?? null : new (arrayOf(type))(c as never))
          const more = { nullable, cellValNum: count === "var" ? VAR : count }
          const expected = one(type, more, buffers, cells.length)
          assertEquals(one(type, more, list, cells.length), expected)
          assertEquals(one(type, more, arrays, cells.length), expected)
          assertEquals(one(type, more, { ...buffers, type }, cells.length), expected)
          if (count !== "var" && !cells.includes(null)) assertEquals(one(type, more, values, cells.length), expected)
        }),
        { seed: 1, numRuns: 40 },
      )
    })
  }

  it("may be strings", () => {
    const utf8 = [...new TextEncoder().encode("aé€")]
    assertEquals(one("string_utf8", { cellValNum: VAR }, ["a", "", "é€"]), {
      values: Uint8Array.from(utf8),
      offsets: [0, 1, 1, 6],
      validity: undefined,
    })
    assertEquals(one("char", { cellValNum: 2 }, ["ab", "cd"]).values, Uint8Array.of(97, 98, 99, 100))
    assertEquals(one("char", {}, ["a", "z"]).values, Uint8Array.of(97, 122))
    assertEquals(one("string_utf16", { cellValNum: VAR }, ["a😀"]).values, Uint8Array.of(97, 0, 0x3d, 0xd8, 0, 0xde))
    assertEquals(one("string_utf32", { cellValNum: VAR }, ["a😀"]).values, Uint8Array.of(97, 0, 0, 0, 0, 0xf6, 1, 0))
    assertEquals(one("blob", { cellValNum: VAR }, [Uint8Array.of(200), new Uint8Array(0)]).offsets, [0, 1, 1])
  })

  it("may be dates", () => {
    const day = new Date("2024-02-29T12:00:00Z")
    const dates = [day, DateTime.unsafeFromDate(day), "2024-02-29T12:00", 1709208000000n, null]
    assertEquals(
      [...viewAs("datetime_ms", one("datetime_ms", { nullable: true }, dates).values)],
      [1709208000000n, 1709208000000n, 1709208000000n, 1709208000000n, 0n],
    )
  })

  it("may be booleans, and numbers for 64-bit integers", () => {
    assertEquals(one("bool", {}, [true, false, 1, 0]).values, Uint8Array.of(1, 0, 1, 0))
    assertEquals([...viewAs("int64", one("int64", {}, [1, -2n, "3"]).values)], [1n, -2n, 3n])
  })
})

describe("buffers", () => {
  it("are not copied", () => {
    const values = Int32Array.of(1, 2, 3).subarray(1)
    const offsets = Uint32Array.of(0, 1, 3)
    const text = Uint8Array.of(97, 98, 99)
    const validity = Uint8Array.of(1, 0)
    const schema = dense(
      build.attribute("a", "int32"),
      build.attribute("s", "string_utf8", { cellValNum: VAR, nullable: true }),
    )
    const { attributes: [a, s] } = checkColumns(schema, { a: values, s: { values: text, offsets, validity } }, 2)
    assertEquals([a.values.buffer === values.buffer, a.values.byteOffset], [true, 4])
    assertEquals([s.values.buffer === text.buffer, s.offsets === offsets, s.validity === validity], [true, true, true])
  })

  it("of cells with several values are aligned to whole cells", () => {
    const values = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8).subarray(1)
    const { attributes: [a] } = checkColumns(dense(build.attribute("a", "uint8", { cellValNum: 4 })), { a: values }, 2)
    assertEquals([a.values.byteOffset % 4, [...a.values]], [0, [1, 2, 3, 4, 5, 6, 7, 8]])
  })

  it("need no validity without nulls; validity without nulls is accepted for cells that are not nullable", () => {
    assertEquals(one("int8", { nullable: true }, Int8Array.of(1, 2)).validity, [1, 1])
    assertEquals(one("int8", {}, { values: Int8Array.of(1, 2), validity: Uint8Array.of(1, 1) }).validity, undefined)
  })

  it("of text may be signed or unsigned bytes", () => {
    assertEquals(
      one("char", { cellValNum: VAR }, { values: Uint8Array.of(200), offsets: Uint32Array.of(0, 1) }).values,
      Uint8Array.of(200),
    )
  })
})

describe("columns are rejected", () => {
  const a = dense(build.attribute("a", "int32"))
  const n = dense(build.attribute("a", "int32", { nullable: true }))
  const s = dense(build.attribute("a", "int16", { cellValNum: VAR }))
  const values = (...v: ReadonlyArray<number>) => Int16Array.from(v)
  const offsets = (...v: ReadonlyArray<number>) => Uint32Array.from(v)

  it("if they are missing, unknown, or coordinates of dense cells", () => {
    refused(a, {}, "a", undefined, "the column is missing")
    refused(a, { a: undefined }, "a", undefined, "the column is missing")
    refused(a, { a: Int32Array.of(1), toString: Int32Array.of(1) }, "toString", undefined, 'no such field; it has "a"')
    refused(a, { a: Int32Array.of(1), x: Int32Array.of(1) }, "x", undefined, "omit the coordinates")
    refused(sparse(x), {}, "x", undefined, "the column is missing")
  })

  it("if they have the wrong type", () => {
    refused(
      a,
      { a: Float32Array.of(1) },
      "a",
      undefined,
      "int32 is written from an Int32Array, not from a Float32Array",
    )
    refused(a, { a: 7 }, "a", undefined, "7 is not a column")
    refused(a, { a: { values: [1] } }, "a", undefined, "not from an Array")
    refused(a, { a: {} }, "a", undefined, "not from undefined")
    refused(a, { a: { values: Int32Array.of(1), type: "uint32" } }, "a", undefined, "the values are uint32")
    refused(a, { a: { values: Int32Array.of(1), offsets: offsets(0, 1) } }, "a", undefined, "have no offsets")
    refused(s, { a: values(1) }, "a", undefined, "need offsets")
    refused(s, { a: { values: values(1), offsets: [0, 1] } }, "a", undefined, "a Uint32Array")
    refused(n, { a: { values: Int32Array.of(1), validity: [1] } }, "a", undefined, "validity is a Uint8Array")
  })

  it("if they have the wrong length", () => {
    refused(a, { a: Int32Array.of(1, 2) }, "a", undefined, "it has 2 cells, but 3 are to be written", {}, 3)
    const rgb = dense(build.attribute("a", "uint8", { cellValNum: 3 }))
    refused(rgb, { a: new Uint8Array(4) }, "a", undefined, "4 values are not whole cells of 3 values")
    refused(rgb, { a: [[1, 2, 3], [1, 2]] }, "a", 1, "it has 2 values; cells have 3")
    const two = sparse(x, build.dimension("y", "int32", 0, 9, 2))
    refused(two, { x: Int32Array.of(1, 2), y: Int32Array.of(1) }, "y", undefined, "it has 1 cells, but x has 2")
    refused(
      n,
      { a: { values: Int32Array.of(1, 2), validity: Uint8Array.of(1) } },
      "a",
      undefined,
      "1 entries for 2 cells",
    )
  })

  it("if offsets decrease, do not start at 0, or do not end with the values", () => {
    const column = (...o: ReadonlyArray<number>) => ({ a: { values: values(1, 2, 3), offsets: offsets(...o) } })
    refused(s, column(1, 3), "a", 0, "it starts at 1")
    refused(s, column(0, 2, 1, 3), "a", 1, "it goes from 2 to 1")
    refused(s, column(0, 1, 4, 3), "a", 1, "there are 3 values")
    refused(s, column(0, 2), "a", undefined, "the last offset is 2, but there are 3 values")
    refused(s, column(), "a", undefined, "the offsets are empty")
  })

  it("if cells that are not nullable are null, or validity is not 0 or 1", () => {
    const column = { values: Int32Array.of(1, 2), validity: Uint8Array.of(1, 0) }
    refused(a, { a: column }, "a", 1, "the cell is null")
    refused(a, { a: [1, null] }, "a", 1, "the cell is null")
    refused(a, { a: [undefined, 1] }, "a", 0, "the cell is null")
    refused(sparse(x), { x: [1, null] }, "x", 1, "the cell is null")
    refused(
      n,
      { a: { values: Int32Array.of(1, 2), validity: Uint8Array.of(1, 2) } },
      "a",
      1,
      "validity is 0 or 1, not 2",
    )
  })

  it("if values are invalid", () => {
    refused(a, { a: [1, 1.5] }, "a", 1, "1.5 is not an integer")
    refused(a, { a: [2 ** 31] }, "a", 0, "does not fit into int32")
    refused(a, { a: ["x"] }, "a", 0, '"x" is not an integer')
    refused(a, { a: [new Date()] }, "a", 0, "int32 is not a datetime type")
    refused(s, { a: [[1], 7] }, "a", 1, "7 is not a cell of several values")
    const day = dense(build.attribute("a", "datetime_day"))
    refused(day, { a: [new Date(NaN)] }, "a", 0, "an invalid Date")
    const c = dense(build.attribute("a", "char"))
    refused(c, { a: ["a", "ab"] }, "a", 1, '"ab" is not one character')
  })

  it("if booleans are neither 0 nor 1, unless they are null", () => {
    const b = dense(build.attribute("a", "bool", { nullable: true }))
    const bools = Uint8Array.of(0, 9, 1, 7)
    refused(b, { a: { values: bools, validity: Uint8Array.of(1, 0, 1, 1) } }, "a", 3, "a bool is 0 or 1")
    checkColumns(b, { a: { values: bools, validity: Uint8Array.of(1, 0, 1, 0) } }, undefined)
  })

  it("if a filter would convert NaN to an integer, unless the cell is null", () => {
    const scaled = (more: Partial<ArraySchema["attributes"][number]> = {}) => {
      const scale = { type: "scale_float", scale: 1, offset: 0, byteWidth: 4 } as const
      return dense(build.attribute("a", "float64", { filters: { maxChunkSize: 65536, filters: [scale] }, ...more }))
    }
    refused(
      scaled(),
      { a: Float64Array.of(1, 2, NaN, 3) },
      "a",
      2,
      "the filter scale_float cannot scale NaN to an integer",
    )
    refused(
      scaled({ cellValNum: 2 }),
      { a: Float64Array.of(1, 2, 3, NaN) },
      "a",
      1,
      "the filter scale_float cannot scale NaN to an integer",
    )
    const some = { values: Float64Array.of(NaN, 2, NaN), validity: Uint8Array.of(0, 1, 1) }
    refused(scaled({ nullable: true }), { a: some }, "a", 2, "the filter scale_float cannot scale NaN to an integer")
    const lists = { values: Float64Array.of(1, 2, NaN), offsets: Uint32Array.of(0, 1, 1, 3) }
    refused(scaled({ cellValNum: VAR }), { a: lists }, "a", 2, "the filter scale_float cannot scale NaN to an integer")
    checkColumns(dense(build.attribute("a", "float64")), { a: Float64Array.of(NaN) }, undefined)
  })

  it("if text is not ASCII, unless the options allow any value", () => {
    const t = dense(build.attribute("a", "string_ascii", { cellValNum: VAR }))
    refused(t, { a: ["a", "é"] }, "a", 1, "not ASCII")
    const bytes = { a: { values: Uint8Array.of(97, 97, 200), offsets: offsets(0, 2, 2, 3) } }
    refused(t, bytes, "a", 2, "not ASCII")
    assertEquals(checkColumns(t, bytes, 3, { anyValue: true }).cells, 3)
    refused(sparse(build.stringDimension("k")), { k: [Uint8Array.of(128)] }, "k", 0, "not ASCII")
  })

  it("if labels are not in their order", () => {
    const up = dense(build.attribute("a", "float64", { order: "increasing" }))
    const down = dense(build.attribute("a", "string_ascii", { cellValNum: VAR, order: "decreasing" }))
    checkColumns(up, { a: Float64Array.of(-1, 0, 0, 7) }, 4)
    refused(up, { a: Float64Array.of(-1, 0, -0.5, 7) }, "a", 2, "it is less than the cell before")
    checkColumns(down, { a: ["b", "b", "a", ""] }, 4)
    refused(down, { a: ["b", "a", "ab"] }, "a", 2, "it is greater than the cell before")
  })

  it("if a code is not in the enumeration", () => {
    const options = {
      enumerations: new Map([["e", { size: 3, isText: true, codes: () => () => undefined, similar: () => [] }]]),
    }
    for (const [type, wrong] of [["int8", -1], ["uint16", 3], ["int64", 3n], ["uint64", 2n ** 60n]] as const) {
      const e = dense(build.attribute("a", type, { enumeration: "e", nullable: true }))
      const good = sizeOf(type) === 8 ? 2n : 2
      refused(
        e,
        { a: [good, null, wrong] },
        "a",
        2,
        `${wrong} is not a code of the enumeration e, which has 3 values`,
        options,
      )
      assertEquals(checkColumns(e, { a: [good, null] }, 2, options).cells, 2)
      assertEquals(checkColumns(e, { a: [wrong] }, 1).cells, 1)
    }
  })
})

describe("coordinates", () => {
  const types = [
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
    "datetime_sec",
  ] as const
  for (const type of types) {
    it(`of ${type} must be inside the domain and the current domain`, () => {
      const wide = sizeOf(type) === 8 && !isFloat(type)
      const scalar = (value: number): Scalar => wide ? BigInt(value) : value
      const unsigned = storageOf(type).startsWith("u")
      const bounds = fc.uniqueArray(fc.integer({ min: unsigned ? 0 : -100, max: 100 }), { minLength: 4, maxLength: 4 })
        .map((some) => some.sort((a, b) => a - b))
      const extra = isFloat(type) ? fc.constantFrom(NaN, Infinity, -Infinity) : fc.nat(100)
      const cells = fc.array(fc.oneof(fc.integer({ min: unsigned ? 0 : -100, max: 100 }), extra), { maxLength: 10 })
      fc.assert(
        fc.property(bounds, cells, fc.boolean(), fc.constantFrom(0, 5000), ([a, b, c, d], some, current, before) => {
          const range = { low: scalarBytes(type, scalar(b)), high: scalarBytes(type, scalar(c)) }
          const schema: ArraySchema = {
            ...sparse(build.dimension("x", type, scalar(a), scalar(d), null)),
            currentDomain: current ? { empty: false, ranges: [range] } : { empty: true },
          }
          // more cells than are processed in one step
          const all = [...new Array(before).fill(b), ...some]
          const coordinates = new (arrayOf(type))(all.map(scalar) as never)
          const [low, high] = current ? [b, c] : [a, d]
          const outside = (l: number, h: number) => all.findIndex((v) => !(v >= l && v <= h))
          const wrong = outside(a, d) >= 0 ? outside(a, d) : outside(low, high)
          if (wrong < 0) assertEquals(checkColumns(schema, { x: coordinates }, undefined).cells, all.length)
          else {refused(
              schema,
              { x: coordinates },
              "x",
              wrong,
              Number.isNaN(all[wrong]) ? "NaN is not a coordinate" : "is outside the",
            )}
        }),
        { seed: 2, numRuns: 100 },
      )
    })
  }

  it("of 64 bits are compared exactly", () => {
    const schema = sparse(build.dimension("x", "uint64", 2n ** 32n + 5n, 2n ** 63n + 7n, null))
    for (const good of [2n ** 32n + 5n, 2n ** 33n, 2n ** 63n + 7n]) checkColumns(schema, { x: [good] }, 1)
    for (const wrong of [0n, 2n ** 32n + 4n, 2n ** 63n + 8n, 2n ** 64n - 1n]) {
      refused(schema, { x: [2n ** 33n, wrong] }, "x", 1, `${wrong} is outside the domain`)
    }
  })

  it("of strings must be inside the current domain", () => {
    const utf8 = (text: string) => new TextEncoder().encode(text)
    const schema: ArraySchema = {
      ...sparse(build.stringDimension("k")),
      currentDomain: { empty: false, ranges: [{ low: utf8("b"), high: utf8("dd") }] },
    }
    checkColumns(schema, { k: ["b", "c", "dd", "bzzz"] }, 4)
    refused(schema, { k: ["b", "a"] }, "k", 1, '"a" is outside the current domain, from "b" to "dd"')
    refused(schema, { k: ["ddd"] }, "k", 0, "is outside")
  })
})

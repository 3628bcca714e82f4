/** Tile statistics, compared with those that a loop over the cells computes as the engine does. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import {
  arrayOf,
  type Datatype,
  isFloat,
  sizeOf,
  storageOf,
  type TypedArray,
  viewAs,
} from "../../../schema/array/datatype.ts"
import { fieldsOf } from "../../../src/fragment/field.ts"
import type { TileStatistics } from "../../../src/fragment/tile_statistics.ts"
import { compareBytes } from "../../../src/kernel/match/match_ranges.ts"
import { tileStatistics } from "../../../src/write/fragment/tile_statistics.ts"
import * as build from "../../support/build_array.ts"

const fieldOf = (type: Datatype, cellValNum: number, nullable: boolean) =>
  fieldsOf(build.arraySchema({
    arrayType: "sparse",
    dimensions: [build.dimension("x", "int32", 0, 9, 1)],
    attributes: [build.attribute("a", type, { cellValNum, nullable })],
  })).attributes[0]

/** Adds as the engine does: the sum stops at the limits of its type. */
const naiveSum = (type: Datatype, values: ReadonlyArray<number | bigint>): Uint8Array => {
  if (isFloat(type)) {
    let sum = 0
    for (const v of values as ReadonlyArray<number>) {
      if ((sum < 0) === (v < 0) && Math.abs(sum) > Number.MAX_VALUE - Math.abs(v)) {
        sum = sum < 0 ? -Number.MAX_VALUE : Number.MAX_VALUE
        break
      }
      sum += v
    }
    return new Uint8Array(Float64Array.of(sum).buffer)
  }
  const unsigned = storageOf(type).startsWith("u")
  const [low, high] = unsigned ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n]
  let sum = 0n
  for (const v of values) {
    sum += BigInt(v)
    if (sum < low || sum > high) {
      sum = sum < low ? low : high
      break
    }
  }
  return new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, sum)).buffer)
}

const rawOf = (type: Datatype, value: number | bigint): Uint8Array => {
  const out = new (arrayOf(type))(1)
  out[0] = value as never
  return new Uint8Array(out.buffer)
}

const naive = (type: Datatype, values: TypedArray, validity: Uint8Array | undefined): TileStatistics => {
  const cells = [...values as unknown as ReadonlyArray<number | bigint>].filter((_, i) => validity?.[i] !== 0)
  let min: number | bigint | undefined
  let max: number | bigint | undefined
  for (const v of cells) {
    if (Number.isNaN(v)) continue
    if (min === undefined || !(min < v)) min = v
    if (max === undefined || !(max > v)) max = v
  }
  if (cells.length > 0) [min, max] = [min ?? NaN, max ?? NaN]
  return {
    min: min === undefined ? undefined : rawOf(type, min),
    max: max === undefined ? undefined : rawOf(type, max),
    sum: naiveSum(type, cells),
    nulls: values.length - cells.length,
  }
}

/** Returns the statistics with one representation of NaN: the sign of a NaN depends on the processor. */
const oneNaN = (type: Datatype, statistics: TileStatistics): TileStatistics => {
  const plain = (of: Datatype, bytes: Uint8Array | undefined): Uint8Array | undefined =>
    isFloat(of) && bytes !== undefined && Number.isNaN(viewAs(of, bytes)[0]) ? rawOf(of, NaN) : bytes
  const sum = isFloat(type) ? plain("float64", statistics.sum) : statistics.sum
  return { ...statistics, min: plain(type, statistics.min), max: plain(type, statistics.max), sum }
}

const nulls = (length: number) =>
  fc.option(
    fc.oneof(
      fc.uint8Array({ minLength: length, maxLength: length, max: 1 }),
      fc.constant(new Uint8Array(length)),
    ),
    { nil: undefined },
  )

describe("statistics of numbers", () => {
  const types: ReadonlyArray<Datatype> = [
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
    "bool",
    "datetime_ns",
    "time_hr",
  ]
  for (const type of types) {
    it(`of ${type} equal those computed cell by cell`, () => {
      const edge = fc.constantFrom(0, 0x7f, 0x80, 0xff)
      const special = fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 1e308, -1e308, 1.5, -2.25)
      const one: fc.Arbitrary<Uint8Array> = isFloat(type)
        ? fc.oneof(special, fc.double()).map((x) => rawOf(type, x))
        : fc.oneof(
          fc.array(edge, { minLength: 8, maxLength: 8 }).map((b) => Uint8Array.from(b.slice(0, sizeOf(type)))),
          fc.uint8Array({ minLength: sizeOf(type), maxLength: sizeOf(type) }),
        )
      const values = fc.array(one, { maxLength: 40 }).map((parts) => viewAs(type, build.join(...parts)))
      fc.assert(
        fc.property(
          values.chain((v) => fc.tuple(fc.constant(v), nulls(v.length), fc.constantFrom(1, 1, 1, 200))),
          ([some, validity, times]) => {
            // more cells than are processed in one step
            const cells = new (arrayOf(type))(some.length * times)
            for (let t = 0; t < times; t++) cells.set(some as never, t * some.length)
            const mask = validity && Uint8Array.from({ length: cells.length }, (_, i) => validity[i % some.length])
            const tile = { values: new Uint8Array(cells.buffer), offsets: undefined, validity: mask }
            const made = tileStatistics(fieldOf(type, 1, validity !== undefined), tile)
            assertEquals(oneNaN(type, made), oneNaN(type, naive(type, cells, mask)))
          },
        ),
        { seed: 1, numRuns: 200 },
      )
    })
  }
})

describe("statistics of text", () => {
  const text = fc.array(fc.constantFrom(0, 97, 98, 0x7f, 0x80, 0xff), { maxLength: 5 }).map((b) => Uint8Array.from(b))
  const expected = (cells: ReadonlyArray<Uint8Array>, validity: Uint8Array | undefined) => {
    const some = cells.filter((_, i) => validity?.[i] !== 0).sort(compareBytes)
    return { min: some[0], max: some[some.length - 1], nulls: cells.length - some.length }
  }

  for (const type of ["char", "string_ascii"] as const) {
    it(`of any size are the first and the last text: ${type}`, () => {
      fc.assert(
        fc.property(
          fc.array(text, { maxLength: 20 }).chain((cells) => fc.tuple(fc.constant(cells), nulls(cells.length))),
          ([cells, validity]) => {
            const offsets = new Uint32Array(cells.length + 1)
            cells.forEach((cell, i) => offsets[i + 1] = offsets[i] + cell.length)
            const tile = { values: build.join(...cells), offsets, validity }
            const made = tileStatistics(fieldOf(type, VAR, validity !== undefined), tile)
            assertEquals(made, { ...expected(cells, validity), sum: undefined })
          },
        ),
        { seed: 2, numRuns: 200 },
      )
    })
  }

  it("of three characters are the first and the last text", () => {
    const three = fc.uint8Array({ minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(
        fc.array(three, { maxLength: 20 }).chain((cells) => fc.tuple(fc.constant(cells), nulls(cells.length))),
        ([cells, validity]) => {
          const tile = { values: build.join(...cells), offsets: undefined, validity }
          const made = tileStatistics(fieldOf("string_ascii", 3, validity !== undefined), tile)
          assertEquals(made, { ...expected(cells, validity), sum: undefined })
        },
      ),
      { seed: 3, numRuns: 100 },
    )
  })

  it("of one character compare unsigned and sum signed", () => {
    const tile = { values: Uint8Array.of(97, 0x80, 0xff), offsets: undefined, validity: undefined }
    assertEquals(tileStatistics(fieldOf("char", 1, false), tile), {
      min: Uint8Array.of(97),
      max: Uint8Array.of(0xff),
      sum: new Uint8Array(BigInt64Array.of(97n - 128n - 1n).buffer),
      nulls: 0,
    })
  })
})

describe("statistics of types without an order", () => {
  it("are null counts", () => {
    const validity = Uint8Array.of(1, 0, 0)
    for (
      const [type, cellValNum] of [["blob", VAR], ["blob", 1], ["string_utf8", VAR], ["int32", 2], ["int32", VAR], [
        "string_utf16",
        1,
      ]] as const
    ) {
      const size = cellValNum === VAR ? sizeOf(type) : sizeOf(type) * cellValNum
      const offsets = cellValNum === VAR ? Uint32Array.of(0, size, 2 * size, 3 * size) : undefined
      const tile = { values: new Uint8Array(3 * size), offsets, validity }
      assertEquals(tileStatistics(fieldOf(type, cellValNum, true), tile), {
        min: undefined,
        max: undefined,
        sum: undefined,
        nulls: 2,
      })
    }
  })
})

describe("rectangles", () => {
  it("keep the first of −0 and 0, like the engine", () => {
    const schema = build.arraySchema({
      arrayType: "sparse",
      dimensions: [build.dimension("x", "float64", -1, 1, null)],
      attributes: [],
    })
    const [field] = fieldsOf(schema).dimensions
    for (const zeros of [[0, -0], [-0, 0]]) {
      const tile = { values: new Uint8Array(Float64Array.from(zeros).buffer), offsets: undefined, validity: undefined }
      const { min, max } = tileStatistics(field, tile)
      assertEquals([min, max], [rawOf("float64", zeros[0]), rawOf("float64", zeros[0])])
    }
  })
})

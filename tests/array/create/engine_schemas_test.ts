/**
 * Schemas created by this library, compared byte for byte with those that TileDB creates from the same declarations.
 */
import { readdirSync, readFileSync } from "node:fs"
import { describe, it } from "node:test"
import { assert, assertEquals } from "@std/assert"
import { ArraySchema, Attr, Dim, Filter } from "../../../mod.ts"
import { decodeArraySchema, encode } from "../../../schema/mod.ts"
import { ArraySchema as Structure } from "../../../schema/array/array_schema.ts"
import { toHex } from "../../../schema/array/scalar.ts"
import { openArray } from "../../../src/array/open/open.ts"
import { packedArrays } from "../../support/packed_arrays.ts"
import { runOver } from "../../support/run_bytes.ts"

const files: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL("../engine_schemas.json", import.meta.url), "utf8"),
)
const bytesOf = (name: string): Uint8Array => Uint8Array.from(files[name].match(/../g)!, (byte) => parseInt(byte, 16))

const x = Dim.int32([1, 100], { tile: 10 })
const filters = [Filter.bitshuffle(), Filter.gzip({ level: 6 })]
const ours: Readonly<Record<string, ArraySchema.ArraySchema>> = {
  weather: ArraySchema.dense({
    dims: { lat: Dim.int32([1, 180], { tile: 30 }), lon: Dim.int32([1, 360], { tile: 30 }) },
    attrs: {
      temp: Attr.float32({ filters: [Filter.byteshuffle(), Filter.zstd({ level: 5 })] }),
      flag: Attr.nullable(Attr.uint8({ filters: [Filter.rle()] })),
      place: Attr.utf8({ filters: [Filter.zstd()] }),
    },
  }),
  hilbert: ArraySchema.sparse({
    dims: { f: Dim.float64([-90, 90]), s: Dim.ascii({ filters: [Filter.dictionary()] }) },
    attrs: {},
    order: "hilbert",
    capacity: 100,
    allowsDuplicates: true,
  }),
  orders: ArraySchema.sparse({
    dims: {
      a: Dim.int8([-100, 20], { filters }),
      b: Dim.uint64([0, 2n ** 64n - 11n], { tile: 10, filters }),
      c: Dim.float32([0.5, 2], { filters }),
      d: Dim.datetime("day", [new Date("2024-01-01"), "2024-12-31"], { tile: 7, filters }),
    },
    attrs: { v: Attr.int64({ filters: [Filter.noop()] }) },
    order: "col-major",
    tileOrder: "col-major",
    coordsFilters: [],
    offsetsFilters: [Filter.lz4({ level: 3 })],
    validityFilters: [Filter.bzip2({ level: 9 })],
  }),
  filters: ArraySchema.dense({
    dims: { x },
    attrs: {
      a: Attr.int32({ filters: [Filter.delta(), Filter.bit_width_reduction(), Filter.checksum_md5()] }),
      b: Attr.uint64({
        filters: [Filter.double_delta({ reinterpret: "uint32" }), Filter.positive_delta({ maxWindow: 512 })],
      }),
      c: Attr.float64({
        filters: [Filter.scale_float({ scale: 0.5, offset: 2, byteWidth: 4 }), Filter.xor(), Filter.checksum_sha256()],
      }),
      d: Attr.float32({ filters: [Filter.xor(), Filter.bit_width_reduction({ maxWindow: 128 }), Filter.gzip()] }),
    },
  }),
  cells: ArraySchema.dense({
    dims: { x },
    attrs: {
      three: Attr.multiValue(Attr.int32(), 3),
      bytes: Attr.char(),
      blob: Attr.blob(),
      numbers: Attr.nullable(Attr.varSized(Attr.float64())),
      filled: Attr.fill(Attr.int16(), -7),
      when: Attr.datetime("ns"),
      flag: Attr.bool(),
    },
  }),
  picture: ArraySchema.dense({
    dims: { y: Dim.uint16([1, 20], { tile: 4 }), x: Dim.uint16([1, 90], { tile: 30 }) },
    attrs: { rgb: Attr.uint8({ filters: [Filter.webp({ format: "rgb", quality: 80, lossless: true })] }) },
  }),
  enumerated: ArraySchema.dense({
    dims: { x },
    attrs: { color: Attr.enumerated(Attr.uint8(), "colors") },
    enumerations: { colors: ["red", "green"] },
  }),
  limited: ArraySchema.dense({
    dims: { i: Dim.int64([0, 99], { tile: 10 }), j: Dim.int64([0n, 9n], { tile: 5n }) },
    attrs: { v: Attr.float32() },
    currentDomain: { i: [0, 49] },
  }),
}

describe("schemas created by this library", () => {
  for (const name of Object.keys(files)) {
    it(`equal those that TileDB creates: ${name}`, () => {
      const theirs = decodeArraySchema(bytesOf(name), name)
      const file = theirs.enumerations[0]?.fileName
      const structure = ArraySchema.toStructure(ours[name], { enumerationFile: () => file })
      assertEquals(structure, theirs)
      assertEquals(toHex(encode(Structure, structure, 22)), files[name])
    })

    it(`survive a round trip through their structure: ${name}`, () => {
      const theirs = decodeArraySchema(bytesOf(name), name)
      const value = ArraySchema.fromStructure(theirs)
      assertEquals(ArraySchema.toStructure(value), theirs)
      assertEquals(ArraySchema.check(value), value)
    })
  }

  it("cover all files", () => assertEquals(Object.keys(ours).sort(), Object.keys(files).sort()))
})

describe("schemas of arrays that TileDB created", () => {
  const packs = readdirSync(new URL("../../golden/data", import.meta.url)).map((file) => file.split(".")[0])
  it("survive a round trip through values, and are valid", async () => {
    let count = 0
    const refused: Array<string> = []
    for (const { files, path, key } of packs.flatMap(packedArrays)) {
      const opened = await runOver(files, openArray(`mem://${path}`, key === undefined ? {} : { key }))
      assert("value" in opened, path)
      const { schema } = opened.value
      const value = ArraySchema.fromStructure(schema)
      assertEquals(ArraySchema.toStructure(value, { version: schema.version }), schema, path)
      try {
        ArraySchema.check(value)
      } catch (error) {
        refused.push((error as Error).message)
      }
      count++
    }
    assert(count > 100, `${count} arrays`)
    assertEquals([...new Set(refused)], [
      // the name of the anonymous attribute in engines 1.x
      "__attr: names that start with __ are reserved",
      // older engines accept this
      "bit_width_reduction_float64: filter 0, bit_width_reduction, does not support float64: integers, dates or times are required",
    ])
  })
})

/** Filtering tiles: results compared with naive implementations, and rejected values. */
import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals, assertThrows } from "@std/assert"
import * as Effect from "effect/Effect"
import { nativeCodecs } from "../../platform/codecs/layers/native.ts"
import { compileWebp, compileWebpEncoder } from "../../platform/codecs/webp/locate.ts"
import { withWebp } from "../../platform/codecs/webp/codec.ts"
import { CodecError } from "../../platform/errors.ts"
import { type Datatype, sizeOf } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { tileChunks } from "../../schema/tile/tile_chunks.ts"
import { withEncryption } from "../../src/filter/filters/encryption.ts"
import { FilterRefused } from "../../src/filter/part/errors.ts"
import { filterFoldedTile, unfilterFoldedTile } from "../../src/filter/pipeline/folded.ts"
import { filterTile } from "../../src/filter/pipeline/filter_tile.ts"
import { type TileContext, unfilterTile } from "../../src/filter/pipeline/pipeline.ts"
import type { Parts } from "../../src/filter/part/transform.ts"
import * as naive from "./naive.ts"

const types: ReadonlyArray<Datatype> = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]

/** Generates values of `type`: arbitrary 64-bit values, shifted, optionally as running sums. */
const cellsOf = (type: Datatype, minLength = 1): fc.Arbitrary<Uint8Array> =>
  fc.tuple(fc.nat(63), fc.boolean(), fc.array(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), { minLength }))
    .map(([shift, sums, values]) => {
      let sum = 0n
      return naive.bytesOf(
        ...values.map((v) => naive.int(sums ? sum += v >> BigInt(shift) : v >> BigInt(shift), sizeOf(type))),
      )
    })

const tile = (parts: Parts, original: number): Uint8Array => naive.persist([{ original, parts }])

/** Returns the error of rejected cells; fails if they are filtered. */
const refusal = (cells: Uint8Array, context: TileContext, offsets?: Uint32Array): FilterRefused => {
  let error: unknown
  try {
    filterTile(cells, context, offsets)
  } catch (thrown) {
    error = thrown
  }
  assert(error instanceof FilterRefused, `${error}`)
  return error
}

const bytes = (values: { readonly buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(values.buffer)
const doubleDelta: Filter = { type: "double_delta", level: -1, reinterpretDatatype: "any" }
const delta: Filter = { type: "delta", level: -1, reinterpretDatatype: "any" }
const positiveDelta = (maxWindow: number): Filter => ({ type: "positive_delta", maxWindow })
const scale = (byteWidth: number, factor = 1, offset = 0): Filter => ({
  type: "scale_float",
  scale: factor,
  offset,
  byteWidth,
})

describe("filters forward", () => {
  it("double delta is equal to the naive implementation, before format 22 without the first difference", () => {
    let refused = 0
    for (const type of types) {
      for (const engineVersion of [21, 22]) {
        fc.assert(
          fc.property(cellsOf(type), (data) => {
            const context = naive.context([doubleDelta], type, { engineVersion })
            const part = naive.doubleDeltaPart(data, type, engineVersion === 22)
            if (part === undefined) {
              refused++
              assertThrows(() => filterTile(data, context), FilterRefused, "exceeds 64 bits")
              return
            }
            const metadata = [naive.u32s(0, 1, data.length, part.length)]
            assertEquals(filterTile(data, context), tile({ metadata, data: part }, data.length))
          }),
          { numRuns: 60 },
        )
      }
    }
    assert(refused > 0)
  })

  it("bit-width reduction and positive delta are equal to the naive implementations", () => {
    for (const type of types) {
      const windows = fc.integer({ min: 8, max: 700 })
      fc.assert(
        fc.property(cellsOf(type), windows, (data, maxWindow) => {
          const { data: reduced, metadata } = naive.bitWidth(data, type, maxWindow)
          const made = filterTile(data, naive.context([{ type: "bit_width_reduction", maxWindow }], type))
          if (sizeOf(type) === 1) assertEquals(made, tile({ metadata: [], data }, data.length))
          else {
            // if the range overflows, the minimum is undefined
            const theirs = tile({ metadata, data: reduced }, data.length)
            const width = sizeOf(type)
            const header = 8 + 12 + 8
            for (let at = header; at < header + metadata[0].length - 8; at += width + 5) {
              if (made[at + width] === 8 * width) theirs.set(made.subarray(at, at + width), at)
            }
            assertEquals(made, theirs)
          }
          const sorted = naive.values(data, type).sort((a, b) => a < b ? -1 : a > b ? 1 : 0)
          const rising = naive.bytesOf(...sorted.map((value) => naive.int(value, sizeOf(type))))
          assertEquals(
            filterTile(rising, naive.context([positiveDelta(maxWindow)], type)),
            tile(naive.positiveDelta(rising, type, maxWindow), rising.length),
          )
        }),
        { numRuns: 60 },
      )
    }
  })

  it("positive delta rejects the first descending value, except at the start of a window", () => {
    for (
      const [type, values] of [
        ["int8", Int8Array.of(-5, -1, 3, 2, 9)],
        ["uint16", Uint16Array.of(1, 40000, 60000, 50000, 1)],
        ["int32", Int32Array.of(-9, 8, 8, -8, 8)],
        ["int64", BigInt64Array.of(-(1n << 40n), -1n, 1n << 60n, 5n, 6n)],
        ["uint64", BigUint64Array.of(1n, 1n << 63n, (1n << 63n) + 1n, 2n, 3n)],
      ] as const
    ) {
      const { cell, filter, detail: reason } = refusal(bytes(values), naive.context([positiveDelta(1024)], type))
      assertEquals([filter, cell], ["positive_delta", 3])
      assert(reason.includes("less than the previous value"), reason)
      const fits = naive.context([positiveDelta(3 * sizeOf(type))], type)
      if (type === "int8" || type === "int32") filterTile(bytes(values), fits)
    }
  })

  it("double delta rejects differences above 64 bits, with the cell", () => {
    const step = BigInt64Array.of(0n, 1n, (1n << 63n) - 1n, -2n)
    assertEquals(refusal(bytes(step), naive.context([doubleDelta], "int64")).cell, 3)
    const change = BigInt64Array.of(0n, (1n << 63n) - 1n, 0n)
    assertEquals(refusal(bytes(change), naive.context([doubleDelta], "int64")).cell, 2)
    const unsigned = BigUint64Array.of(0n, 1n << 63n, 0n)
    assertEquals(refusal(bytes(unsigned), naive.context([doubleDelta], "uint64")).cell, 1)
    // cells of two values, in the second chunk of a tile
    const pairs = new BigInt64Array(20_000)
    pairs[12_345] = (1n << 63n) - 1n
    pairs[12_346] = -(1n << 63n)
    assertEquals(refusal(bytes(pairs), naive.context([doubleDelta], "int64", { cellSize: 16 })).cell, 6173)
  })

  it("delta and double delta reject floats, and metadata that would be lost", () => {
    for (const filter of [delta, doubleDelta]) {
      const floats = refusal(new Uint8Array(16), naive.context([filter], "float64"))
      assertEquals([floats.filter, floats.cell], [filter.type, undefined])
      const lost = naive.context([{ type: "bit_width_reduction", maxWindow: 256 }, filter], "int64")
      assert(refusal(new Uint8Array(64), lost).detail.includes("would be lost"))
      // for values of one byte, no metadata would be lost
      const kept = naive.context([{ type: "checksum_md5" }, filter], "uint8")
      assertEquals(unfilterTile(filterTile(Uint8Array.of(3, 1, 2), kept), kept, 3), Uint8Array.of(3, 1, 2))
    }
  })

  it("an empty tile of var-sized cells is one empty chunk, or no chunk if engines could not read it", () => {
    const none = new Uint32Array(3)
    const empty = new Uint8Array()
    const count = (context: TileContext): number => tileChunks(filterTile(empty, context, none), "").count
    assertEquals(filterTile(empty, naive.context([], "char"), none), naive.bytesOf(naive.u32s(1, 0, 0, 0, 0)))
    assertEquals(filterTile(empty, naive.context([], "int32")), new Uint8Array(8))
    const [rle, xor, md5, lz4]: ReadonlyArray<Filter> = [
      { type: "rle", level: -1 },
      { type: "xor" },
      { type: "checksum_md5" },
      { type: "lz4", level: -1 },
    ]
    for (
      const filters of [[rle], [xor], [md5], [lz4], [positiveDelta(64)], [xor, lz4], [md5, rle], [{
        type: "noop",
      }]] as const
    ) {
      const context = naive.context(filters, "int32")
      assertEquals(count(context), 1)
      assertEquals(unfilterTile(filterTile(empty, context, none), context, 0).length, 0)
    }
    for (
      const filters of [[delta], [doubleDelta], [xor, rle], [xor, md5], [lz4, delta], [{ type: "noop" }, lz4]] as const
    ) {
      assertEquals(count(naive.context(filters, "int32")), 0)
      const whole = naive.context(filters, "int32", { filters: { maxChunkSize: 0, filters } })
      assertEquals(count(whole), 0)
    }
  })

  it("an empty chunk loses its part after a checksum, as in the engine", () => {
    const written = (...filters: ReadonlyArray<Filter>): string =>
      filterTile(new Uint8Array(), naive.context(filters, "int32"), new Uint32Array(3)).toHex()
    const sums = "010000000000000000000000d41d8cd98f00b204e9800998ecf8427e"
    const md5: Filter = { type: "checksum_md5" }
    // written by engine 2.30 for cells without values
    assertEquals(written(md5), `0100000000000000000000000000000020000000${"00000000"}${sums}`)
    for (const type of ["byteshuffle", "bitshuffle", "xor"] as const) {
      assertEquals(written(md5, { type }), `0100000000000000000000000000000024000000${"00000000"}00000000${sums}`)
    }
  })

  it("float scale rounds half away from zero and rejects values out of range", () => {
    const values = Float64Array.of(-0.5, 0.5, 1.5, -2.4999, NaN, 126.9, -128)
    const context = naive.context([scale(1, 0.5, 0.25)], "float64")
    const stored = (width: number, data: Uint8Array): Array<number> =>
      Array.from(filterTile(data, naive.context([scale(width, 2, 1)], "float64")).subarray(8 + 12 + 8))
    assertEquals(stored(1, bytes(Float64Array.of(0, 2, 4, 1, -1))), [0xff, 1, 2, 0, 0xff])
    assertEquals(stored(4, bytes(Float64Array.of(-3))), [0xfe, 0xff, 0xff, 0xff])
    assertEquals(stored(8, bytes(Float64Array.of(-2 * 2 ** 60 + 1))), [0, 0, 0, 0, 0, 0, 0, 0xf0])
    assertEquals(refusal(bytes(values), context).cell, 5)
    assertEquals(refusal(bytes(Float64Array.of(1, -64.5)), context).cell, 1)
    for (const [width, max] of [[1, 127], [2, 32767], [4, 2147483647], [8, 2 ** 63 - 1024]] as const) {
      const fits = naive.context([scale(width)], "float64")
      const edge = Float64Array.of(max, -max - (width === 8 ? 1024 : 1))
      assertEquals(unfilterTile(filterTile(bytes(edge), fits), fits, 16), bytes(edge))
      for (const beyond of [max + (width === 8 ? 1024 : 1), -Infinity]) {
        assertEquals(refusal(bytes(Float64Array.of(0, beyond)), fits).cell, 1)
      }
    }
    const far = refusal(bytes(Float32Array.of(0, 0, 1e30)), naive.context([{ type: "xor" }, scale(4)], "float32"))
    assertEquals([far.filter, far.cell], ["scale_float", 2])
    // after a filter that moves values, the error contains no cell number
    assertEquals(
      refusal(bytes(Float32Array.of(0, 0, 1e38)), naive.context([{ type: "byteshuffle" }, scale(1)], "float32")).cell,
      undefined,
    )
  })

  it("names the var-sized cell that contains a value", () => {
    const values = bytes(Int32Array.of(1, 2, 3, 2, 5))
    const offsets = Uint32Array.of(0, 0, 8, 8, 16, 20)
    assertEquals(refusal(values, naive.context([positiveDelta(1024)], "int32"), offsets).cell, 3)
  })

  it("encrypts every part with a different IV", () => {
    const context = {
      ...naive.context([], "uint8"),
      filters: withEncryption({ maxChunkSize: 65536, filters: [{ type: "checksum_md5" }] }),
    }
    const data = new Uint8Array(200_000).map((_, i) => i)
    const made = filterTile(data, context)
    assertEquals(unfilterTile(made, context, data.length), data)
    const table = tileChunks(made, "")
    const ivs = Array.from(
      table.offsets,
      (at) => [8, 44].map((part) => made.slice(at + part + 8, at + part + 20).join()),
    )
    assertEquals(new Set(ivs.flat()).size, 2 * table.count)
  })
})

describe("WebP forward", () => {
  const codecs = withWebp(nativeCodecs, compileWebp, compileWebpEncoder)

  it("preserves the pixels of all formats in lossless mode, in one chunk", async () => {
    const [webp, webpEncoder] = await Effect.runPromise(Effect.all([codecs.webp, codecs.webpEncoder]))
    for (const [format, depth] of [["rgb", 3], ["bgr", 3], ["rgba", 4], ["bgra", 4]] as const) {
      const [extentY, extentX] = [150, 160 * depth]
      const filter: Filter = { type: "webp", quality: 100, format, lossless: true, extentY, extentX }
      const context = naive.context([filter, { type: "checksum_md5" }], "uint8", { webp, webpEncoder })
      const data = Uint8Array.from({ length: extentY * extentX }, (_, i) => (i * i) >> 7)
      const made = filterTile(data, context)
      assertEquals(tileChunks(made, "").count, 1)
      assert(made.length < data.length)
      assertEquals(unfilterTile(made, context, data.length).every((byte, i) => byte === data[i]), true)
      assert(refusal(data.subarray(1), context).detail.includes("not a picture of 150 rows"))
      const none = assertThrows(() => filterTile(data, { ...context, webpEncoder: undefined }), CodecError, "layer")
      assertEquals(none.reason, "Missing")
    }
  })
})

describe("chunks", () => {
  const sizes = (made: Uint8Array): Array<number> => Array.from(tileChunks(made, "").original)

  it("of fixed-size cells contain all cells that fit into 64 KiB, or one if the pipeline requires it or a cell is larger", () => {
    const context = naive.context([], "uint8", { cellSize: 24 })
    assertEquals(sizes(filterTile(new Uint8Array(240_000), context)), [65520, 65520, 65520, 43440])
    assertEquals(sizes(filterTile(new Uint8Array(200_000), { ...context, cellSize: 100_000 })), [100_000, 100_000])
    const whole = { ...context, filters: { maxChunkSize: 0, filters: [] } }
    assertEquals(sizes(filterTile(new Uint8Array(240_000), whole)), [240_000])
    // 1.x uses the chunk size of the pipeline, and divides coordinates by dimension
    const old = { ...context, filters: { maxChunkSize: 1000, filters: [] }, version: 3, engineVersion: 3, cellSize: 16 }
    assertEquals(sizes(filterTile(new Uint8Array(3200), old)), [992, 992, 992, 224])
    assertEquals(sizes(filterTile(new Uint8Array(3200), { ...old, dimensions: 2 })), [1000, 600, 1000, 600])
  })

  it("of var-sized cells end at cell boundaries, and have at most 96 KiB unless a single cell is larger", () => {
    const cut = (lengths: ReadonlyArray<number>, ...filters: ReadonlyArray<Filter>): Array<number> => {
      const offsets = new Uint32Array(lengths.length + 1)
      lengths.forEach((length, i) => offsets[i + 1] = offsets[i] + length)
      return sizes(filterTile(new Uint8Array(offsets[lengths.length]), naive.context(filters, "char"), offsets))
    }
    assertEquals(cut([100, 200, 300]), [600])
    assertEquals(cut([65536]), [65536])
    assertEquals(cut([65000, 537]), [65537, 0])
    assertEquals(cut([65000, 537], delta), [65537])
    assertEquals(cut([32768, 200_000, 1]), [232_768, 1])
    assertEquals(cut([32769, 200_000, 1]), [32769, 200_000, 1])
    assertEquals(cut([40_000, 58_304, 1]), [98_304, 1])
    assertEquals(cut([40_000, 58_305, 1]), [40_000, 58_306])
    const lengths = fc.array(fc.oneof(fc.nat(2000), fc.nat(150_000)), { minLength: 1, maxLength: 60 })
    fc.assert(fc.property(lengths, (all) => {
      const ends = new Set<number>()
      all.reduce((sum, length) => (ends.add(sum + length), sum + length), 0)
      let at = 0
      for (const size of cut(all)) {
        at += size
        assert(ends.has(at) && (size <= 98_304 || all.some((length) => length > 32_768)), `${size} up to ${at}`)
      }
      assertEquals(at, all.reduce((sum, length) => sum + length, 0))
    }))
  })

  it("of var-sized cells in files of 2.0 to 2.2 are as large as the offsets of a whole tile", () => {
    const old = naive.context([], "char", { version: 5, engineVersion: 5 })
    const offsets = Uint32Array.from({ length: 8 }, (_, i) => 13 * i)
    const cut = (context: TileContext): Array<number> => sizes(filterTile(new Uint8Array(91), context, offsets))
    assertEquals(cut(old), [56, 35])
    // written by engine 2.0.8: the last tile of 27 cells with a capacity of 10
    assertEquals(cut({ ...old, tileCells: 10 }), [80, 11])
    assertEquals(cut({ ...old, tileCells: 1000 }), [91])
  })
})

describe("folded strings forward", () => {
  const text = new TextEncoder()
  const stringsOf = (strings: ReadonlyArray<string>) => {
    const offsets = new Uint32Array(strings.length + 1)
    strings.forEach((s, i) => offsets[i + 1] = offsets[i] + text.encode(s).length)
    return { bytes: text.encode(strings.join("")), offsets }
  }
  const width = (max: number): number => max < 256 ? 1 : max < 65536 ? 2 : 4

  it("are equal to the naive implementations, and can be reversed", () => {
    const word = fc.oneof(
      fc.constantFrom("", "a", "ab", "é"),
      fc.string(),
      fc.string({ minLength: 250, maxLength: 270 }),
    )
    const runs = fc.array(fc.tuple(word, fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(300))), { minLength: 1 })
    fc.assert(fc.property(runs, (runs) => {
      const all = runs.flatMap(([s, times]) => new Array<string>(times).fill(s))
      const strings = stringsOf(all)
      const longest = width(Math.max(...all.map((s) => text.encode(s).length)))
      let [run, longestRun] = [0, 0]
      all.forEach((s, i) => longestRun = Math.max(longestRun, run = i > 0 && s === all[i - 1] ? run + 1 : 1))
      for (
        const [type, twin] of [
          ["rle", naive.foldedRle(all, width(longestRun), longest)],
          ["dictionary", naive.foldedDictionary(all, width(all.length), longest)],
        ] as const
      ) {
        const context = naive.context([{ type, level: -1 }], "string_utf8")
        const made = filterFoldedTile(strings, context)
        assertEquals(made, tile(twin, strings.bytes.length))
        const back = unfilterFoldedTile(made, context, strings.bytes.length, all.length)
        assertEquals([Array.from(back.offsets), back.bytes], [Array.from(strings.offsets), strings.bytes])
        const more = naive.context(
          [{ type, level: -1 }, { type: "zstd", level: 1 }, { type: "checksum_md5" }],
          "string_utf8",
        )
        const again = unfilterFoldedTile(filterFoldedTile(strings, more), more, strings.bytes.length, all.length)
        assertEquals(again.bytes, strings.bytes)
      }
    }))
  })

  it("cannot be folded twice", () => {
    const rle: Filter = { type: "rle", level: -1 }
    const context = naive.context([rle, { type: "gzip", level: 1 }, rle], "string_ascii")
    assertThrows(() => filterFoldedTile(stringsOf(["a"]), context), FilterRefused, "rle")
  })

  it("a dictionary is rejected for other fields", () => {
    assertEquals(
      refusal(new Uint8Array(8), naive.context([{ type: "dictionary", level: -1 }], "int64")).filter,
      "dictionary",
    )
  })
})

import * as fc from "effect/FastCheck"
import { describe, it } from "node:test"
import { assert, assertEquals, assertThrows } from "@std/assert"
import { CodecError } from "../../platform/errors.ts"
import { type Datatype, sizeOf } from "../../schema/array/datatype.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import type { Filter } from "../../schema/array/filter.ts"
import { withEncryption } from "../../src/filter/filters/encryption.ts"
import { ChecksumMismatch, DecryptionFailed } from "../../src/filter/part/errors.ts"
import { isFolded, unfilterFoldedTile } from "../../src/filter/pipeline/folded.ts"
import { tileTable, unfilterChunk, unfilterTile } from "../../src/filter/pipeline/pipeline.ts"
import { transformOf } from "../../src/filter/pipeline/registry.ts"
import { inputTypes } from "../../src/filter/pipeline/type_flow.ts"
import * as naive from "./naive.ts"

const types: ReadonlyArray<Datatype> = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
const wide = types.slice(2)

/** Generates values of `type`, with small or arbitrary differences. */
const cells = (type: Datatype, maxLength = 300): fc.Arbitrary<Uint8Array> => {
  const size = sizeOf(type)
  const anything = fc.uint8Array({ minLength: 0, maxLength: maxLength * size }).map((b) =>
    b.slice(0, b.length - b.length % size)
  )
  const steps = fc.tuple(
    fc.bigInt({ min: -1000n, max: 1000n }),
    fc.array(fc.integer({ min: -200, max: 40000 }), { maxLength }),
  )
    .map(([first, deltas]) => {
      let value = first
      return naive.bytesOf(...deltas.map((d) => naive.int(value += BigInt(d), size)))
    })
  return fc.oneof(anything, steps)
}

const check = <T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void, numRuns = 60): void =>
  fc.assert(fc.property(arbitrary, law), { numRuns })

const returns = (
  filters: ReadonlyArray<Filter>,
  type: Datatype,
  chunks: ReadonlyArray<Uint8Array>,
  more = {},
): void => {
  const context = naive.context(filters, type, more)
  const tile = naive.filterTile(context, chunks)
  const before = tile.slice()
  const want = naive.bytesOf(...chunks)
  assertEquals(Uint8Array.from(unfilterTile(tile, context, want.length)), want)
  assertEquals(tile, before, "the input was modified")
  const odd = new Uint8Array(tile.length + 1) // the result must not depend on alignment
  odd.set(tile, 1)
  assertEquals(Uint8Array.from(unfilterTile(odd.subarray(1), context, want.length)), want)
}

const first = (filter: Filter, data: Uint8Array, type: Datatype) =>
  transformOf(filter).forward!(filter, { metadata: [], data }, {
    ...naive.context([filter], type),
    verifyChecksums: true,
  })

describe("reversed filters", () => {
  const simple: ReadonlyArray<Filter> = [
    { type: "noop" },
    { type: "byteshuffle" },
    { type: "bitshuffle" },
    { type: "xor" },
    { type: "checksum_md5" },
    { type: "checksum_sha256" },
    { type: "aes_256_gcm" },
    { type: "gzip", level: -1 },
    { type: "zstd", level: 1 },
    { type: "rle", level: 0 },
  ]
  for (const filter of simple) {
    it(`${filter.type} returns the original data, in one chunk and in several`, () => {
      for (const type of types) {
        check(fc.array(cells(type), { maxLength: 3 }), (chunks) => returns([filter], type, chunks), 15)
      }
    })
  }

  it("an empty pipeline returns the bytes; one chunk is a view", () => {
    const context = naive.context([], "int32")
    const tile = naive.filterTile(context, [Uint8Array.of(1, 2, 3, 4)])
    assert(unfilterTile(tile, context, 4).buffer === tile.buffer)
    returns([], "int32", [Uint8Array.of(1, 2, 3, 4), Uint8Array.of(5, 6, 7, 8)])
    assertEquals(unfilterTile(new Uint8Array(8), context, 0).length, 0)
  })

  it("byteshuffle puts byte k of value i at k · n + i and copies the rest", () => {
    check(fc.tuple(fc.constantFrom(...types), fc.uint8Array({ maxLength: 600 })), ([type, data]) => {
      const size = sizeOf(type)
      const n = Math.floor(data.length / size)
      const want = data.map((byte, at) => at < n * size ? data[(at % n) * size + Math.floor(at / n)] : byte)
      assertEquals(first({ type: "byteshuffle" }, data, type).data, want)
      returns([{ type: "byteshuffle" }], type, [data])
    })
  })

  it("bitshuffle transposes the bits of each 8192-byte block", () => {
    check(
      fc.tuple(fc.constantFrom(...types), fc.integer({ min: 0, max: 20000 }), fc.integer()),
      ([type, length, seed]) => {
        const size = sizeOf(type)
        const data = Uint8Array.from({ length }, (_, i) => Math.imul(i + 1, seed | 1) >>> 13)
        const head = length - length % 8
        const block = (at: number) => data.subarray(at, Math.min(at + 8192, head))
        const want = head % size !== 0 ? data : naive.bytesOf(
          ...Array.from({ length: Math.ceil(head / 8192) }, (_, i) => naive.bitshuffleBlock(block(8192 * i), size)),
          data.subarray(head),
        )
        assertEquals(first({ type: "bitshuffle" }, data, type).data, want)
        returns([{ type: "bitshuffle" }], type, [data])
      },
      25,
    )
  })

  it("delta returns values of every size; an extra step (2.16) is ignored", () => {
    for (const type of types) {
      const filter: Filter = { type: "delta", level: -1, reinterpretDatatype: "any" }
      check(cells(type), (data) => {
        if (data.length === 0) return
        returns([filter], type, [data])
        const size = sizeOf(type)
        const [want, context] = [naive.values(data, type), naive.context([filter], type)]
        const steps = want.map((v, i) => naive.int(i === 0 ? v : v - want[i - 1], size))
        const part = naive.bytesOf(naive.int(want.length, 8), ...steps, naive.int(77, size))
        const metadata = [naive.u32s(0, 1, data.length, part.length)]
        const tile = naive.persist([{ original: data.length, parts: { metadata, data: part } }])
        assertEquals(unfilterTile(tile, context, data.length), data)
      }, 20)
    }
  })

  it("double delta returns values of every size", () => {
    let raw = 0
    let packed = 0
    for (const type of types) {
      const filter: Filter = { type: "double_delta", level: -1, reinterpretDatatype: "any" }
      check(cells(type), (data) => {
        for (const firstDelta of [true, false]) {
          const part = data.length === 0 ? undefined : naive.doubleDeltaPart(data, type, firstDelta)
          if (part === undefined) continue
          part[0] >= 8 * sizeOf(type) - 1 ? raw++ : packed++
          const metadata = [naive.u32s(0, 1, data.length, part.length)]
          const tile = naive.persist([{ original: data.length, parts: { metadata, data: part } }])
          assertEquals(Uint8Array.from(unfilterTile(tile, naive.context([filter], type), data.length)), data)
        }
      }, 100)
    }
    assert(raw > 20 && packed > 20, `${raw} raw, ${packed} packed`)
  })

  it("double delta reads every bit size of 64-bit values", () => {
    const filter: Filter = { type: "double_delta", level: -1, reinterpretDatatype: "any" }
    for (let bits = 1; bits < 63; bits++) {
      const top = 1n << BigInt(bits - 1)
      const v: Array<bigint> = [5n, -9n]
      let step = -14n
      for (const change of [top, -top, 1n, top + top - 1n, -(top + top - 1n), 0n, -top, top, -1n]) {
        v.push(v[v.length - 1] + (step += change))
      }
      const data = naive.bytesOf(...v.map((x) => naive.int(x, 8)))
      const part = naive.doubleDeltaPart(data, "int64", false)
      if (part === undefined) continue
      assertEquals(part[0], bits)
      const metadata = [naive.u32s(0, 1, data.length, part.length)]
      const tile = naive.persist([{ original: data.length, parts: { metadata, data: part } }])
      assertEquals(unfilterTile(tile, naive.context([filter], "int64"), data.length), data)
    }
  })

  it("bit-width reduction and positive delta return values in windows of every kind", () => {
    for (const type of types) {
      check(fc.tuple(cells(type), fc.integer({ min: 8, max: 700 })), ([data, maxWindow]) => {
        if (data.length === 0) return
        if (sizeOf(type) > 1) returns([{ type: "bit_width_reduction", maxWindow }], type, [data])
        returns([{ type: "positive_delta", maxWindow }], type, [data])
      }, 40)
    }
    // windows that are not a multiple of the value size, which occur for var-sized data and metadata
    for (const type of wide) {
      check(
        fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 8, max: 90 })),
        ([data, maxWindow]) => {
          returns([{ type: "bit_width_reduction", maxWindow }], type, [data])
          returns([{ type: "positive_delta", maxWindow }], type, [data])
        },
      )
    }
  })

  it("bit-width reduction and positive delta do not change dates before format 20", () => {
    const data = naive.bytesOf(...[1n, 2n, 300n].map((v) => naive.int(v, 8)))
    for (const type of ["bit_width_reduction", "positive_delta"] as const) {
      const filter: Filter = { type, maxWindow: 64 }
      returns([filter], "datetime_ms", [data])
      const untouched = naive.persist([{ original: 24, parts: { metadata: [], data } }])
      const old = naive.context([filter], "datetime_ms", { version: 19, engineVersion: 22 })
      assertEquals(unfilterTile(untouched, old, 24), data)
      assertThrows(() => unfilterTile(untouched, { ...old, version: 20 }, 24), FormatError)
      for (const other of ["float64", "string_ascii", "char"] as const) {
        assertEquals(unfilterTile(untouched, naive.context([filter], other), 24), data)
      }
    }
  })

  it("rle counts cells of several values, runs of more than 65535 included", () => {
    check(
      fc.tuple(fc.constantFrom(1, 2, 3, 4, 8, 12, 24), fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 40 })))),
      ([
        cellSize,
        runs,
      ]) => {
        const data = naive.bytesOf(
          ...runs.flatMap(([v, n]) => Array.from({ length: n }, () => new Uint8Array(cellSize).fill(v))),
        )
        returns([{ type: "rle", level: 0 }], "uint8", [data], { cellSize })
      },
    )
    const long = new Uint8Array(2 * 70000).fill(7)
    assertEquals(
      first({ type: "rle", level: 0 }, long, "int16").data,
      Uint8Array.of(7, 7, 0xff, 0xff, 7, 7, 0x11, 0x71),
    )
    returns([{ type: "rle", level: 0 }], "int16", [long])
  })

  it("float scale returns scale · i + offset in the field's type", () => {
    for (const type of ["float32", "float64"] as const) {
      for (const byteWidth of [1, 2, 4, 8]) {
        check(
          fc.tuple(
            fc.array(fc.integer({ min: -128, max: 127 }), { minLength: 1 }),
            fc.double({ min: 0.001, max: 9, noNaN: true }),
          ),
          ([
            integers,
            scale,
          ]) => {
            const context = naive.context([{ type: "scale_float", scale, offset: 0.31589, byteWidth }], type)
            const stored = naive.bytesOf(...integers.map((v) => naive.int(v, byteWidth)))
            const size = integers.length * sizeOf(type)
            const parts = { metadata: [naive.u32s(1, stored.length)], data: stored }
            const out = unfilterTile(naive.persist([{ original: size, parts }]), context, size).slice().buffer
            const want = integers.map((v) => scale * v + 0.31589)
            assertEquals(
              Array.from(type === "float32" ? new Float32Array(out) : new Float64Array(out)),
              type === "float32" ? Array.from(Float32Array.from(want)) : want,
            )
          },
          20,
        )
      }
    }
  })

  it("chains pass metadata through compressors, ciphers and checksums", () => {
    const pool: ReadonlyArray<Filter> = [
      { type: "noop" },
      { type: "byteshuffle" },
      { type: "bitshuffle" },
      { type: "bit_width_reduction", maxWindow: 48 },
      { type: "positive_delta", maxWindow: 64 },
      { type: "checksum_md5" },
      { type: "checksum_sha256" },
      { type: "zstd", level: 3 },
      { type: "gzip", level: 6 },
      { type: "aes_256_gcm" },
    ]
    const chain = fc.array(fc.constantFrom(...pool), { minLength: 2, maxLength: 6 })
    check(
      fc.tuple(chain, fc.constantFrom(...types), fc.uint8Array({ minLength: 1, maxLength: 500 })),
      ([filters, type, data]) => {
        returns(filters, type, [data, data.subarray(0, 1 + data.length >> 1)])
      },
      150,
    )
  })

  it("a single chunk can be unfiltered", () => {
    const context = naive.context([{ type: "zstd", level: 3 }], "uint8")
    const chunks = [[1, 2], [3], [], [4, 5, 6]].map((c) => Uint8Array.from(c))
    const tile = naive.filterTile(context, chunks)
    const table = tileTable(tile, context, 6)
    chunks.forEach((chunk, i) => assertEquals(Uint8Array.from(unfilterChunk(tile, table, i, context)), chunk))
  })
})

describe("folded strings", () => {
  const widths = fc.constantFrom(1, 2, 4, 8)
  const words = fc.array(fc.constantFrom("", "a", "bb", "HG543232", "ü", "x".repeat(90)), {
    minLength: 1,
    maxLength: 60,
  })
  const text = new TextDecoder()

  for (const type of ["rle", "dictionary"] as const) {
    it(`${type} returns strings and offsets, alone and before other filters`, () => {
      check(fc.tuple(words, widths, widths, fc.boolean()), ([strings, a, b, more]) => {
        const filters: ReadonlyArray<Filter> = [
          { type, level: 0 },
          ...(more ? [{ type: "zstd", level: 3 } as const] : []),
        ]
        const context = naive.context(filters, "string_ascii")
        const parts = (type === "rle" ? naive.foldedRle : naive.foldedDictionary)(strings, a, b)
        const size = new TextEncoder().encode(strings.join("")).length
        const tile = naive.persist([{ original: size, parts: naive.forward(context, parts, 1) }])
        const { bytes, offsets } = unfilterFoldedTile(tile, context, size, strings.length)
        assertEquals(strings.map((_, i) => text.decode(bytes.subarray(offsets[i], offsets[i + 1]))), strings)
        assertEquals([offsets.length, offsets[strings.length]], [strings.length + 1, size])
        assertThrows(() => unfilterFoldedTile(tile, context, size, strings.length - 1), FormatError)
      })
    })
  }

  it("are folded by type and version", () => {
    const pipeline = (type: "rle" | "dictionary" | "zstd") => ({
      maxChunkSize: 0,
      filters: [{ type, level: 0 }] as const,
    })
    assertEquals(isFolded(pipeline("rle"), "string_ascii", true, 12), true)
    assertEquals(isFolded(pipeline("rle"), "string_ascii", true, 11), false)
    assertEquals(isFolded(pipeline("dictionary"), "string_ascii", true, 13), true)
    assertEquals(isFolded(pipeline("dictionary"), "string_ascii", true, 12), false)
    assertEquals(isFolded(pipeline("rle"), "string_utf8", true, 17), true)
    assertEquals(isFolded(pipeline("rle"), "string_utf8", true, 16), false)
    assertEquals(isFolded(pipeline("rle"), "string_ascii", false, 22), false)
    assertEquals(isFolded(pipeline("rle"), "char", true, 22), false)
    assertEquals(isFolded(pipeline("zstd"), "string_ascii", true, 22), false)
    assertEquals(isFolded({ maxChunkSize: 0, filters: [] }, "string_ascii", true, 22), false)
  })
})

describe("types and errors", () => {
  it("each filter receives the output type of the previous one, except in files of engines before 2.17", () => {
    const filters: ReadonlyArray<Filter> = [
      { type: "scale_float", scale: 1, offset: 0, byteWidth: 2 },
      { type: "byteshuffle" },
      { type: "delta", level: -1, reinterpretDatatype: "uint8" },
      { type: "xor" },
      { type: "aes_256_gcm" },
      { type: "noop" },
    ]
    assertEquals(inputTypes(filters, "float64", 20), ["float64", "int16", "int16", "uint8", "int8", "blob"])
    assertEquals(inputTypes(filters, "float64", 19), filters.map(() => "float64" as const))
  })

  it("a wrong checksum is reported with file, offset and algorithm, unless verification is disabled", () => {
    for (const [type, algorithm] of [["checksum_md5", "md5"], ["checksum_sha256", "sha256"]] as const) {
      const context = naive.context([{ type }], "uint8")
      const tile = naive.filterTile(context, [Uint8Array.of(1, 2, 3), Uint8Array.of(4)])
      tile[tile.length - 1] ^= 1
      const error = assertThrows(() => unfilterTile(tile, context, 4), ChecksumMismatch)
      const offset = 1000 + 8 + 12 + 8 + 8 + (algorithm === "md5" ? 16 : 32) + 3
      assertEquals([error._tag, error.uri, error.offset, error.algorithm], [
        "ChecksumMismatch",
        context.uri,
        offset,
        algorithm,
      ])
      assertEquals(Array.from(unfilterTile(tile, { ...context, verifyChecksums: false }, 4)), [1, 2, 3, 5])
    }
  })

  it("a missing, short or wrong key is reported without the key", () => {
    const pipeline = withEncryption({ maxChunkSize: 65536, filters: [{ type: "zstd", level: 3 }] })
    assertEquals(pipeline.filters.map((f) => f.type), ["zstd", "aes_256_gcm"])
    const context = naive.context(pipeline.filters, "uint8")
    const tile = naive.filterTile(context, [Uint8Array.of(1, 2, 3)])
    const fails = (key: Uint8Array | undefined, hint: string) =>
      assertThrows(() => unfilterTile(tile, { ...context, key }, 3), DecryptionFailed, hint)
    fails(undefined, "it is encrypted; provide `key`")
    fails(new Uint8Array(16), "32 bytes")
    fails(new Uint8Array(32), "wrong key")
    assertEquals(Array.from(unfilterTile(tile, context, 3)), [1, 2, 3])
  })

  it("damage is a FormatError with the file, the offset of the chunk and the filter", () => {
    const context = naive.context([{ type: "zstd", level: 3 }], "uint8")
    const tile = naive.filterTile(context, [Uint8Array.of(1, 2, 3)])
    tile[tile.length - 5] ^= 0xff
    tile[8 + 12 + 8] ^= 4
    const error = assertThrows(() => unfilterTile(tile, context, 3), FormatError, "mem://a.tdb")
    assertEquals([error.path, error.offset, error.version], ["chunks.0.zstd", 1008, 22])
  })

  it("sizes above the limit are rejected before allocation", () => {
    const context = naive.context([{ type: "zstd", level: 3 }], "uint8")
    const tile = naive.filterTile(context, [new Uint8Array(1000)])
    assertThrows(() => unfilterTile(tile, context, 999), FormatError, "the maximum is 999")
    const forged = naive.persist([{
      original: 10,
      parts: { metadata: [naive.u32s(0, 1, 0xfffffff0, 5)], data: Uint8Array.of(1, 2, 3, 4, 5) },
    }])
    assertThrows(() => unfilterTile(forged, context, 10), FormatError, "claims 4294967280 bytes")
  })
})

describe("WebP", () => {
  const webp = {
    decode: () => ({ width: 2, height: 2, rgba: Uint8Array.from({ length: 16 }, (_, i) => i) }),
  }
  const unfiltered = (format: "rgb" | "bgr" | "rgba" | "bgra" | "none", more: object = { webp }) => {
    const depth = format === "rgb" || format === "bgr" ? 3 : 4
    const filter: Filter = { type: "webp", quality: 100, format, lossless: true, extentY: 2, extentX: 2 * depth }
    const file = Uint8Array.of(1, 2, 3)
    const tile = naive.persist([{ original: 4 * depth, parts: { metadata: [naive.u32s(1, file.length)], data: file } }])
    return Array.from(unfilterTile(tile, naive.context([filter], "uint8", more), 4 * depth))
  }

  it("uses the colour order of the format", () => {
    assertEquals(unfiltered("rgb"), [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14])
    assertEquals(unfiltered("bgr"), [2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12])
    assertEquals(unfiltered("rgba"), Array.from({ length: 16 }, (_, i) => i))
    assertEquals(unfiltered("bgra").slice(0, 8), [2, 1, 0, 3, 6, 5, 4, 7])
  })

  it("requires the codec, a format, and a picture of the right size", () => {
    assertThrows(() => unfiltered("rgb", {}), CodecError, "provide a layer")
    assertThrows(() => unfiltered("none"), FormatError, "the colour format is not set")
    const picture = (width: number, height: number) => ({
      webp: { decode: () => ({ width, height, rgba: new Uint8Array(4 * width * height) }) },
    })
    assertThrows(() => unfiltered("rgb", picture(2, 3)), FormatError, "claims 18 bytes")
    assertThrows(() => unfiltered("rgb", picture(2, 1)), FormatError, "unfiltered to 6 bytes instead of 12")
  })

  it("passes the maximum number of pixels to the codec, which rejects larger pictures before allocation", () => {
    const limits: Array<number | undefined> = []
    const refusing = {
      decode: (_file: Uint8Array, pixels?: number) => {
        limits.push(pixels)
        throw new CodecError({ codec: "webp", detail: "too many pixels" })
      },
    }
    assertThrows(() => unfiltered("rgb", { webp: refusing }), FormatError, "too many pixels")
    assertThrows(() => unfiltered("rgba", { webp: refusing }), FormatError, "too many pixels")
    assertEquals(limits, [4, 4])
  })
})

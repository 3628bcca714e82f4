/** Rejected input, and the error messages. */
import { describe, it } from "node:test"
import { assert, assertEquals, assertThrows } from "@std/assert"
import { BinaryIssue, decode, encode } from "../../schema/binary/mod.ts"
import {
  type ArraySchema,
  ArraySchema as ArraySchemaCodec,
  Attribute,
  Chunks,
  Condition,
  type ConditionNode,
  consolidatedFooters,
  ConsolidatedFragmentMetadata,
  consolidateFooters,
  decodeArraySchema,
  decodeFooter,
  decodeGenericTile,
  decodeGenericTileHeader,
  footerLength,
  footerSchemaName,
  FormatError,
  fragmentFooter,
  GenericTileHeader,
  GroupDetails,
  MetadataEntries,
  noFilters,
  rtree,
  tileChunks,
  TileOffsets,
  VAR,
} from "../../schema/mod.ts"

const u32s = (...values: ReadonlyArray<number>): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer)

const schema: ArraySchema = {
  version: 22,
  allowsDuplicates: false,
  arrayType: "dense",
  tileOrder: "row-major",
  cellOrder: "row-major",
  capacity: 10000,
  coordsFilters: noFilters,
  offsetsFilters: noFilters,
  validityFilters: noFilters,
  dimensions: [{
    name: "d",
    type: "int32",
    cellValNum: 1,
    filters: noFilters,
    domain: u32s(1, 9),
    tileExtent: u32s(3),
  }],
  attributes: [{
    name: "a",
    type: "float64",
    cellValNum: 2,
    filters: noFilters,
    fillValue: new Uint8Array(16),
    nullable: false,
    fillValueValidity: 0,
    order: "unordered",
    enumeration: "",
  }],
  dimensionLabels: [],
  enumerations: [],
  currentDomain: { empty: false, ranges: [{ low: u32s(1), high: u32s(5) }] },
}

describe("versions", () => {
  it("above 23 are rejected with advice", () => {
    const error = assertThrows(
      () => decodeArraySchema(u32s(24, 0, 0, 0), "mem://s"),
      FormatError,
      "use a newer tessera",
    )
    assertEquals([error.uri, error.path, error.offset, error.version], ["mem://s", "", 0, 24])
  })

  it("with all bits set are reported as experimental", () => {
    assertThrows(() => decodeArraySchema(u32s(0xffffffff), "mem://s"), FormatError, "experimental")
    assertThrows(() => footerSchemaName(u32s(0xffffffff), "mem://f"), FormatError, "experimental")
    assertThrows(() => decodeGenericTileHeader(u32s(0xffffffff, 1), "mem://f"), FormatError, "experimental")
  })

  it("are missing before 1.4", () => {
    assertThrows(() => decodeArraySchema(u32s(0, 0), "mem://s"), FormatError, "predates TileDB 1.4")
    assertThrows(() => decodeGenericTileHeader(u32s(81, 0, 100, 0), "mem://s"), FormatError, "predates TileDB 1.4")
    assertThrows(() => decodeGenericTileHeader(new Uint8Array(3), "mem://s"), FormatError, "need 4 bytes")
  })

  it("of a structure must be the version used for reading", () => {
    const bytes = encode(ArraySchemaCodec, schema, 22)
    assertEquals(decodeArraySchema(bytes, "mem://s"), schema)
    assertThrows(() => decode(ArraySchemaCodec, bytes, 21, "mem://s"), FormatError, "has format version 22")
  })

  it("of groups are independent of the format version", () => {
    assertThrows(
      () => decode(GroupDetails, u32s(3, 0, 0), 22, "mem://g"),
      FormatError,
      "unknown version 3 of a group",
    )
  })
})

describe("array schemas", () => {
  it("are rejected with the position of the damage", () => {
    const bytes = encode(ArraySchemaCodec, schema, 22)
    const cut = assertThrows(
      () => decodeArraySchema(bytes.subarray(0, 60), "mem://s"),
      FormatError,
      "mem://s: dimensions",
    )
    assert(cut.path.startsWith("dimensions.0."), cut.path)
    assertThrows(
      () => decodeArraySchema(Uint8Array.of(...bytes, 0), "mem://s"),
      FormatError,
      "1 unexpected bytes at the end",
    )
  })

  it("require a fill value of the size of a cell", () => {
    const bad = { ...schema, attributes: [{ ...schema.attributes[0], fillValue: new Uint8Array(8) }] }
    const error = assertThrows(() => encode(ArraySchemaCodec, bad, 22), BinaryIssue, "8 bytes for cells of 16")
    assert(error.message.startsWith("attributes.0.fillValue: "), error.message)
  })

  it("before format 6 have the default fill value, which is limited in size", () => {
    const attribute = { ...schema.attributes[0], type: "int16", cellValNum: 3 } as const
    const bytes = encode(Attribute, attribute, 5)
    assertEquals(decode(Attribute, bytes, 5, "mem://a").fillValue, Uint8Array.of(0, 128, 0, 128, 0, 128))
    const forged = encode(Attribute, { ...attribute, cellValNum: VAR - 1 }, 5)
    assertThrows(() => decode(Attribute, forged, 5, "mem://a"), FormatError, "exceeds the supported size")
  })
})

describe("counts", () => {
  const huge = new Uint8Array(24)
  new DataView(huge.buffer).setBigUint64(0, 1n << 40n, true)

  it("that exceed the remaining bytes are rejected before allocation", () => {
    assertThrows(() => decode(TileOffsets, huge, 22, "mem://o"), FormatError, "cannot fit")
    assertThrows(() => decode(Chunks, huge, 22, "mem://c"), FormatError, "cannot fit")
    assertThrows(() => tileChunks(huge, "mem://c"), FormatError, "cannot fit")
    const tree = Uint8Array.of(10, 0, 0, 0, 1, 0, 0, 0, ...huge)
    assertThrows(() => decode(rtree([{ type: "int8", var: false }]), tree, 22, "mem://r"), FormatError, "cannot fit")
    assertThrows(() => decode(rtree([{ type: "char", var: true }]), tree, 22, "mem://r"), FormatError, "levels.0")
    const entry = Uint8Array.of(0, 0, 0, 0, 0, 1, 255, 255, 255, 255)
    assertThrows(() => decode(MetadataEntries, entry, 22, "mem://m"), FormatError, "0.value: need 34359738360 bytes")
  })

  it("above 2^53 − 1 are rejected", () => {
    const past = new Uint8Array(16).fill(255)
    past.set([1, 0, 0, 0, 0, 0, 0, 0])
    assertThrows(() => decode(TileOffsets, past, 22, "mem://o"), FormatError, "past 2^53 - 1")
  })
})

describe("conditions", () => {
  const nested = (depth: number): ConditionNode => {
    let node: ConditionNode = { kind: "value", op: "eq", field: "a", value: Uint8Array.of(1) }
    for (let i = 0; i < depth; i++) node = { kind: "expression", op: "not", children: [node] }
    return node
  }

  it("are read up to a maximum depth", () => {
    const deep = encode(Condition, nested(400), 22)
    assertEquals(encode(Condition, decode(Condition, deep, 22, "mem://d"), 22), deep)
    assertThrows(
      () => decode(Condition, encode(Condition, nested(3000), 22), 22, "mem://d"),
      FormatError,
      "nested deeper",
    )
  })
})

describe("generic tiles", () => {
  const header = {
    version: 22,
    persistedSize: 5,
    tileSize: 9,
    datatype: "char",
    cellSize: 1,
    encryption: "none",
    filters: { maxChunkSize: 65536, filters: [{ type: "gzip", level: 1 }] },
  } as const

  it("are read from a longer file", () => {
    const head = encode(GenericTileHeader, header, 22)
    const file = Uint8Array.of(...head, 1, 2, 3, 4, 5, 99)
    const tile = decodeGenericTile(file, "mem://t", 70)
    assertEquals(tile.header, header)
    assertEquals([tile.headerSize, tile.size], [52, 57])
    assertEquals(tile.data, Uint8Array.of(1, 2, 3, 4, 5))
    const error = assertThrows(
      () => decodeGenericTile(file.subarray(0, 55), "mem://t", 70),
      FormatError,
      "need 5 bytes",
    )
    assertEquals(error.offset, 74)
  })

  it("reject a pipeline size that differs from the pipeline", () => {
    const head = encode(GenericTileHeader, header, 22)
    head[30] -= 1
    const error = assertThrows(() => decodeGenericTileHeader(head, "mem://t"), FormatError, "filters.filters")
    assertEquals(error.offset > 34, true)
  })
})

describe("chunks", () => {
  it("are located", () => {
    const chunks = [
      { original: 7, metadata: Uint8Array.of(1, 2), filtered: Uint8Array.of(3) },
      { original: 0, metadata: new Uint8Array(0), filtered: new Uint8Array(0) },
    ]
    const bytes = encode(Chunks, chunks, 22)
    const table = tileChunks(bytes, "mem://t")
    assertEquals([table.count, table.totalOriginal, table.size], [2, 7, bytes.byteLength])
    assertEquals(Array.from(table.offsets), [20, 35])
    assertEquals([Array.from(table.metadata), Array.from(table.filtered)], [[2, 0], [1, 0]])
    assertThrows(
      () => tileChunks(Uint8Array.of(...bytes, 1), "mem://t"),
      FormatError,
      "unexpected bytes after the last chunk",
    )
    assertEquals(tileChunks(Uint8Array.of(...bytes, 1), "mem://t", { rest: true }).size, bytes.byteLength)
    const error = assertThrows(() => tileChunks(bytes.subarray(0, 34), "mem://t", { base: 100 }), FormatError)
    assertEquals([error.path, error.offset], ["chunks.1", 123])
  })
})

describe("footers", () => {
  it("have a length that follows from the schema, or is stored at the end", () => {
    assertEquals(footerLength(3, { attributes: 2, dimensions: [4, 4] }), 30 + 16 + 8 * (3 + 2 + 3 + 2 + 2))
    assertEquals(footerLength(5, { attributes: 2, dimensions: [4, 8] }), 30 + 24 + 8 * 5 * 5)
    assertEquals(footerLength(9, { attributes: 2, dimensions: [4, 8] }), 30 + 24 + 8 * 7 * 5)
    assertEquals(footerLength(9, { attributes: 2, dimensions: [4, "var"] }), "trailing")
    assertEquals(footerLength(10, { attributes: 2, dimensions: [4, 8] }), "trailing")
  })

  const shape = { attributes: 1, dimensions: [1] }
  const five = (base: number) => Float64Array.from([base, 0, base + 1])
  const footer = (version: number, sections: ReadonlyArray<{ id: number; bytes: Uint8Array }> = []) => ({
    version,
    schemaName: "__1_1_s",
    dense: true,
    nonEmptyDomain: [{ low: Uint8Array.of(1), high: Uint8Array.of(2) }],
    sparseTileCount: 0,
    lastTileCells: 2,
    hasTimestamps: false,
    hasDeleteMetadata: false,
    fileSizes: five(1),
    varFileSizes: five(2),
    validityFileSizes: five(3),
    rtreeOffset: 0,
    tileOffsets: five(4),
    varTileOffsets: five(5),
    varTileSizes: five(6),
    validityTileOffsets: five(7),
    tileMins: five(8),
    tileMaxes: five(9),
    tileSums: five(10),
    tileNullCounts: five(11),
    fragmentStatisticsOffset: version >= 12 ? 99 : 0,
    processedConditionsOffset: version >= 16 ? 100 : 0,
    optionalSections: sections,
  })

  it("of format 11 may be followed by stray bytes, others may not", () => {
    for (const version of [11, 12]) {
      const bytes = Uint8Array.of(...encode(fragmentFooter(shape), footer(version), version), ...new Uint8Array(8))
      assertEquals(footerSchemaName(bytes, "mem://f"), "__1_1_s")
      if (version === 11) assertEquals(decodeFooter(bytes, shape, "mem://f"), footer(11))
      else assertThrows(() => decodeFooter(bytes, shape, "mem://f"), FormatError, "8 unexpected bytes at the end")
    }
  })

  it("of format 23 keep unknown sections", () => {
    const value = footer(23, [{ id: 7, bytes: Uint8Array.of(1, 2, 3) }, { id: 0, bytes: new Uint8Array(16) }])
    assertEquals(decodeFooter(encode(fragmentFooter(shape), value, 23), shape, "mem://f"), value)
  })

  it("are found in consolidated footers, even out of order", () => {
    const parts = [{ name: "b", footer: Uint8Array.of(1, 2) }, { name: "ü", footer: Uint8Array.of(3) }]
    const made = consolidateFooters(parts)
    const bytes = encode(ConsolidatedFragmentMetadata, made, 22)
    assertEquals(Array.from(bytes.subarray(made.entries[1].offset)), [3])
    const read = decode(ConsolidatedFragmentMetadata, bytes, 22, "mem://m")
    const turned = { ...read, entries: read.entries.toReversed() }
    for (const metadata of [read, turned]) {
      const footers = consolidatedFooters(metadata, 22, "mem://m")
      for (const { name, footer } of parts) assertEquals(footers.get(name), footer)
    }
    const outside = { ...read, entries: [{ name: "b", offset: 3 }] }
    assertThrows(() => consolidatedFooters(outside, 22, "mem://m"), FormatError, "outside the footers")
  })
})

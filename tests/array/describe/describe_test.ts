import { describe, it } from "node:test"
import { assertEquals } from "@std/assert"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import type { Filter } from "../../../schema/array/filter.ts"
import { scalarBytes } from "../../../schema/array/scalar.ts"
import {
  describeEnumerations,
  describeFilter,
  describeFragments,
  describeMetadata,
  describeSchema,
} from "../../../src/array/describe/describe.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)
const pipeline = (...filters: ReadonlyArray<Filter>) => ({ maxChunkSize: 65536, filters })
const two = (low: number, high: number) => Uint8Array.of(...scalarBytes("int32", low), ...scalarBytes("int32", high))

const schema: ArraySchema = {
  version: 22,
  allowsDuplicates: true,
  arrayType: "sparse",
  tileOrder: "row-major",
  cellOrder: "hilbert",
  capacity: 100,
  coordsFilters: pipeline({ type: "zstd", level: -1 }),
  offsetsFilters: { maxChunkSize: 10, filters: [{ type: "rle", level: 3 }] },
  validityFilters: pipeline(),
  dimensions: [
    {
      name: "x",
      type: "int32",
      cellValNum: 1,
      filters: pipeline(),
      domain: two(-1, 9),
      tileExtent: two(5, 0).slice(0, 4),
    },
    {
      name: "s",
      type: "string_ascii",
      cellValNum: VAR,
      filters: pipeline({ type: "noop" }),
      domain: new Uint8Array(0),
      tileExtent: null,
    },
  ],
  attributes: [
    {
      name: "a",
      type: "uint8",
      cellValNum: 2,
      filters: pipeline(),
      fillValue: Uint8Array.of(1, 255),
      nullable: true,
      fillValueValidity: 0,
      order: "unordered",
      enumeration: "colours",
    },
    {
      name: "",
      type: "char",
      cellValNum: VAR,
      filters: pipeline(),
      fillValue: Uint8Array.of(0x80),
      nullable: false,
      fillValueValidity: 0,
      order: "unordered",
      enumeration: "",
    },
  ],
  dimensionLabels: [{
    dimension: 1,
    name: "l",
    relative: true,
    uri: "__labels/l0",
    attribute: "label",
    order: "increasing",
    type: "int64",
    cellValNum: 1,
    external: false,
  }],
  enumerations: [{ name: "colours", fileName: "f" }],
  currentDomain: {
    empty: false,
    ranges: [
      { low: scalarBytes("int32", 0), high: scalarBytes("int32", 5) },
      { low: utf8("a"), high: utf8("ce") },
    ],
  },
}

describe("describing a schema", () => {
  it("returns the descriptions in expected.json", () => {
    assertEquals(describeSchema(schema) as unknown, {
      array_type: "sparse",
      version: 22,
      capacity: "100",
      cell_order: "hilbert",
      tile_order: "row-major",
      allows_dups: true,
      coords_filters: [{ type: "zstd", level: -1 }],
      offsets_filters: { max_chunk_size: 10, filters: [{ type: "rle" }] },
      validity_filters: [],
      dimensions: [
        {
          name: "x",
          type: "int32",
          cell_val_num: 1,
          domain: [-1, 9],
          tile_extent: 5,
          filters: [{ type: "zstd", level: -1 }],
        },
        {
          name: "s",
          type: "string_ascii",
          cell_val_num: "var",
          domain: null,
          tile_extent: null,
          filters: [{ type: "none" }],
        },
      ],
      attributes: [
        {
          name: "a",
          type: "uint8",
          cell_val_num: 2,
          nullable: true,
          filters: [],
          fill_valid: false,
          fill_hex: "01ff",
          enumeration: "colours",
        },
        { name: "", type: "char", cell_val_num: "var", nullable: false, filters: [], fill_hex: "80" },
      ],
      dimension_labels: [{
        name: "l",
        dimension: 1,
        order: "increasing",
        type: "int64",
        attribute: "label",
        uri: "__labels/l0",
      }],
      current_domain: [[0, 5], ["a", "ce"]],
    })
  })

  it("inherits the filters of the coordinates to dimensions since format 5 only", () => {
    const filters = (version: number) => {
      const { dimensions } = describeSchema({ ...schema, version }) as {
        dimensions: ReadonlyArray<{ filters: unknown }>
      }
      return dimensions[0].filters
    }
    assertEquals(filters(5), [{ type: "zstd", level: -1 }] as unknown)
    assertEquals(filters(4), [] as unknown)
  })

  it("uses the engine's names of filters and their options", () => {
    const cases: ReadonlyArray<[Filter, Record<string, unknown>]> = [
      [{ type: "dictionary", level: 2 }, { type: "dictionary" }],
      [{ type: "aes_256_gcm" }, { type: "aes256gcm" }],
      [{ type: "double_delta", level: 1, reinterpretDatatype: "any" }, {
        type: "double_delta",
        reinterpret_datatype: "any",
      }],
      [{ type: "positive_delta", maxWindow: 7 }, { type: "positive_delta", max_window: 7 }],
      [{ type: "scale_float", scale: 0.5, offset: 1, byteWidth: 2 }, {
        type: "scale_float",
        bytewidth: 2,
        factor: 0.5,
        offset: 1,
      }],
      [{ type: "webp", quality: 90, format: "bgra", lossless: true, extentX: 1, extentY: 2 }, {
        type: "webp",
        quality: 90,
        format: 4,
        lossless: 1,
      }],
    ]
    for (const [filter, json] of cases) assertEquals(describeFilter(filter) as Record<string, unknown>, json)
  })
})

describe("describing other parts", () => {
  it("fragments", () => {
    const range = { low: scalarBytes("int32", 1), high: scalarBytes("int32", 2) }
    const text = { low: utf8(""), high: Uint8Array.of(7) }
    const fragment = {
      name: "__1_2_u_22",
      version: 22,
      start: 1,
      end: 2n ** 64n - 1n,
      dense: false,
      cellNum: 12,
      size: 345,
      hasConsolidatedMetadata: false,
      nonEmptyDomain: [range, text],
      schemaName: "__1_1_s",
      mbrNum: 9,
      mbrs: Array.from({ length: 9 }, () => [range, text]),
    }
    const [json, dense] = describeFragments(schema, [fragment, { ...fragment, dense: true, mbrNum: 0, mbrs: [] }])
    assertEquals(json.timestamps, ["1", "18446744073709551615"])
    assertEquals(json.cell_num, "12")
    assertEquals(json.non_empty_domain, [[1, 2], ["", { hex: "07" }]])
    assertEquals((json.mbrs as ReadonlyArray<unknown>).length, 8)
    assertEquals("mbrs" in dense, false)
  })

  it("metadata, sorted by code points", () => {
    const entry = (key: string, type: "int32" | "string_utf8" | "blob" | "geom_wkb", value: Uint8Array, count = 1) => ({
      key: utf8(key),
      type,
      count,
      value,
    })
    assertEquals(
      describeMetadata([
        entry("\u{10000}", "int32", two(1, 2), 2),
        entry("\uffff", "string_utf8", utf8("é"), 2),
        entry("", "blob", Uint8Array.of(5)),
        entry("b", "string_utf8", new Uint8Array(0), 0),
        entry("a", "geom_wkb", utf8("w")),
      ]) as unknown,
      [
        { key: "", type: "blob", num: 1, value: [5] },
        { key: "a", type: "geom_wkb", num: 1, value: "w" },
        { key: "b", type: "string_utf8", num: 1, value: null },
        { key: "\uffff", type: "string_utf8", num: 2, value: "é" },
        { key: "\u{10000}", type: "int32", num: 2, value: [1, 2] },
      ],
    )
  })

  it("enumerations", () => {
    assertEquals(
      describeEnumerations([
        {
          name: "v",
          type: "string_ascii",
          cellValNum: VAR,
          ordered: false,
          data: utf8("redblue"),
          offsets: Float64Array.of(0, 3, 3),
        },
        { name: "f", type: "int32", cellValNum: 1, ordered: true, data: two(3, 4), offsets: null },
        { name: "c", type: "char", cellValNum: 2, ordered: true, data: utf8("abcd"), offsets: null },
        { name: "e", type: "char", cellValNum: VAR, ordered: true, data: utf8(""), offsets: new Float64Array(0) },
      ]) as unknown,
      {
        v: { type: "string_ascii", cell_val_num: "var", ordered: false, values: ["red", "", "blue"] },
        f: { type: "int32", cell_val_num: 1, ordered: true, values: [3, 4] },
        c: { type: "char", cell_val_num: 2, ordered: true, values: ["ab", "cd"] },
        e: { type: "char", cell_val_num: "var", ordered: true, values: [] },
      },
    )
  })
})

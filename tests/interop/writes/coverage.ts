/** The features that the random arrays cover; a sample that misses one of them fails. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { datatypes } from "../../../schema/array/datatype.ts"
import type { Meant } from "./meant.ts"

interface FieldJson {
  readonly type: string
  readonly cell_val_num: number | "var"
  readonly nullable?: boolean
  readonly enumeration?: string
  readonly tile_extent?: number | string | null
  readonly filters: ReadonlyArray<FilterJson> | { readonly filters: ReadonlyArray<FilterJson> }
}

interface FilterJson {
  readonly type: string
}

interface SchemaJson {
  readonly cell_order: string
  readonly tile_order: string
  readonly allows_dups: boolean
  readonly current_domain?: unknown
  readonly dimensions: ReadonlyArray<FieldJson>
  readonly attributes: ReadonlyArray<FieldJson>
}

const filtersOf = ({ filters }: FieldJson): ReadonlyArray<FilterJson> =>
  "filters" in filters ? filters.filters : filters

const isText = (type: string): boolean => type === "string_ascii" || type === "string_utf8"

/** Returns the names of the features of an array. */
const featuresOf = (expected: Meant): ReadonlyArray<string> => {
  const { dimensions, attributes, ...schema } = expected.schema as unknown as SchemaJson
  const kind = expected.sparse ? "sparse" : "dense"
  const fragments = (expected.fragments as ReadonlyArray<unknown>).length
  const flags = {
    encryption: expected.key !== null,
    duplicates: schema.allows_dups,
    [`${kind} current domain`]: schema.current_domain !== undefined,
    "tiles longer than their datatype": dimensions.some(({ tile_extent }) => `${tile_extent}`.startsWith("-")),
    "dimensions of several types": new Set(dimensions.map(({ type }) => type)).size > 1,
    [`${kind} several dimensions`]: dimensions.length > 1,
    [`${kind} several times`]: expected.moments.length > 1,
    [`${kind} several fragments at a time`]: fragments > expected.moments.length,
    metadata: expected.moments.some(({ metadata }) => metadata.length > 0),
    "unwritten cells": expected.moments.some(({ unwritten }) => unwritten.length > 0),
  }
  return [
    `format ${expected.version}`,
    `${kind} ${schema.cell_order} cells in ${schema.tile_order} tiles`,
    ...dimensions.map(({ type }) => `dimension of ${type.replace(/_.*/, "")}`),
    ...attributes.flatMap((a) => {
      const form = `${kind}${a.nullable ? " nullable" : ""} cells of ${
        a.cell_val_num === "var" ? "any number" : a.cell_val_num === 1 ? "one" : "several"
      }`
      const filters = filtersOf(a).map(({ type }) =>
        `filter ${type}${type === "rle" && isText(a.type) ? " of text" : ""}`
      )
      return [`type ${a.type}`, form, ...filters, ...(a.enumeration === undefined ? [] : [`${kind} enumeration`])]
    }),
    ...Object.entries(flags).flatMap(([name, present]) => present ? [name] : []),
  ]
}

const orders = ["row-major", "col-major"]
const filters =
  "none gzip zstd lz4 rle bzip2 double_delta bit_width_reduction bitshuffle byteshuffle positive_delta checksum_md5 " +
  "checksum_sha256 dictionary scale_float xor webp delta"

const required: ReadonlyArray<string> = [
  ...Array.from({ length: 20 }, (_, i) => `format ${3 + i}`),
  ...datatypes.map((type) => `type ${type}`),
  ..."int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 string datetime time".split(" ").map((type) =>
    `dimension of ${type}`
  ),
  ...filters.split(" ").map((type) => `filter ${type}`),
  "filter rle of text",
  ...["dense row-major", "dense col-major", "sparse row-major", "sparse col-major", "sparse hilbert"].flatMap((cells) =>
    orders.map((tiles) => `${cells} cells in ${tiles} tiles`)
  ),
  ...["dense", "sparse"].flatMap((kind) => [
    ...["", " nullable"].flatMap((form) =>
      ["one", "several", "any number"].map((count) => `${kind}${form} cells of ${count}`)
    ),
    ...["enumeration", "current domain", "several dimensions", "several times", "several fragments at a time"].map(
      (flag) => `${kind} ${flag}`,
    ),
  ]),
  "encryption",
  "duplicates",
  "tiles longer than their datatype",
  "dimensions of several types",
  "metadata",
  "unwritten cells",
]

/** Returns the features that no array in these folders has. */
export const missing = (folders: ReadonlyArray<string>): ReadonlyArray<string> => {
  const covered = new Set<string>()
  for (const folder of folders) {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name, "meant.json")
      if (existsSync(path)) {
        for (const feature of featuresOf(JSON.parse(readFileSync(path, "utf8")))) covered.add(feature)
      }
    }
  }
  return required.filter((feature) => !covered.has(feature))
}

/**
 * Where our bytes are not those that engines wrote from the same cells, and why: all there is. Whatever else differs is a
 * fault. See section 11.2 of the format notes for what engines get wrong in their statistics.
 */
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import type { DataPart } from "../../schema/name/data_file.ts"
import type { Field } from "../../src/fragment/field.ts"

/** What was found to differ: in a tile of a file, or in a section of the metadata. */
export interface Difference {
  /** The format version of the fragment, which says the age of the engine. */
  readonly version: number
  readonly dense: boolean
  /** Whether it was written in global order over whole tiles, as consolidation does. */
  readonly global: boolean
  /** Dense fragments: whether the box fills all its tiles. */
  readonly whole: boolean
  readonly field: Pick<Field, "type" | "var" | "nullable" | "cellValNum" | "name"> | undefined
  readonly filters: FilterPipeline
  readonly what:
    | DataPart
    | "tileOffsets"
    | "varTileOffsets"
    | "varTileSizes"
    | "validityTileOffsets"
    | "tileMins"
    | "tileMaxes"
    | "tileSums"
    | "tileNullCounts"
    | "min"
    | "max"
    | "sum"
    | "nullCount"
    | "R-tree"
    | "processed conditions"
  /** Whether the tile is the last one of its file. */
  readonly last: boolean
  /** `cut`: the same cells in other chunks; `noise`: as long, but with other bytes; `others`: neither. */
  readonly how: "cut" | "noise" | "others"
}

/** A way in which our bytes may differ. */
export interface Deviation {
  readonly name: string
  readonly why: string
  readonly applies: (difference: Difference) => boolean
}

const has = ({ filters }: FilterPipeline, type: string): boolean => filters.some((filter) => filter.type === type)
const isText = ({ type }: { readonly type: string }): boolean => type === "string_ascii" || type === "char"
const isFile = (what: Difference["what"]): boolean => what === "fixed" || what === "var" || what === "validity"
const isBound = (what: Difference["what"]): boolean =>
  what === "tileMins" || what === "tileMaxes" || what === "min" || what === "max"
const isSum = (what: Difference["what"]): boolean => what === "tileSums" || what === "sum"
const isNulls = (what: Difference["what"]): boolean => what === "tileNullCounts" || what === "nullCount"

/** All of them; the first one that applies counts. */
export const deviations: ReadonlyArray<Deviation> = [
  {
    name: "values cut by chance",
    why: "2.3 cuts the values at 64 KiB or, of one write to the next, where 8 × cells bytes are full",
    applies: ({ how, version, what }) => how === "cut" && version === 9 && what === "var",
  },
  {
    name: "a step too many",
    why: "the delta filter of 2.16 writes a step past the last one, of whatever memory follows; ours is 0",
    applies: ({ how, version, filters }) => how === "noise" && version === 19 && has(filters, "delta"),
  },
  {
    name: "nulls mixed in",
    why:
      "2.2.0 to 2.2.2 mix the values and the validity of sparse nullable fields, from the second tile on; ours lie apart",
    applies: ({ version, dense, field, what }) => version === 7 && !dense && field?.nullable === true && isFile(what),
  },
  {
    name: "padding of whole tiles",
    why:
      "what was written in global order, as by consolidation, has the fill value in the cells that nobody wrote; which " +
      "they are a fragment does not say, and ours has zeros behind the end of its box",
    applies: ({ dense, global, whole, what }) => dense && global && !whole && isFile(what),
  },
  {
    name: "statistics before digits are lost",
    why: "engines make the statistics of the cells that were given, of which scale_float keeps fewer digits",
    applies: ({ filters, what }) => has(filters, "scale_float") && (isBound(what) || isSum(what)),
  },
  {
    name: "bounds of padding",
    why:
      "until 2.11, and in global order later too, the padding of dense tiles counts in their bounds; ours are of the " +
      "cells in the box",
    applies: ({ dense, version, global, whole, what, field }) =>
      dense && !whole && (version <= 15 || global) && isBound(what) && field?.var === false,
  },
  {
    name: "sums of padding",
    why: "in global order the padding of dense tiles, the fill value, counts in their sums",
    applies: ({ dense, global, whole, what }) => dense && global && !whole && isSum(what),
  },
  {
    name: "sums by slabs",
    why: "since 2.12 a dense tile that is written in several slabs begins its sum anew in each when it has overflowed",
    applies: ({ dense, version, what }) => dense && version >= 16 && what === "tileSums",
  },
  {
    name: "strings from freed memory",
    why: "the bounds of strings of dense fragments are taken from memory that is freed already; ours are right",
    applies: ({ dense, field, what }) => dense && isBound(what) && field?.var === true && isText(field),
  },
  {
    name: "nulls of padding",
    why:
      "the null counts of dense fragments count padding until 2.11, and of all but numbers later: whole tiles for every " +
      "slab, and for strings the validity of other cells; ours count the cells in the box",
    applies: ({ dense, what }) => dense && isNulls(what),
  },
  {
    name: "nulls that are not counted",
    why: "no engine counts the nulls of var-sized fields other than ASCII; ours are counted",
    applies: ({ dense, field, what }) => !dense && isNulls(what) && field?.var === true && !isText(field),
  },
]

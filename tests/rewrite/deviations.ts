/**
 * The complete list of deviations: where our bytes differ from an engine's bytes for the same cells, and why. Any other
 * difference is a fault. See section 11.2 of the format notes for what engines get wrong in their statistics.
 */
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import type { DataPart } from "../../schema/name/data_file.ts"
import type { Field } from "../../src/fragment/field.ts"

/** A difference in a tile of a file, or in a section of the metadata. */
export interface Difference {
  /** The format version of the fragment, which determines the version of the engine. */
  readonly version: number
  readonly dense: boolean
  /** Whether the fragment was written in global order over whole tiles, as consolidation writes it. */
  readonly global: boolean
  /** Dense fragments: whether the box fills all its tiles. */
  readonly whole: boolean
  readonly field: Pick<Field, "type" | "var" | "nullable" | "cellValNum" | "name"> | undefined
  readonly filters: FilterPipeline
  readonly part:
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
  /**
   * `cut`: the same cells in other chunks; `noise`: the same length with other bytes; `others`: any other difference.
   */
  readonly how: "cut" | "noise" | "others"
}

/** A known deviation. */
export interface Deviation {
  readonly name: string
  readonly why: string
  readonly applies: (difference: Difference) => boolean
}

const has = ({ filters }: FilterPipeline, type: string): boolean => filters.some((filter) => filter.type === type)
const isText = ({ type }: { readonly type: string }): boolean => type === "string_ascii" || type === "char"
const isFile = (part: Difference["part"]): boolean => part === "fixed" || part === "var" || part === "validity"
const isBound = (part: Difference["part"]): boolean =>
  part === "tileMins" || part === "tileMaxes" || part === "min" || part === "max"
const isSum = (part: Difference["part"]): boolean => part === "tileSums" || part === "sum"
const isNulls = (part: Difference["part"]): boolean => part === "tileNullCounts" || part === "nullCount"

/** All deviations; the first one that applies counts. */
export const deviations: ReadonlyArray<Deviation> = [
  {
    name: "values cut by chance",
    why: "2.3 cuts the values at 64 KiB or, of one write to the next, where 8 × cells bytes are full",
    applies: ({ how, version, part }) => how === "cut" && version === 9 && part === "var",
  },
  {
    name: "an extra step",
    why: "the delta filter of 2.16 writes a step after the last one, from uninitialized memory; ours is 0",
    applies: ({ how, version, filters }) => how === "noise" && version === 19 && has(filters, "delta"),
  },
  {
    name: "nulls mixed in",
    why:
      "2.2.0 to 2.2.2 mix the values and the validity of sparse nullable fields, from the second tile on; ours are separate",
    applies: ({ version, dense, field, part }) => version === 7 && !dense && field?.nullable === true && isFile(part),
  },
  {
    name: "padding of whole tiles",
    why: "writes in global order, as by consolidation, store the fill value in unwritten cells; which " +
      "cells these are is not stored in a fragment, and ours has zeros after the end of its box",
    applies: ({ dense, global, whole, part }) => dense && global && !whole && isFile(part),
  },
  {
    name: "statistics before digits are lost",
    why: "engines compute statistics before filtering, and scale_float loses digits",
    applies: ({ filters, part }) => has(filters, "scale_float") && (isBound(part) || isSum(part)),
  },
  {
    name: "bounds of padding",
    why:
      "until 2.11, and in global order later too, the padding of dense tiles counts in their bounds; ours are of the " +
      "cells in the box",
    applies: ({ dense, version, global, whole, part, field }) =>
      dense && !whole && (version <= 15 || global) && isBound(part) && field?.var === false,
  },
  {
    name: "sums of padding",
    why: "in global order the padding of dense tiles, the fill value, counts in their sums",
    applies: ({ dense, global, whole, part }) => dense && global && !whole && isSum(part),
  },
  {
    name: "sums by slabs",
    why: "since 2.12 a dense tile that is written in several slabs begins its sum anew in each when it has overflowed",
    applies: ({ dense, version, part }) => dense && version >= 16 && part === "tileSums",
  },
  {
    name: "strings from freed memory",
    why: "the bounds of strings of dense fragments are read from freed memory; ours are right",
    applies: ({ dense, field, part }) => dense && isBound(part) && field?.var === true && isText(field),
  },
  {
    name: "nulls of padding",
    why:
      "the null counts of dense fragments count padding until 2.11, and of all but numbers later: whole tiles for every " +
      "slab, and for strings the validity of other cells; ours count the cells in the box",
    applies: ({ dense, part }) => dense && isNulls(part),
  },
  {
    name: "nulls that are not counted",
    why: "no engine counts the nulls of var-sized fields other than ASCII; ours are counted",
    applies: ({ dense, field, part }) => !dense && isNulls(part) && field?.var === true && !isText(field),
  },
]

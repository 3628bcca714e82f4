/**
 * Computes the sizes of an array's fields from the metadata of its fragments.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { VAR } from "../../schema/array/cell_val_num.ts"
import { Since } from "../../schema/version/version.ts"
import { describeFilters, type Json } from "../array/describe/describe.ts"
import { accessOf, type OpenedArray } from "../array/open/open.ts"
import { type Field, fieldsOf } from "../fragment/field.ts"
import { type FieldTiles, loadFieldTiles, type TileFile } from "../fragment/field_tiles.ts"
import { cellCount } from "../fragment/fragment.ts"
import type { SectionError } from "../fragment/sections.ts"
import { storedFields } from "../fragment/stored_fields.ts"

/** The number of tiles in a size bin: larger than half of `upTo` bytes, and at most `upTo` bytes. */
export interface TileSizeCount {
  readonly upTo: number
  readonly tiles: number
}

/** Sizes of a field in all visible fragments, in bytes. */
export interface FieldSizes {
  readonly name: string
  /** The kind of the field; `cells` are stored write times and deletion times of single cells. */
  readonly kind: "attribute" | "dimension" | "cells"
  readonly type: string
  /** The filters in the newest schema that has the field, as `tessera schema --json` prints them. */
  readonly filters: Json
  /** Size of its files. */
  readonly stored: number
  /** Size of its tiles before the filters. */
  readonly unfiltered: number
  readonly tiles: number
  /** Number of tiles by stored size, in ascending order, without empty bins. */
  readonly tileSizes: ReadonlyArray<TileSizeCount>
}

/** Sums over all fragments. */
interface Sums {
  readonly kind: FieldSizes["kind"]
  field: Field
  stored: number
  unfiltered: number
  tiles: number
  readonly bins: Map<number, number>
}

const kindOf = ({ file: { kind } }: Field): FieldSizes["kind"] =>
  kind === "attribute" ? "attribute" : kind === "dimension" || kind === "coords" ? "dimension" : "cells"

const tileBytes = (file: TileFile | undefined, tile: number): number =>
  file === undefined ? 0 : (tile + 1 < file.offsets.length ? file.offsets[tile + 1] : file.size) - file.offsets[tile]

const total = (sizes: Float64Array | undefined): number => sizes?.reduce((sum, size) => sum + size, 0) ?? 0

const add = (sums: Sums, field: Field, tiles: FieldTiles, cells: number): void => {
  const { fixed, var: values, varSizes, validity } = tiles
  sums.field = field
  sums.stored += fixed.size + (values?.size ?? 0) + (validity?.size ?? 0)
  sums.unfiltered += cells * (field.cellValNum === VAR ? 8 : field.cellSize) + total(varSizes) + (validity ? cells : 0)
  sums.tiles += fixed.offsets.length
  for (let i = 0; i < fixed.offsets.length; i++) {
    const size = tileBytes(fixed, i) + tileBytes(values, i) + tileBytes(validity, i)
    const bin = Math.ceil(Math.log2(Math.max(1, size)))
    sums.bins.set(bin, (sums.bins.get(bin) ?? 0) + 1)
  }
}

/** Returns the sizes of all fields. Takes about one read of each fragment's metadata, and no read of cells. */
export const fieldSizes = (
  array: OpenedArray,
): Effect.Effect<ReadonlyArray<FieldSizes>, SectionError, Storage | Codecs> =>
  Effect.gen(function* () {
    const access = yield* accessOf(array)
    const sums = new Map<string, Sums>()
    const reserve = (field: Field): Sums => {
      const kind = kindOf(field)
      const key = `${kind} ${field.name}`
      const existing = sums.get(key)
      if (existing !== undefined) return existing
      const made: Sums = { kind, field, stored: 0, unfiltered: 0, tiles: 0, bins: new Map() }
      sums.set(key, made)
      return made
    }
    const { attributes, dimensions } = fieldsOf(array.schema)
    const inSchema = array.schema.arrayType === "dense" ? attributes : [...dimensions, ...attributes]
    if (array.fragments.every(({ version }) => version >= Since.splitDimensions)) inSchema.forEach(reserve)
    yield* Effect.forEach(array.fragments, (fragment) =>
      Effect.gen(function* () {
        const fields = storedFields(fragment)
        const tiles = yield* loadFieldTiles(access, fragment, fields)
        return { fields, tiles, cells: cellCount(fragment) }
      }).pipe(Effect.map(({ fields, tiles, cells }) => {
        fields.forEach((field, i) => add(reserve(field), field, tiles[i], cells))
      })), { concurrency: 8, discard: true })
    return [...sums.values()].map(({ kind, field, stored, unfiltered, tiles, bins }) => ({
      name: field.name,
      kind,
      type: field.type,
      filters: describeFilters(field.filters),
      stored,
      unfiltered,
      tiles,
      tileSizes: [...bins].sort(([a], [b]) => a - b).map(([bin, count]) => ({ upTo: 2 ** bin, tiles: count })),
    }))
  })

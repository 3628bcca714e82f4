/**
 * Metadata of fragments and tiles for the fields of a condition, available before a tile is read.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import { isText } from "../../../schema/array/scalar.ts"
import type { MbrColumn } from "../../../schema/fragment/rtree.ts"
import type { Where } from "../../condition/where.ts"
import type { Field } from "../../fragment/field.ts"
import { cellCount, cellsInTile, type Fragment } from "../../fragment/fragment.ts"
import { loadFragmentBounds } from "../../fragment/load/load_fragment_statistics.ts"
import { loadTileBounds } from "../../fragment/load/load_statistics.ts"
import { loadMbrs } from "../../fragment/mbrs.ts"
import type { SectionError } from "../../fragment/sections.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { fieldOfFragment } from "../column/gather.ts"
import { type KnownCells, mayMatch } from "./may_match.ts"

/** Returns the metadata of a tile for one field. */
type KnownOf = (tile: number) => KnownCells | undefined

/** Minimum number of tiles for which the fragment-wide statistics are read: that costs one more request. */
const MIN_TILES = 1024

const isTextField = ({ var: isVar, type }: Field): boolean => isVar || isText(type)

/**
 * Returns false if no cell of a fragment can satisfy the condition, according to its non-empty domain and, for
 * fragments with many tiles, its statistics.
 */
export const fragmentMayMatch = (
  access: TileAccess,
  fragment: Fragment,
  { predicate, fields }: Where,
): Effect.Effect<boolean, SectionError, Storage> =>
  Effect.gen(function* () {
    const cells = cellCount(fragment)
    const cache = new Map<string, KnownCells>()
    for (const field of fields) {
      const { type, file } = field
      const base = { type, text: isTextField(field), cells }
      const range = file.kind === "dimension" ? fragment.nonEmptyDomain?.[file.index] : undefined
      if (range !== undefined) cache.set(field.name, { ...base, bounds: range, nulls: 0 })
    }
    if (!mayMatch(predicate, (name) => cache.get(name))) return false
    if (fragment.tileCount < MIN_TILES) return true
    for (const field of fields) {
      const storedField = field.file.kind === "attribute" ? fieldOfFragment(fragment, field) : undefined
      const bounds = storedField === undefined ? undefined : yield* loadFragmentBounds(access, fragment, storedField)
      if (bounds !== undefined) cache.set(field.name, { type: field.type, text: isTextField(field), cells, ...bounds })
    }
    return mayMatch(predicate, (name) => cache.get(name))
  })

/** Returns the metadata of a fragment's tiles for an attribute. */
export const knownAttribute = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
): Effect.Effect<KnownOf, SectionError, Storage> =>
  Effect.gen(function* () {
    const storedField = fieldOfFragment(fragment, field)
    const tileBounds = storedField === undefined ? undefined : yield* loadTileBounds(access, fragment, storedField)
    if (tileBounds === undefined) return (): undefined => undefined
    return (tile: number) => ({
      type: field.type,
      text: isTextField(field),
      bounds: tileBounds.boundsOf(tile),
      nulls: tileBounds.nullsIn(tile),
      cells: cellsInTile(fragment, tile),
    })
  })

/** Returns the metadata of a sparse fragment's tiles for a dimension, from their MBRs. */
export const knownDimension = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  dimension: number,
): Effect.Effect<KnownOf, SectionError, Storage> =>
  Effect.map(loadMbrs(access, fragment), ({ dimensions }) => (tile) => ({
    type: field.type,
    text: isTextField(field),
    bounds: rectangle(dimensions[dimension], tile),
    nulls: 0,
    cells: cellsInTile(fragment, tile),
  }))

/** Returns the bounds of a tile's MBR along a dimension. */
const rectangle = (column: MbrColumn, tile: number): { readonly low: Uint8Array; readonly high: Uint8Array } => {
  if (column.kind === "var") {
    const { bytes, offsets } = column
    return {
      low: bytes.subarray(offsets[2 * tile], offsets[2 * tile + 1]),
      high: bytes.subarray(offsets[2 * tile + 1], offsets[2 * tile + 2]),
    }
  }
  const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = column.values
  return {
    low: new Uint8Array(buffer, byteOffset + 2 * tile * size, size),
    high: new Uint8Array(buffer, byteOffset + (2 * tile + 1) * size, size),
  }
}

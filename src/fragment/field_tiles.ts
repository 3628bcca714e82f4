/**
 * The tiles of a field: their positions in its files, and their content once read.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage/service.ts"
import { decode } from "../../schema/binary/mod.ts"
import { FormatError } from "../../schema/errors/format_error.ts"
import { TileOffsets } from "../../schema/fragment/tile_offsets.ts"
import { Since } from "../../schema/version/version.ts"
import { cacheKind } from "../kernel/bounded_cache.ts"
import { attemptTile } from "../tile/attempt.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import { type Field, fieldsOf } from "./field.ts"
import { type Fragment, slotOf } from "./fragment.ts"
import { loadSections, type SectionError } from "./sections.ts"

/** A file of tiles: tile i is at `offsets[i] … offsets[i + 1] − 1`; the last tile ends at `size`. */
export interface TileFile {
  readonly offsets: Float64Array
  readonly size: number
}

/** The files of a field. */
export interface FieldTiles {
  readonly fixed: TileFile
  readonly var: TileFile | undefined
  /** Unfiltered size of each tile of var-sized values, in bytes. */
  readonly varSizes: Float64Array | undefined
  readonly validity: TileFile | undefined
}

/** The unfiltered tile of a field. */
export interface FieldTile {
  /** The bytes of the cells; for var-sized fields, of all values. */
  readonly values: Uint8Array
  /** Var-sized cells only: `cells + 1` positions in `values`, in bytes. */
  readonly offsets: Uint32Array | undefined
  /** Nullable cells only: one byte per cell. */
  readonly validity: Uint8Array | undefined
}

const TILES = cacheKind<FieldTiles>("field tiles")

const bytesOf = ({ fixed, var: values, varSizes, validity }: FieldTiles): number =>
  fixed.offsets.byteLength + (values?.offsets.byteLength ?? 0) + (varSizes?.byteLength ?? 0) +
  (validity?.offsets.byteLength ?? 0)

const checked = (fragment: Fragment, path: string, offsets: Float64Array, size: number): TileFile => {
  const fail = (reason: string): FormatError =>
    new FormatError({ uri: fragment.uri, path, offset: 0, version: fragment.version, detail: reason })
  if (offsets.length !== fragment.tileCount) throw fail(`${offsets.length} offsets for ${fragment.tileCount} tiles`)
  for (let i = 0; i < offsets.length; i++) {
    const end = i + 1 < offsets.length ? offsets[i + 1] : size
    if (offsets[i] > end) throw fail(`tile ${i} ends at ${end}, before it starts at ${offsets[i]}`)
  }
  return { offsets, size }
}

/** Checks that there is an unfiltered size for each tile of var-sized values. */
const checkedSizes = (fragment: Fragment, path: string, sizes: Float64Array): Float64Array => {
  if (sizes.length === fragment.tileCount) return sizes
  const reason = `${sizes.length} sizes for ${fragment.tileCount} tiles`
  throw new FormatError({ uri: fragment.uri, path, offset: 0, version: fragment.version, detail: reason })
}

/** Maximum number of tiles that is not verified: a plan for them is small. */
const MAX_UNCHECKED_TILES = 1 << 16

/**
 * Verifies the number of tiles of a fragment, which its footer only claims: before memory is allocated for a large
 * number, the tile offsets of one field must have the same length.
 */
export const proveTileCount = (
  access: TileAccess,
  fragment: Fragment,
  maxUnchecked: number = MAX_UNCHECKED_TILES,
): Effect.Effect<void, SectionError, Storage> => {
  if (fragment.tileCount <= maxUnchecked) return Effect.void
  const { attributes, dimensions } = fieldsOf(fragment.schema)
  const [field] = fragment.dense
    ? attributes
    : fragment.version >= Since.splitDimensions
    ? dimensions
    : [{ ...dimensions[0], file: { kind: "coords" } as const }]
  return field === undefined ? Effect.void : Effect.asVoid(loadFieldTiles(access, fragment, [field]))
}

/** Loads the tile positions of several fields, with at most one read for all of them. */
export const loadFieldTiles = (
  access: TileAccess,
  fragment: Fragment,
  fields: ReadonlyArray<Field>,
): Effect.Effect<ReadonlyArray<FieldTiles>, SectionError, Storage> =>
  Effect.gen(function* () {
    const loaded = new Map<number, FieldTiles>()
    const missing: Array<{ readonly field: Field; readonly slot: number }> = []
    for (const field of fields) {
      const slot = slotOf(fragment, field.file)
      const tiles = fragment.cache.get(TILES, slot)
      if (tiles === undefined) missing.push({ field, slot })
      else loaded.set(slot, tiles)
    }
    const isKept = (slot: number, tiles: FieldTiles): void => {
      loaded.set(slot, tiles)
      fragment.cache.set(TILES, slot, tiles, bytesOf(tiles))
    }
    const { metadata } = fragment
    if (missing.length > 0 && metadata.kind === "legacy") {
      const { legacy } = metadata
      yield* attemptTile(() => {
        for (const { field, slot } of missing) {
          isKept(slot, {
            fixed: checked(fragment, `tileOffsets.${slot}`, legacy.tileOffsets[slot], fragment.fileSizes[slot]),
            var: field.var
              ? checked(fragment, `varTileOffsets.${slot}`, legacy.varTileOffsets[slot], fragment.varFileSizes[slot])
              : undefined,
            varSizes: field.var ? checkedSizes(fragment, `varTileSizes.${slot}`, legacy.varTileSizes[slot]) : undefined,
            validity: undefined,
          })
        }
      })
    } else if (missing.length > 0 && metadata.kind === "sections") {
      const { footer, sections } = metadata
      const requested = missing.map(({ field, slot }) => [
        footer.tileOffsets[slot],
        ...(field.var ? [footer.varTileOffsets[slot], footer.varTileSizes[slot]] : []),
        ...(field.nullable ? [footer.validityTileOffsets[slot]] : []),
      ])
      const tiles = yield* loadSections(access, sections, requested.flat())
      fragment.engineVersion ??= tiles[0]?.version
      yield* attemptTile(() => {
        let next = 0
        const column = (): Float64Array => decode(TileOffsets, tiles[next++].bytes, fragment.version, sections.uri)
        for (const { field, slot } of missing) {
          const fixed = checked(fragment, `tileOffsets.${slot}`, column(), fragment.fileSizes[slot])
          const variable = field.var
            ? checked(fragment, `varTileOffsets.${slot}`, column(), fragment.varFileSizes[slot])
            : undefined
          const varSizes = field.var ? checkedSizes(fragment, `varTileSizes.${slot}`, column()) : undefined
          const validity = field.nullable
            ? checked(fragment, `validityTileOffsets.${slot}`, column(), fragment.validityFileSizes[slot])
            : undefined
          isKept(slot, { fixed, var: variable, varSizes, validity })
        }
      })
    }
    return fields.map((field) => loaded.get(slotOf(fragment, field.file))!)
  })

/** Minimum number of fields for which a separate request is worthwhile. */
const MIN_FIELDS = 32

/**
 * Loads the tile positions of many fields with one request, instead of one request per field. The positions of few
 * fields are loaded when the fields are read.
 */
export const loadManyFieldTiles = (
  access: TileAccess,
  fragment: Fragment,
  fields: ReadonlyArray<Field>,
): Effect.Effect<void, SectionError, Storage> =>
  fields.length < MIN_FIELDS ? Effect.void : Effect.asVoid(loadFieldTiles(access, fragment, fields))

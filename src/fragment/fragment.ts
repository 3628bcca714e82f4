/**
 * A fragment with its footer. Other metadata is loaded when a query needs it.
 */
import type { ReadSession } from "../../platform/storage/read_session.ts"
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import { VAR } from "../../schema/array/cell_val_num.ts"
import { sizeOf } from "../../schema/array/datatype.ts"
import type { FragmentFooter, FragmentShape } from "../../schema/fragment/footer.ts"
import type { LegacyMetadata } from "../../schema/fragment/legacy_metadata.ts"
import type { DataField } from "../../schema/name/data_file.ts"
import type { TimestampedName } from "../../schema/name/timestamped_name.ts"
import type { Range } from "../../schema/array/range.ts"
import { Since } from "../../schema/version/version.ts"
import type { CacheSpace } from "../kernel/bounded_cache.ts"
import { denseCells, fragmentTiles } from "./dense_tiles.ts"
import type { Sections } from "./sections.ts"

/** A committed fragment. */
export interface Fragment {
  readonly name: TimestampedName
  readonly uri: string
  readonly version: number
  /** The schema of the fragment when it was written. */
  readonly schema: ArraySchema
  readonly schemaName: string
  readonly dense: boolean
  readonly nonEmptyDomain: ReadonlyArray<Range> | undefined
  readonly tileCount: number
  /** The number of cells in every tile but the last, and in the last. */
  readonly tileCells: number
  readonly lastTileCells: number
  readonly hasTimestamps: boolean
  readonly hasDeleteMetadata: boolean
  readonly hasConsolidatedFooter: boolean
  /** The sizes of each field's files in bytes, by slot. */
  readonly fileSizes: Float64Array
  readonly varFileSizes: Float64Array
  readonly validityFileSizes: Float64Array
  readonly metadata:
    | { readonly kind: "sections"; readonly footer: FragmentFooter; readonly sections: Sections }
    | { readonly kind: "legacy"; readonly legacy: LegacyMetadata }
  /** The session for reading the files of the fragment. */
  readonly session: ReadSession
  /** Metadata that was loaded: tile offsets, MBRs, statistics, processed conditions. */
  readonly cache: CacheSpace
  /** The format version of the engine that wrote the fragment, if known without another read; see `engineVersion`. */
  engineVersion: number | undefined
}

/** Returns the part of a schema that determines the layout of its fragments' metadata. */
export const shapeOf = (schema: ArraySchema): FragmentShape => ({
  attributes: schema.attributes.length,
  dimensions: schema.dimensions.map((d) => d.cellValNum === VAR ? "var" : sizeOf(d.type)),
})

/**
 * Returns the index of a field in the lists of a fragment's metadata (format notes, section 9); −1 if it is not listed.
 */
export const slotOf = (fragment: Fragment, field: DataField): number => {
  const { attributes, dimensions } = fragment.schema
  const after = attributes.length + 1 + (fragment.version >= Since.splitDimensions ? dimensions.length : 0)
  switch (field.kind) {
    case "attribute":
      return field.index
    case "coords":
      return attributes.length
    case "dimension":
      return fragment.version >= Since.splitDimensions ? attributes.length + 1 + field.index : -1
    case "timestamps":
      return fragment.hasTimestamps ? after : -1
    case "deleteTimes":
      return fragment.hasDeleteMetadata ? after + (fragment.hasTimestamps ? 1 : 0) : -1
    case "deleteConditions":
      return fragment.hasDeleteMetadata ? after + (fragment.hasTimestamps ? 1 : 0) + 1 : -1
  }
}

/** Returns the number of cells in a tile. */
export const cellsInTile = (fragment: Fragment, tile: number): number =>
  tile === fragment.tileCount - 1 ? fragment.lastTileCells : fragment.tileCells

/** Returns the number of cells in the fragment; for dense fragments, of whole tiles. */
export const cellCount = (fragment: Fragment): number =>
  fragment.tileCount === 0 ? 0 : (fragment.tileCount - 1) * fragment.tileCells + fragment.lastTileCells

/**
 * Returns the number of tiles and of their cells; for dense fragments, computed from the schema and the non-empty
 * domain.
 */
export const tileShape = (
  schema: ArraySchema,
  dense: boolean,
  nonEmptyDomain: ReadonlyArray<Range> | undefined,
  sparseTileCount: number,
  lastTileCells: number,
): { readonly tileCount: number; readonly tileCells: number; readonly lastTileCells: number } => {
  if (!dense) return { tileCount: sparseTileCount, tileCells: schema.capacity, lastTileCells }
  const cells = denseCells(schema)
  const tileCount = nonEmptyDomain === undefined ? 0 : fragmentTiles(schema, nonEmptyDomain)
  return { tileCount, tileCells: cells, lastTileCells: cells }
}

/**
 * Writes the metadata file of a fragment, part by part, by format version: the inverse of `load_fragment.ts` and
 * `sections.ts`. Format: `fragment.md`.
 */
import { encode } from "../../../schema/binary/mod.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { footerLength, fragmentFooter } from "../../../schema/fragment/footer.ts"
import { type FragmentStatistic, FragmentStatistics } from "../../../schema/fragment/fragment_statistics.ts"
import { ProcessedConditions } from "../../../schema/fragment/processed_conditions.ts"
import { type RTree, rtree } from "../../../schema/fragment/rtree.ts"
import { TileOffsets } from "../../../schema/fragment/tile_offsets.ts"
import { type TileStatistic, TileStatistic as TileStatisticCodec } from "../../../schema/fragment/tile_statistics.ts"
import { TileNullCounts, TileSums } from "../../../schema/fragment/tile_statistics.ts"
import type { Range } from "../../../schema/array/range.ts"
import { Since } from "../../../schema/version/version.ts"
import { closeGenericTile, type TileAccess } from "../../tile/generic_tile.ts"
import { shapeOf } from "../fragment.ts"
import { rtreeDimensions } from "../mbrs.ts"

/** The metadata of one field: a number per tile, and statistics. */
export interface FieldContents {
  /** The starts of the tiles in the file of values, or of offsets. */
  readonly offsets: Float64Array
  /**
   * The starts of tiles of var-sized values in their file, and their unfiltered sizes in bytes; zeros for other fields.
   */
  readonly varOffsets: Float64Array
  readonly varSizes: Float64Array
  /** The starts of validity tiles in their file; zeros for fields that are not nullable. */
  readonly validityOffsets: Float64Array
  /** The sizes of the files in bytes. */
  readonly size: number
  readonly varSize: number
  readonly validitySize: number
  readonly statistics: {
    readonly mins: TileStatistic
    readonly maxes: TileStatistic
    readonly sums: Uint8Array
    readonly nullCounts: Float64Array
  }
  readonly ofFragment: FragmentStatistic
}

/** The contents of the metadata of a fragment. */
export interface FragmentContents {
  readonly version: number
  readonly schema: ArraySchema
  /** The name of the schema file for the footer, since format 10. */
  readonly schemaName: string
  readonly dense: boolean
  readonly nonEmptyDomain: ReadonlyArray<Range>
  readonly tileCount: number
  /** The number of cells in the last tile; in dense fragments, in every tile. */
  readonly lastTileCells: number
  readonly hasTimestamps: boolean
  readonly hasDeleteMetadata: boolean
  /** By slot (format notes, section 9); `undefined` for fields without files. */
  readonly fields: ReadonlyArray<FieldContents | undefined>
  readonly rtree: RTree
  /** The paths of the delete conditions that were applied to the cells, as `__commits/<name>.del`. */
  readonly processedConditions: ReadonlyArray<string>
}

const noBytes = new Uint8Array(0)
const noStatistic: TileStatistic = { fixed: noBytes, var: noBytes }

/** Returns statistics for the slot of zipped coordinates. The slot has no cells, but engines store zeros for it. */
const emptyCoordinates = ({ schema, tileCount }: FragmentContents) => {
  const [{ type, cellValNum }] = schema.dimensions
  const size = sizeOf(type)
  const zeros = new Uint8Array(tileCount * schema.dimensions.length * size)
  return {
    extremes: { fixed: zeros, var: noBytes },
    sums: new Uint8Array(cellValNum === VAR ? 0 : 8 * tileCount),
    ofFragment: { min: new Uint8Array(size), max: new Uint8Array(size), sum: new Uint8Array(8), nullCount: 0 },
  }
}

const noFragmentStatistic: FragmentStatistic = { min: noBytes, max: noBytes, sum: new Uint8Array(8), nullCount: 0 }

/** Yields the parts of the file in order; concatenated, they are the file. Throws CodecError. */
export function* fragmentMetadata(access: TileAccess, contents: FragmentContents): Generator<Uint8Array> {
  const { version, schema, fields } = contents
  let offset = 0
  const part = (bytes: Uint8Array): Uint8Array => {
    const tile = closeGenericTile(access, bytes, version)
    offset += tile.byteLength
    return tile
  }

  const rtreeOffset = offset
  yield part(encode(rtree(rtreeDimensions(schema)), contents.rtree, version))

  type Encode = (field: FieldContents | undefined, slot: number) => Uint8Array
  /** Yields a list of parts, one per slot, and returns their starts. */
  const list = function* (count: number, encoded: Encode): Generator<Uint8Array, Float64Array> {
    const starts = new Float64Array(count)
    for (let slot = 0; slot < count; slot++) {
      starts[slot] = offset
      yield part(encoded(fields[slot], slot))
    }
    return starts
  }
  const zeros = new Float64Array(contents.tileCount)
  const columns = (count: number, column: (field: FieldContents) => Float64Array) =>
    list(count, (field) => encode(TileOffsets, field === undefined ? zeros : column(field), version))
  const all = fields.length
  // up to format 4 only attributes are in the lists of var-sized values
  const vars = version >= Since.splitDimensions ? all : schema.attributes.length
  const noNumbers = new Float64Array(0)

  const tileOffsets = yield* columns(all, (f) => f.offsets)
  const varTileOffsets = yield* columns(vars, (f) => f.varOffsets)
  const varTileSizes = yield* columns(vars, (f) => f.varSizes)
  const validityTileOffsets = version < Since.nullable ? noNumbers : yield* columns(all, (f) => f.validityOffsets)

  const dead = emptyCoordinates(contents)
  const isDead = (slot: number): boolean => slot === schema.attributes.length
  const extremes = (of: (field: FieldContents) => TileStatistic): Encode => (field, slot) => {
    const statistic = field !== undefined ? of(field) : isDead(slot) ? dead.extremes : noStatistic
    return encode(TileStatisticCodec, statistic, version)
  }
  const sums: Encode = (field, slot) =>
    encode(TileSums, field !== undefined ? field.statistics.sums : isDead(slot) ? dead.sums : noBytes, version)
  const nullCounts: Encode = (field) => encode(TileNullCounts, field?.statistics.nullCounts ?? noNumbers, version)
  const statistics = version >= Since.tileStatistics
  const tileMins = statistics ? yield* list(all, extremes((f) => f.statistics.mins)) : noNumbers
  const tileMaxes = statistics ? yield* list(all, extremes((f) => f.statistics.maxes)) : noNumbers
  const tileSums = statistics ? yield* list(all, sums) : noNumbers
  const tileNullCounts = statistics ? yield* list(all, nullCounts) : noNumbers

  let fragmentStatisticsOffset = 0
  if (version >= Since.fragmentStatistics) {
    fragmentStatisticsOffset = offset
    const ofFragment = fields.map((field, slot) =>
      field !== undefined ? field.ofFragment : isDead(slot) ? dead.ofFragment : noFragmentStatistic
    )
    yield part(encode(FragmentStatistics, ofFragment, version))
  }
  // engines write it one format version before the footer contains the offset
  const processedConditionsOffset = version < Since.deletes ? 0 : offset
  if (version >= Since.deleteMetadata) yield part(encode(ProcessedConditions, contents.processedConditions, version))

  const shape = shapeOf(schema)
  const sizes = (count: number, size: (field: FieldContents) => number): Float64Array =>
    Float64Array.from({ length: count }, (_, slot) => fields[slot] === undefined ? 0 : size(fields[slot]))
  const footer = encode(fragmentFooter(shape), {
    version,
    // before, an array has a single schema
    schemaName: version < Since.schemaFolder ? "" : contents.schemaName,
    dense: contents.dense,
    nonEmptyDomain: contents.nonEmptyDomain,
    sparseTileCount: contents.dense ? 0 : contents.tileCount,
    lastTileCells: contents.lastTileCells,
    hasTimestamps: contents.hasTimestamps,
    hasDeleteMetadata: contents.hasDeleteMetadata,
    fileSizes: sizes(all, (f) => f.size),
    varFileSizes: sizes(vars, (f) => f.varSize),
    validityFileSizes: version < Since.nullable ? noNumbers : sizes(all, (f) => f.validitySize),
    rtreeOffset,
    tileOffsets,
    varTileOffsets,
    varTileSizes,
    validityTileOffsets,
    tileMins,
    tileMaxes,
    tileSums,
    tileNullCounts,
    fragmentStatisticsOffset,
    processedConditionsOffset,
    optionalSections: [],
  }, version)
  yield footer
  if (footerLength(version, shape) === "trailing") {
    const length = new Uint8Array(8)
    new DataView(length.buffer).setUint32(0, footer.byteLength, true)
    yield length
  }
}

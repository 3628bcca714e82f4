/**
 * Builds arrays of format 22 in memory, without filters: for property tests of whole reads, and for forged bytes that
 * no damage to real (compressed) files produces.
 */
import type { ArraySchema } from "../../schema/array/array_schema.ts"
import { ArraySchema as ArraySchemaCodec } from "../../schema/array/array_schema.ts"
import type { Attribute } from "../../schema/array/attribute.ts"
import { encode } from "../../schema/binary/mod.ts"
import { cellSize, defaultCellFill, VAR } from "../../schema/array/cell_val_num.ts"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Dimension } from "../../schema/array/dimension.ts"
import { noFilters } from "../../schema/array/filter_pipeline.ts"
import { type FragmentFooter, fragmentFooter } from "../../schema/fragment/footer.ts"
import { type MbrLevel, rtree } from "../../schema/fragment/rtree.ts"
import { TileOffsets } from "../../schema/fragment/tile_offsets.ts"
import { GenericTileHeader } from "../../schema/tile/generic_tile.ts"
import type { Range } from "../../schema/array/range.ts"
import { type Scalar, scalarBytes } from "../../schema/array/scalar.ts"
import { shapeOf } from "../../src/fragment/fragment.ts"

const VERSION = 22
const uuid = (n: number): string => n.toString(16).padStart(32, "0")

/** Concatenates bytes. */
export const join = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const out = new Uint8Array(parts.reduce((sum, p) => sum + p.byteLength, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.byteLength
  }
  return out
}

/** Returns a tile of one unfiltered chunk; `original` may be forged. */
export const chunkedTile = (data: Uint8Array, original: number = data.byteLength): Uint8Array => {
  const head = new DataView(new ArrayBuffer(20))
  head.setUint32(0, 1, true)
  head.setUint32(8, original, true)
  head.setUint32(12, data.byteLength, true)
  return join(new Uint8Array(head.buffer), data)
}

/** Returns a structure as a generic tile. */
export const genericTile = (bytes: Uint8Array, version: number = VERSION): Uint8Array => {
  const data = chunkedTile(bytes)
  const header = {
    version,
    persistedSize: data.byteLength,
    tileSize: bytes.byteLength,
    datatype: "char",
    cellSize: 1,
    encryption: "none",
    filters: noFilters,
  } as const
  return join(encode(GenericTileHeader, header, version), data)
}

/** Returns a dimension; bounds and extent are values. */
export const dimension = (
  name: string,
  type: Datatype,
  low: Scalar,
  high: Scalar,
  extent: Scalar | null,
): Dimension => ({
  name,
  type,
  cellValNum: 1,
  filters: noFilters,
  domain: join(scalarBytes(type, low), scalarBytes(type, high)),
  tileExtent: extent === null ? null : scalarBytes(type, extent),
})

/** Returns a string dimension. */
export const stringDimension = (name: string): Dimension => ({
  name,
  type: "string_ascii",
  cellValNum: VAR,
  filters: noFilters,
  domain: new Uint8Array(0),
  tileExtent: null,
})

/** Returns an attribute with the default fill. */
export const attribute = (name: string, type: Datatype, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type,
  cellValNum: 1,
  filters: noFilters,
  fillValue: defaultCellFill(type, more.cellValNum === VAR ? 1 : more.cellValNum ?? 1)!,
  nullable: false,
  fillValueValidity: 0,
  order: "unordered",
  enumeration: "",
  ...more,
})

/** Returns a schema without filters. */
export const arraySchema = (
  parts: Pick<ArraySchema, "arrayType" | "dimensions" | "attributes"> & Partial<ArraySchema>,
): ArraySchema => ({
  version: VERSION,
  allowsDuplicates: false,
  tileOrder: "row-major",
  cellOrder: "row-major",
  capacity: 10000,
  coordsFilters: noFilters,
  offsetsFilters: noFilters,
  validityFilters: noFilters,
  dimensionLabels: [],
  enumerations: [],
  currentDomain: { empty: true },
  ...parts,
})

/** The tiles of one field: unfiltered bytes, offsets as u64 each. */
export interface FieldParts {
  readonly fixed: ReadonlyArray<Uint8Array>
  readonly var?: ReadonlyArray<Uint8Array>
  readonly validity?: ReadonlyArray<Uint8Array>
}

/** The contents of a fragment. */
export interface FragmentParts {
  readonly time: number
  readonly domain: ReadonlyArray<Range> | null
  /** The number of tiles of a sparse fragment; for dense ones the number of tiles of the fields. */
  readonly tileCount: number
  readonly lastTileCells?: number
  /** The fields by the names of attributes and dimensions. */
  readonly fields: Readonly<Record<string, FieldParts>>
  readonly mbrs?: MbrLevel
  /** Changes the footer. */
  readonly forgeFooter?: (footer: FragmentFooter) => FragmentFooter
  /** Changes a column of tile offsets or sizes. */
  readonly forgeColumn?: (
    part: "fixed" | "var" | "varSizes" | "validity",
    field: string,
    column: Float64Array,
  ) => Float64Array
}

/** Returns the ranges of a non-empty domain. */
export const rangesOf = (
  dimensions: ReadonlyArray<Dimension>,
  bounds: ReadonlyArray<readonly [Scalar, Scalar]>,
): ReadonlyArray<Range> =>
  bounds.map(([low, high], d) => ({
    low: scalarBytes(dimensions[d].type, low),
    high: scalarBytes(dimensions[d].type, high),
  }))

const fragmentFiles = (schema: ArraySchema, schemaName: string, parts: FragmentParts): Map<string, Uint8Array> => {
  const files = new Map<string, Uint8Array>()
  const slots = [
    ...schema.attributes.map((a, i) => ({ name: a.name, file: `a${i}` })),
    { name: "", file: "" },
    ...schema.dimensions.map((d, i) => ({ name: d.name, file: `d${i}` })),
  ]
  const zeros = () => new Float64Array(parts.tileCount)
  const sizes = {
    fixed: new Float64Array(slots.length),
    var: new Float64Array(slots.length),
    validity: new Float64Array(slots.length),
  }
  const columns = slots.map(({ name, file }, slot) => {
    const field = parts.fields[name]
    const write = (part: "fixed" | "var" | "validity", suffix: string): Float64Array => {
      const tiles = field?.[part]
      if (tiles === undefined) return zeros()
      const persisted = tiles.map((t) => chunkedTile(t))
      const offsets = new Float64Array(persisted.length)
      for (let i = 1; i < offsets.length; i++) offsets[i] = offsets[i - 1] + persisted[i - 1].byteLength
      files.set(`${file}${suffix}.tdb`, join(...persisted))
      sizes[part][slot] = persisted.reduce((sum, p) => sum + p.byteLength, 0)
      return parts.forgeColumn?.(part, name, offsets) ?? offsets
    }
    const varSizes = field?.var === undefined ? zeros() : Float64Array.from(field.var, (t) => t.byteLength)
    return {
      fixed: write("fixed", ""),
      var: write("var", "_var"),
      varSizes: parts.forgeColumn?.("varSizes", name, varSizes) ?? varSizes,
      validity: write("validity", "_validity"),
    }
  })
  const sections: Array<Uint8Array> = []
  let at = 0
  const section = (bytes: Uint8Array): number => {
    const start = at
    const tile = genericTile(bytes)
    sections.push(tile)
    at += tile.byteLength
    return start
  }
  const dense = schema.arrayType === "dense"
  const tree = rtree(schema.dimensions.map((d) => ({ type: d.type, var: d.cellValNum === VAR })))
  const mbrs = parts.mbrs
  const rtreeOffset = section(encode(tree, { fanout: 10, levels: mbrs === undefined ? [] : [mbrs] }, VERSION))
  const each = (pick: (c: typeof columns[number]) => Float64Array): Float64Array =>
    Float64Array.from(columns, (c) => section(encode(TileOffsets, pick(c), VERSION)))
  const none = Float64Array.from(slots, () => 0)
  const footerOfParts: FragmentFooter = {
    version: VERSION,
    schemaName,
    dense,
    nonEmptyDomain: parts.domain,
    sparseTileCount: dense ? 0 : parts.tileCount,
    lastTileCells: parts.lastTileCells ?? 0,
    hasTimestamps: false,
    hasDeleteMetadata: false,
    fileSizes: sizes.fixed,
    varFileSizes: sizes.var,
    validityFileSizes: sizes.validity,
    rtreeOffset,
    tileOffsets: each((c) => c.fixed),
    varTileOffsets: each((c) => c.var),
    varTileSizes: each((c) => c.varSizes),
    validityTileOffsets: each((c) => c.validity),
    tileMins: none,
    tileMaxes: none,
    tileSums: none,
    tileNullCounts: none,
    fragmentStatisticsOffset: 0,
    processedConditionsOffset: 0,
    optionalSections: [],
  }
  const footer = encode(fragmentFooter(shapeOf(schema)), parts.forgeFooter?.(footerOfParts) ?? footerOfParts, VERSION)
  const length = new Uint8Array(8)
  new DataView(length.buffer).setUint32(0, footer.byteLength, true)
  files.set("__fragment_metadata.tdb", join(...sections, footer, length))
  return files
}

/** Returns the files of an array by their full names, below `path`. */
export const buildArray = (
  path: string,
  schema: ArraySchema,
  fragments: ReadonlyArray<FragmentParts>,
  /** The schema in the schema file, if it differs from the schema that the fragments were written with. */
  stored: ArraySchema = schema,
): Map<string, Uint8Array> => {
  const files = new Map<string, Uint8Array>()
  const schemaName = `__0_0_${uuid(0)}`
  files.set(`${path}/__schema/${schemaName}`, genericTile(encode(ArraySchemaCodec, stored, VERSION)))
  fragments.forEach((parts, i) => {
    const name = `__${parts.time}_${parts.time}_${uuid(i + 1)}_${VERSION}`
    files.set(`${path}/__commits/${name}.wrt`, new Uint8Array(0))
    for (const [file, bytes] of fragmentFiles(schema, schemaName, parts)) {
      files.set(`${path}/__fragments/${name}/${file}`, bytes)
    }
  })
  return files
}

/** Returns a tile of `cells` cells: each cell contains its number, truncated to the datatype. */
export const countingTile = (type: Datatype, cells: number, from = 0): Uint8Array =>
  join(
    ...Array.from(
      { length: cells },
      (_, i) => scalarBytes(type, cellSize(type, 1) === 8 ? BigInt(from + i) : from + i),
    ),
  )

/** Returns the start offsets of cells, and their bytes. */
export const varTile = (cells: ReadonlyArray<Uint8Array>): { readonly fixed: Uint8Array; readonly var: Uint8Array } => {
  const offsets = new DataView(new ArrayBuffer(8 * cells.length))
  let at = 0
  cells.forEach((cell, i) => {
    offsets.setUint32(8 * i, at, true)
    at += cell.byteLength
  })
  return { fixed: new Uint8Array(offsets.buffer), var: join(...cells) }
}

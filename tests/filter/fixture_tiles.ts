/** Lists all tiles of the fixture arrays with their filter contexts (formats 3 and later). */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { nativeCodecs } from "../../platform/codecs/layers/native.ts"
import type { WebpCodec } from "../../platform/codecs/service.ts"
import { type ArraySchema, decodeArraySchema } from "../../schema/array/array_schema.ts"
import { cellSize, VAR } from "../../schema/array/cell_val_num.ts"
import { type Datatype, sizeOf } from "../../schema/array/datatype.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import {
  decodeFooter,
  footerLength,
  footerSchemaName,
  type FragmentFooter,
  type FragmentShape,
} from "../../schema/fragment/footer.ts"
import { TileOffsets } from "../../schema/fragment/tile_offsets.ts"
import { decodeGenericTile } from "../../schema/tile/generic_tile.ts"
import { type DataField, dataFile, type DataPart } from "../../schema/name/data_file.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { decode } from "../../schema/binary/mod.ts"
import { withEncryption } from "../../src/filter/filters/encryption.ts"
import { type TileContext, unfilterTile } from "../../src/filter/pipeline/pipeline.ts"

/** The folder of the fixtures in the development environment. */
export const fixtures: string = new URL("../../../shared/fixtures/", import.meta.url).pathname
export const haveFixtures: boolean = existsSync(fixtures)

/** Returns the unfiltered data of a generic tile. */
export const genericTile = (
  file: Uint8Array,
  uri: string,
  base: number,
  key: Uint8Array | undefined,
): { readonly bytes: Uint8Array; readonly version: number } => {
  const { data, header, headerSize } = decodeGenericTile(file.subarray(base), uri, base)
  const bytes = unfilterTile(data, {
    filters: header.filters,
    type: header.datatype,
    cellSize: header.cellSize,
    version: header.version,
    engineVersion: header.version,
    codecs: nativeCodecs,
    key,
    uri,
    offset: base + headerSize,
  }, header.tileSize)
  if (bytes.byteLength !== header.tileSize) throw new Error(`${uri}: a generic tile of the wrong size`)
  return { bytes, version: header.version }
}

export interface FieldTiles {
  readonly uri: string
  readonly field: string
  readonly part: DataPart
  readonly type: Datatype
  readonly cellValNum: number
  readonly dense: boolean
  readonly context: TileContext
  readonly schemaVersion: number
  /** each tile as stored in the file, and its maximum unfiltered size in bytes */
  readonly tiles: ReadonlyArray<{ readonly bytes: Uint8Array; readonly limit: number; readonly offset: number }>
  readonly cells: (tile: number) => number
}

interface Field {
  readonly field: DataField
  readonly name: string
  readonly type: Datatype
  readonly cellValNum: number
  readonly filters: FilterPipeline
  readonly nullable: boolean
}

const fieldsOf = (schema: ArraySchema, footer: FragmentFooter): ReadonlyArray<Field | undefined> => {
  const coords = schema.coordsFilters
  const extra = (kind: "timestamps" | "deleteTimes" | "deleteConditions", type: Datatype): Field => ({
    field: { kind },
    name: kind,
    type,
    cellValNum: 1,
    filters: coords,
    nullable: false,
  })
  const zipped: Field | undefined = footer.version < 5 && !footer.dense
    ? {
      field: { kind: "coords" },
      name: "__coords",
      type: schema.dimensions[0].type,
      cellValNum: schema.dimensions.length,
      filters: coords,
      nullable: false,
    }
    : undefined
  return [
    ...schema.attributes.map((a, index): Field => ({ ...a, field: { kind: "attribute", index, name: a.name } })),
    zipped,
    ...(footer.version < 5 ? [] : schema.dimensions.map((d, index): Field | undefined =>
      footer.dense ? undefined : {
        field: { kind: "dimension", index, name: d.name },
        name: d.name,
        type: d.type,
        cellValNum: d.cellValNum,
        filters: d.filters.filters.length === 0 ? coords : d.filters,
        nullable: false,
      }
    )),
    ...(footer.hasTimestamps ? [extra("timestamps", "uint64")] : []),
    ...(footer.hasDeleteMetadata ? [extra("deleteTimes", "uint64"), extra("deleteConditions", "uint64")] : []),
  ]
}

/** Returns all folders below `root` that are fragments. */
const fragmentsBelow = (root: string): Array<string> => {
  const folders: Array<string> = []
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      const path = `${folder}/${entry.name}`
      if (existsSync(`${path}/__fragment_metadata.tdb`)) folders.push(path)
      else walk(path)
    }
  }
  walk(root)
  return folders
}

const readSchema = (path: string, key: Uint8Array | undefined): ArraySchema =>
  decodeArraySchema(genericTile(readFileSync(path), path, 0, key).bytes, path)

/** Yields every field of every fragment of the case in the folder `root`. */
export function* tilesBelow(root: string, options: { readonly webp?: WebpCodec } = {}): Generator<FieldTiles> {
  const text = JSON.parse(readFileSync(`${root}/expected.json`, "utf8")).encryption_key as string | null
  const key = text === null ? undefined : new TextEncoder().encode(text)
  for (const folder of fragmentsBelow(root)) {
    const array = folder.replace(/\/(__fragments\/)?[^/]*$/, "")
    const uri = `${folder}/__fragment_metadata.tdb`
    const file = new Uint8Array(readFileSync(uri))
    const version = parseName(folder)!.version || 3
    const view = new DataView(file.buffer)
    const length = (shape: FragmentShape) => {
      const l = footerLength(version, shape)
      return l === "trailing" ? Number(view.getBigUint64(file.length - 8, true)) + 8 : l
    }
    const noShape: FragmentShape = { attributes: 0, dimensions: ["var"] }
    const schemaName = version < 10 ? "" : footerSchemaName(file.subarray(-length(noShape)), uri)
    const schemaPath = schemaName === "" ? `${array}/__array_schema.tdb` : `${array}/__schema/${schemaName}`
    const schema = readSchema(schemaPath, key)
    const shape: FragmentShape = {
      attributes: schema.attributes.length,
      dimensions: schema.dimensions.map((d) => d.cellValNum === VAR ? "var" : sizeOf(d.type)),
    }
    const l = footerLength(version, shape)
    const end = l === "trailing" ? file.length - 8 : file.length
    const footer = decodeFooter(file.subarray(file.length - length(shape), end), shape, uri)
    const engineVersion = genericTile(file, uri, footer.rtreeOffset, key).version
    const column = (at: number) => decode(TileOffsets, genericTile(file, uri, at, key).bytes, footer.version, uri)
    const fields = fieldsOf(schema, footer)
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]
      if (field === undefined) continue
      const isVar = field.cellValNum === VAR
      const parts: Array<DataPart> = ["fixed"]
      if (isVar) parts.push("var")
      if (field.nullable) parts.push("validity")
      for (const part of parts) {
        const dataUri = `${folder}/${dataFile(footer.version, field.field, part)}`
        const size = { fixed: footer.fileSizes, var: footer.varFileSizes, validity: footer.validityFileSizes }[part][i]
        if (!(size > 0)) continue
        if (statSync(dataUri).size !== size) throw new Error(`${dataUri} has a size other than in the footer`)
        const bytes = new Uint8Array(readFileSync(dataUri))
        const sections = { fixed: footer.tileOffsets, var: footer.varTileOffsets, validity: footer.validityTileOffsets }
        const offsets = column(sections[part][i])
        const sizes = part === "var" ? column(footer.varTileSizes[i]) : undefined
        const count = offsets.length
        const perTile = denseCells(schema)
        const cells = (tile: number) =>
          footer.dense ? perTile : tile < count - 1 ? schema.capacity : footer.lastTileCells
        const one = part === "validity" ? 1 : part === "fixed" && isVar ? 8 : cellSize(field.type, field.cellValNum)
        const pipeline = part === "validity"
          ? schema.validityFilters
          : part === "fixed" && isVar
          ? schema.offsetsFilters
          : field.filters
        yield {
          uri: dataUri,
          field: field.name,
          part,
          type: field.type,
          cellValNum: field.cellValNum,
          dense: footer.dense,
          schemaVersion: schema.version,
          cells,
          tiles: Array.from(offsets, (at, tile) => ({
            bytes: bytes.subarray(at, tile + 1 < count ? offsets[tile + 1] : size),
            limit: sizes === undefined ? cells(tile) * one : sizes[tile],
            offset: at,
          })),
          context: {
            filters: key === undefined ? pipeline : withEncryption(pipeline),
            type: part === "validity" ? "uint8" : part === "fixed" && isVar ? "uint64" : field.type,
            cellSize: one,
            version: footer.version,
            engineVersion,
            codecs: nativeCodecs,
            key,
            webp: options.webp,
            uri: dataUri,
            offset: 0,
            tileCells: footer.dense ? undefined : schema.capacity,
          },
        }
      }
    }
  }
}

/** Returns the number of cells of a dense tile. */
const denseCells = (schema: ArraySchema): number =>
  schema.dimensions.reduce((product, { tileExtent, type }) => {
    if (tileExtent === null) return product
    const view = new DataView(tileExtent.slice().buffer)
    if (type === "float32" || type === "float64") return product
    const size = sizeOf(type)
    return product * (size === 1 ? view.getUint8(0) : size === 2 ? view.getUint16(0, true) : view.getUint32(0, true))
  }, 1)

/**
 * Reads and unfilters tiles: one request per file and list of tiles, then one synchronous pipeline per tile.
 */
import * as Effect from "effect/Effect"
import type { StorageError } from "../../../platform/errors.ts"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import { FormatError } from "../../../schema/errors/format_error.ts"
import { type DataField, dataFile, type DataPart } from "../../../schema/name/data_file.ts"
import { Since } from "../../../schema/version/version.ts"
import { isFolded, unfilterFoldedTile } from "../../filter/pipeline/folded.ts"
import { type TileContext, unfilterTile, unfilterTileSteps } from "../../filter/pipeline/pipeline.ts"
import type { Steps } from "../../kernel/steps.ts"
import { attemptTileSteps, type TileError } from "../../tile/attempt.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import { spansOf } from "../../tile/spans.ts"
import { tilePositions } from "../../tile/var_cells.ts"
import { type Field, zippedCoordinates } from "../field.ts"
import { type FieldTile, loadFieldTiles, type TileFile } from "../field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment.ts"
import { readPresent } from "../missing_file.ts"
import { tileBatch } from "./tile_batch.ts"
import { needsRealignment, realign } from "./realign_v7.ts"
import { type FileCells, tileContext, webpOf } from "../tile_context.ts"

/** The errors of reading tiles. */
export type ReadTilesError = StorageError | TileError

/** Returns the number of data files of a field. A tile in each file contains the same cells. */
const dataFiles = (field: Field): number => 1 + Number(field.var) + Number(field.nullable)

/** Reads persisted tiles of one file, in the order of the request. */
export const readFile = (
  uri: string,
  fragment: Fragment,
  file: TileFile,
  tiles: ArrayLike<number>,
): Effect.Effect<ReadonlyArray<Uint8Array>, StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const n = tiles.length
    const starts = new Float64Array(n)
    const lengths = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      const tile = tiles[i]
      starts[i] = file.offsets[tile]
      lengths[i] = (tile + 1 < file.offsets.length ? file.offsets[tile + 1] : file.size) - starts[i]
    }
    const { ranges, rangeOf, startIn } = spansOf(starts, lengths)
    const storage = yield* Storage
    const read = yield* readPresent(uri, fragment, storage, storage.readRanges(uri, ranges))
    return Array.from(starts, (_, i) => read[rangeOf[i]].subarray(startIn[i], startIn[i] + lengths[i]))
  })

/**
 * Reads tiles of an existing field of a fragment; `tiles` are ascending. The results have the same order.
 */
export const readTiles = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  tiles: ArrayLike<number>,
): Effect.Effect<ReadonlyArray<FieldTile>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    if (tiles.length === 0) return []
    const [where] = yield* loadFieldTiles(access, fragment, [field])
    const webp = yield* webpOf(access, field.filters)
    const uriOf = (part: DataPart): string => `${fragment.uri}/${dataFile(fragment.version, field.file, part)}`
    const all = needsRealignment(fragment, field)
    const requested = all ? Array.from({ length: fragment.tileCount }, (_, i) => i) : tiles
    const noTiles: ReadonlyArray<Uint8Array> = []
    const read = (part: DataPart, file: TileFile) => readFile(uriOf(part), fragment, file, requested)
    const [fixed, variable, validity] = yield* Effect.all([
      read("fixed", where.fixed),
      where.var === undefined ? Effect.succeed(noTiles) : read("var", where.var),
      where.validity === undefined ? Effect.succeed(noTiles) : read("validity", where.validity),
    ], { concurrency: inFlight(yield* Storage, fragment.uri, 3) })

    const contextOf = (part: DataPart, cells: FileCells): (tile: number) => TileContext => {
      const file = part === "fixed" ? where.fixed : part === "var" ? where.var : where.validity
      const at = tileContext(access, fragment, cells, uriOf(part), webp)
      return (tile) => at(file!.offsets[tile])
    }
    const { offsetsFilters, validityFilters } = fragment.schema
    const folded = isFolded(field.filters, field.type, field.var, fragment.version)
    const ofFixed = contextOf("fixed", field)
    const ofVar = contextOf("var", field)
    const ofOffsets = contextOf("fixed", { filters: offsetsFilters, type: "uint64", cellSize: 8 })
    const ofValidity = contextOf("validity", { filters: validityFilters, type: "uint8", cellSize: 1 })

    return yield* attemptTileSteps(function* () {
      if (all) {
        const cells = (fragment.tileCount - 1) * fragment.tileCells + fragment.lastTileCells
        const limit = cells * (field.cellSize + 1)
        const realigned = realign(
          fragment,
          field.cellSize,
          fixed.map((t, i) => unfilterTile(t, ofFixed(i), limit)),
          validity.map((t, i) => unfilterTile(t, ofValidity(i), limit)),
        )
        return Array.from(tiles, (tile) => realigned[tile])
      }
      const decode = function* (tile: number, i: number): Steps<FieldTile> {
        const cells = cellsInTile(fragment, tile)
        const valid = where.validity === undefined ? undefined : exact(
          yield* unfilterTileSteps(validity[i], ofValidity(tile), cells),
          cells,
          ofValidity(tile),
        )
        if (!field.var) {
          const context = ofFixed(tile)
          const size = cells * field.cellSize
          return {
            values: exact(yield* unfilterTileSteps(fixed[i], context, size), size, context),
            offsets: undefined,
            validity: valid,
          }
        }
        const size = where.varSizes![tile]
        const context = ofVar(tile)
        // eight zero bytes are an offsets tile without chunks: the strings include the offsets
        if (folded && isEmptyTile(fixed[i])) {
          const strings = unfilterFoldedTile(variable[i], context, size, cells)
          if (strings.offsets.length === cells + 1) {
            return { values: exact(strings.bytes, size, context), offsets: strings.offsets, validity: valid }
          }
          // a tile of empty strings may have no chunk; the number of cells is then unverifiable
          if (strings.bytes.byteLength === 0 && cells <= MAX_CELLS_WITHOUT_BYTES) {
            return { values: strings.bytes, offsets: new Uint32Array(cells + 1), validity: valid }
          }
          throw damagedTile(context, `${strings.offsets.length - 1} strings for ${cells} cells`)
        }
        const values = exact(yield* unfilterTileSteps(variable[i], context, size), size, context)
        const offsetsContext = ofOffsets(tile)
        const positions = yield* unfilterTileSteps(fixed[i], offsetsContext, 8 * cells)
        return {
          values,
          offsets: tilePositions(
            positions,
            cells,
            values.byteLength,
            field.cellSize,
            offsetsContext.uri,
            fragment.version,
          ),
          validity: valid,
        }
      }
      const out: Array<FieldTile> = []
      for (let i = 0; i < tiles.length; i++) {
        out.push(yield* decode(tiles[i], i))
        yield
      }
      return out
    })
  }).pipe(tileBatch(fragment, field, tiles.length * dataFiles(field)))

/** Maximum number of cells for which memory is allocated if the file contains no bytes for them. */
const MAX_CELLS_WITHOUT_BYTES = 1 << 24

const isEmptyTile = (tile: Uint8Array): boolean => tile.byteLength === 8 && tile.every((byte) => byte === 0)

const damagedTile = (context: TileContext, reason: string): FormatError =>
  new FormatError({ uri: context.uri, path: "tile", offset: context.offset, version: context.version, detail: reason })

const exact = (bytes: Uint8Array, size: number, context: TileContext): Uint8Array => {
  if (bytes.byteLength !== size) throw damagedTile(context, `the tile has ${bytes.byteLength} bytes instead of ${size}`)
  return bytes
}

/**
 * Reads the coordinates of tiles, by dimension. Up to format 4 one file contains all dimensions.
 */
export const readCoordinates = (
  access: TileAccess,
  fragment: Fragment,
  dimensions: ReadonlyArray<Field>,
  tiles: ArrayLike<number>,
): Effect.Effect<ReadonlyArray<ReadonlyArray<FieldTile>>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    if (fragment.version >= Since.splitDimensions) {
      yield* loadFieldTiles(access, fragment, dimensions)
      return yield* Effect.forEach(dimensions, (field) => readTiles(access, fragment, field, tiles), {
        concurrency: inFlight(yield* Storage, fragment.uri, 4),
      })
    }
    const all = fragment.schema.dimensions
    const { coordsFilters } = fragment.schema
    const size = dimensions[0].cellSize
    if (all.some((d) => d.cellValNum === VAR || sizeOf(d.type) !== size)) {
      return yield* Effect.fail(
        new FormatError({
          uri: fragment.uri,
          path: "schemaName",
          offset: 0,
          version: fragment.version,
          detail: "until format 4 all dimensions have one datatype; the fragment's schema has several",
        }),
      )
    }
    const fileTiles = yield* readTiles(access, fragment, zippedCoordinates(fragment.schema), tiles)
    const interleaved = fragment.version === 1 && !coordsFilters.filters.some((f) => compresses.has(f.type))
    return dimensions.map((field) => {
      const d = indexOf(field.file)
      return fileTiles.map(({ values }): FieldTile => {
        const cells = values.byteLength / (size * all.length)
        const out = interleaved
          ? new Uint8Array(cells * size)
          : values.subarray(d * cells * size, (d + 1) * cells * size)
        if (interleaved) {
          for (let i = 0; i < cells; i++) {
            const from = (i * all.length + d) * size
            out.set(values.subarray(from, from + size), i * size)
          }
        }
        return { values: out, offsets: undefined, validity: undefined }
      })
    })
  })

const compresses: ReadonlySet<string> = new Set(["gzip", "zstd", "lz4", "rle", "bzip2", "double_delta"])

const indexOf = (file: DataField): number => file.kind === "dimension" ? file.index : 0

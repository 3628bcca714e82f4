/**
 * Reads the tiles of a field in batches of limited size. A damaged tile becomes a finding, and the others are returned.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../platform/storage/service.ts"
import { dataFile } from "../../schema/name/data_file.ts"
import type { Field } from "../fragment/field.ts"
import type { FieldTile, FieldTiles, TileFile } from "../fragment/field_tiles.ts"
import { cellsInTile, type Fragment } from "../fragment/fragment.ts"
import { readTiles } from "../fragment/read/read_tiles.ts"
import { needsRealignment } from "../fragment/read/realign_v7.ts"
import type { TileAccess } from "../tile/generic_tile.ts"
import type { FindingCheck, Subject } from "./finding.ts"
import type { Findings, ReaderError } from "./findings.ts"

/** A field with the positions of its tiles. */
export interface LocatedField {
  readonly field: Field
  readonly tiles: FieldTiles
}

/** Size of the tiles of a batch, filtered and unfiltered, in bytes. A larger tile is a batch of its own. */
const MAX_BATCH_SIZE = 1 << 22

const storedSize = (file: TileFile | undefined, tile: number): number =>
  file === undefined ? 0 : (tile + 1 < file.offsets.length ? file.offsets[tile + 1] : file.size) - file.offsets[tile]

/** Returns the numbers of a fragment's tiles in batches. */
export function* tileBatches(
  fragment: Fragment,
  located: ReadonlyArray<LocatedField>,
): Generator<ReadonlyArray<number>> {
  // fields that are realigned are always read as a whole
  const together = located.some(({ field }) => needsRealignment(fragment, field))
  let batch: Array<number> = []
  let size = 0
  for (let tile = 0; tile < fragment.tileCount; tile++) {
    let more = 0
    for (const { field, tiles } of located) {
      more += storedSize(tiles.fixed, tile) + storedSize(tiles.var, tile) + storedSize(tiles.validity, tile)
      more += cellsInTile(fragment, tile) * (field.var ? 8 : field.cellSize) + (tiles.varSizes?.[tile] ?? 0)
    }
    if (batch.length > 0 && size + more > MAX_BATCH_SIZE && !together) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(tile)
    size += more
  }
  if (batch.length > 0) yield batch
}

/** Returns the check of an error of a data file. */
const tileCheck = (error: ReaderError): FindingCheck => {
  if (error._tag === "CodecError") return "Decode"
  if (error._tag !== "FormatError") return "ChunkFraming"
  if (error.path.startsWith("offsets")) return "CellOffsets"
  if (error.path === "tile") return "TileSize"
  // the path continues with the filter
  if (/^chunks\.\d+\.\w/.test(error.path)) return "Decode"
  return error.detail.includes("lacks its file") ? "MissingFile" : "ChunkFraming"
}

/** Returns the path of the file of a field, or of the file in an error of its tiles. */
const pathOf = (folder: string, { version }: Fragment, field: Field, error?: ReaderError): string => {
  const file = error !== undefined && "uri" in error && typeof error.uri === "string"
    ? error.uri.slice(error.uri.lastIndexOf("/") + 1)
    : dataFile(version, field.file, "fixed")
  return `${folder}/${file}`
}

/** Returns the subject of findings about a tile. */
export const tileSubject = (folder: string, fragment: Fragment, field: Field, tile: number): Subject => ({
  path: pathOf(folder, fragment, field),
  fragment: fragment.name.name,
  field: field.name,
  tile,
})

/** Reads tiles of a field, in the same order; `undefined` for damaged tiles. `folder` is the path of the fragment. */
export const readBatch = (
  access: TileAccess,
  fragment: Fragment,
  folder: string,
  field: Field,
  tiles: ReadonlyArray<number>,
  findings: Findings,
): Effect.Effect<ReadonlyArray<FieldTile | undefined>, never, Storage> =>
  Effect.catchAll(
    readTiles(access, fragment, field, tiles),
    (error): Effect.Effect<ReadonlyArray<FieldTile | undefined>, never, Storage> => {
      if (tiles.length > 1 && !needsRealignment(fragment, field)) {
        return Effect.map(
          Effect.forEach(tiles, (tile) => readBatch(access, fragment, folder, field, [tile], findings)),
          (results) => results.flat(),
        )
      }
      return Effect.sync(() => {
        const subject = {
          ...tileSubject(folder, fragment, field, tiles[0]),
          path: pathOf(folder, fragment, field, error),
        }
        findings.addError(error, subject, tileCheck(error))
        return tiles.map(() => undefined)
      })
    },
  )

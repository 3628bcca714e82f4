/**
 * Reads tiles of a field as they are stored, without decoding them.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../../platform/storage/service.ts"
import { dataFile, type DataPart } from "../../../schema/name/data_file.ts"
import type { TileAccess } from "../../tile/generic_tile.ts"
import type { Field } from "../field.ts"
import { loadFieldTiles, type TileFile } from "../field_tiles.ts"
import type { Fragment } from "../fragment.ts"
import { readFile, type ReadTilesError } from "./read_tiles.ts"

/** The stored bytes of a tile of fixed-size cells. */
export interface StoredTile {
  readonly fixed: Uint8Array
  readonly var: undefined
  readonly validity: Uint8Array | undefined
}

/** Reads the stored bytes of tiles of a field of fixed-size cells; `tiles` are ascending. */
export const readStoredTiles = (
  access: TileAccess,
  fragment: Fragment,
  field: Field,
  tiles: ReadonlyArray<number>,
): Effect.Effect<ReadonlyArray<StoredTile>, ReadTilesError, Storage> =>
  Effect.gen(function* () {
    const [files] = yield* loadFieldTiles(access, fragment, [field])
    const read = (part: DataPart, file: TileFile) =>
      readFile(`${fragment.uri}/${dataFile(fragment.version, field.file, part)}`, fragment, file, tiles)
    const [fixed, validity] = yield* Effect.all([
      read("fixed", files.fixed),
      files.validity === undefined ? Effect.succeed([]) : read("validity", files.validity),
    ], { concurrency: inFlight(yield* Storage, fragment.uri, 2) })
    return fixed.map((bytes, i): StoredTile => ({ fixed: bytes, var: undefined, validity: validity[i] }))
  })

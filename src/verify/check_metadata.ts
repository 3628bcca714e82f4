/**
 * Checks the files of array metadata. Format: `metadata.md`.
 */
import * as Effect from "effect/Effect"
import { inFlight, Storage } from "../../platform/storage/service.ts"
import { decodeSteps } from "../../schema/binary/mod.ts"
import { MetadataEntries } from "../../schema/metadata_entries.ts"
import { METADATA_FOLDER } from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { join } from "../array/open/listing.ts"
import { attemptTileSteps } from "../tile/attempt.ts"
import { openGenericTileSteps, type TileAccess } from "../tile/generic_tile.ts"
import type { Findings } from "./findings.ts"
import type { Folders } from "./folders.ts"

/** Decodes every metadata file. */
export const checkMetadata = (
  { uri, metadata }: Folders,
  access: TileAccess,
  findings: Findings,
): Effect.Effect<void, never, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const files = metadata.filter(({ kind, name }) => kind === "file" && parseName(name)?.name === name)
    yield* Effect.forEach(files, ({ name }) => {
      const path = `${METADATA_FOLDER}/${name}`
      const at = join(uri, path)
      const decoding = Effect.flatMap(storage.read(at), (bytes) =>
        attemptTileSteps(function* () {
          const tile = yield* openGenericTileSteps(access, at, bytes)
          return yield* decodeSteps(MetadataEntries, tile.bytes, tile.version, at)
        }))
      return findings.attempt(decoding, { path }, "Metadata")
    }, { concurrency: inFlight(storage, uri, 8), discard: true })
  })

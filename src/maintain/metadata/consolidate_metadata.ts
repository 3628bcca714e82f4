/**
 * Consolidates the metadata of arrays and groups: writes one file with the last entry of each key. Deletions are kept,
 * so that an older file outside the time range does not make a key reappear. Format: `metadata.md`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import { createUnique, inFlight, Storage } from "../../../platform/storage/service.ts"
import { runSteps, withTurns } from "../../../platform/host/event_loop_turns.ts"
import { decodeSteps, encode } from "../../../schema/binary/mod.ts"
import { VacuumFile, vacuumLine } from "../../../schema/commit/vacuum_file.ts"
import { MetadataEntries } from "../../../schema/metadata_entries.ts"
import { METADATA_FOLDER } from "../../../schema/name/array_paths.ts"
import { formatName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { createStructure } from "../../array/create/create_structure.ts"
import { lastEntriesSteps, type OpenTile } from "../../array/metadata/metadata.ts"
import type { TimeRange } from "../../array/open/directory.ts"
import { join } from "../../array/open/listing.ts"
import { attemptTileSteps } from "../../tile/attempt.ts"
import { openGenericTileSteps, type TileAccess } from "../../tile/generic_tile.ts"
import { consolidatedUuid, spanOf } from "../directory/consolidated_name.ts"
import { MaintenanceError } from "../directory/maintenance_error.ts"
import { type ConsolidateFilesError, type ConsolidateResult, unchanged } from "../directory/result.ts"
import { loadMetadataFiles } from "./metadata_files.ts"

/** An array or group whose metadata is consolidated. */
export interface MetadataTarget {
  readonly uri: string
  readonly access: TileAccess
  /** Format version of the new file. */
  readonly version: number
  /** Time range of the files to combine: those entirely inside it. */
  readonly time: TimeRange
  /** Opens a file; groups accept plain files next to encrypted ones. */
  readonly openTile?: OpenTile
}

const isInside = ({ start, end }: TimestampedName, time: TimeRange): boolean => time.start <= start && end <= time.end

/** Name of this operation in the hash of the result's name. */
const TASK_NAME = "metadata"

const pathOf = (name: string): string => `${METADATA_FOLDER}/${name}`

/** Returns the consolidated file of an earlier call that did not write its vacuum file, with its inputs. */
const unfinished = (
  files: ReadonlyArray<TimestampedName>,
): Effect.Effect<readonly [name: string, inputs: ReadonlyArray<TimestampedName>] | undefined, never, Codecs> =>
  Effect.gen(function* () {
    for (const file of files) {
      const others = files.filter((other) => other !== file && isInside(other, file))
      if (others.length > 1 && file.uuid === (yield* consolidatedUuid(others, TASK_NAME))) return [file.name, others]
    }
    return undefined
  })

/** Combines the metadata files of a time range. Writes nothing if there are fewer than two. */
export const consolidateMetadataFiles = (
  { uri, access, version, time, openTile = openGenericTileSteps }: MetadataTarget,
): Effect.Effect<ConsolidateResult, ConsolidateFilesError, Storage | Codecs> =>
  withTurns(Effect.gen(function* () {
    const storage = yield* Storage
    const { files, vacuums } = yield* loadMetadataFiles(uri)
    const replaced = new Set(vacuums.flatMap((vacuum) => [...vacuum.files]))
    const visible = files.filter(({ name }) => !replaced.has(name))
    const chosen = visible.filter((file) => isInside(file, time))
    const storeVacuum = (name: string, inputs: ReadonlyArray<TimestampedName>) => {
      const lines = inputs.map((input) => vacuumLine(version, uri, pathOf(input.name)))
      return Effect.as(
        createUnique(storage, join(uri, pathOf(`${name}.vac`)), encode(VacuumFile, lines, version)),
        { written: [pathOf(name)], inputs: inputs.map((input) => pathOf(input.name)) },
      )
    }
    const earlier = yield* unfinished(chosen)
    if (earlier !== undefined) return yield* storeVacuum(...earlier)
    if (chosen.length < 2) return unchanged
    const [start, end] = spanOf(chosen)
    const between = visible.find((file) => !chosen.includes(file) && file.start <= end && start <= file.end)
    if (between !== undefined) {
      const detail = `the metadata file ${between.name} overlaps the time range; include all of it, or none`
      return yield* Effect.fail(new MaintenanceError({ uri, reason: "Overlap", detail }))
    }
    const entries = yield* Effect.forEach(
      chosen,
      ({ name }) => {
        const at = join(uri, pathOf(name))
        return Effect.flatMap(storage.read(at), (bytes) =>
          attemptTileSteps(function* () {
            const tile = yield* openTile(access, at, bytes)
            return yield* decodeSteps(MetadataEntries, tile.bytes, tile.version, at)
          }))
      },
      { concurrency: inFlight(storage, uri, 16) },
    )
    const last = yield* runSteps(() => lastEntriesSteps(entries))
    const name = formatName(start, end, yield* consolidatedUuid(chosen, TASK_NAME))
    // until the vacuum file exists, readers apply the inputs too, which changes nothing
    yield* createStructure(access, join(uri, pathOf(name)), MetadataEntries, last.entries, version)
    return yield* storeVacuum(name, chosen)
  }))

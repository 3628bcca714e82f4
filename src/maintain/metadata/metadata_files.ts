/**
 * The metadata files of an array or group, and their vacuum files. Format: `metadata.md`, `vacuum_file.md`.
 */
import * as Effect from "effect/Effect"
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import { type Entry, inFlight, Storage } from "../../../platform/storage/service.ts"
import { decode } from "../../../schema/binary/mod.ts"
import { vacuumedNames, VacuumFile } from "../../../schema/commit/vacuum_file.ts"
import type { FormatError } from "../../../schema/errors/format_error.ts"
import { METADATA_FOLDER } from "../../../schema/name/array_paths.ts"
import { compareNames, parseName, type TimestampedName } from "../../../schema/name/timestamped_name.ts"
import { CURRENT_VERSION } from "../../../schema/version/version.ts"
import { join } from "../../array/open/listing.ts"
import { readListedFolder } from "../../array/open/read_listed.ts"
import { attemptFormat } from "../../tile/attempt.ts"

/** A vacuum file with the names of the files that it lists. */
export interface MetadataVacuum {
  /** The path relative to the array or group. */
  readonly path: string
  readonly uri: string
  readonly name: TimestampedName
  readonly files: ReadonlySet<string>
}

/** The contents of `__meta`. */
export interface MetadataFiles {
  /** All finished files, oldest first. */
  readonly files: ReadonlyArray<TimestampedName>
  readonly vacuums: ReadonlyArray<MetadataVacuum>
}

/** Lists `__meta`. Fails with `FormatError` if a vacuum file names a path outside the array or group. */
export const loadMetadataFiles = (
  uri: string,
): Effect.Effect<MetadataFiles, NotFound | StorageError | FormatError, Storage> =>
  readListedFolder(join(uri, METADATA_FOLDER), (entries) => parseMetadataFiles(uri, entries))

const parseMetadataFiles = (
  uri: string,
  entries: ReadonlyArray<Entry>,
): Effect.Effect<MetadataFiles, NotFound | StorageError | FormatError, Storage> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const files: Array<TimestampedName> = []
    const listed: Array<{ readonly path: string; readonly name: TimestampedName }> = []
    for (const { name: file, kind } of entries) {
      const name = kind === "file" ? parseName(file) : undefined
      if (name === undefined) continue
      if (file.endsWith(".vac")) listed.push({ path: `${METADATA_FOLDER}/${file}`, name })
      // a name with a suffix, such as `.tmp`, is not a finished file
      else if (file === name.name) files.push(name)
    }
    const vacuums = yield* Effect.forEach(listed, ({ path, name }) => {
      const at = join(uri, path)
      return Effect.flatMap(storage.read(at), (bytes) =>
        attemptFormat((): MetadataVacuum => {
          const place = { uri: at, path: "lines", version: CURRENT_VERSION }
          return {
            path,
            uri: at,
            name,
            files: new Set(vacuumedNames(decode(VacuumFile, bytes, CURRENT_VERSION, at), place)),
          }
        }))
    }, { concurrency: inFlight(storage, uri, 8) })
    return { files: files.sort(compareNames), vacuums }
  })

/**
 * Removes metadata files that a consolidated file replaces.
 */
import * as Effect from "effect/Effect"
import type { Storage } from "../../../platform/storage/service.ts"
import { METADATA_FOLDER } from "../../../schema/name/array_paths.ts"
import { join } from "../../array/open/listing.ts"
import { loadMetadataFiles } from "./metadata_files.ts"
import type { Replaced, VacuumFailure } from "../vacuum/removal.ts"

/** Plans the removal: the replaced files, then the vacuum file that lists them. */
export const planMetadataVacuum = (uri: string): Effect.Effect<ReadonlyArray<Replaced>, VacuumFailure, Storage> =>
  Effect.map(loadMetadataFiles(uri), ({ files, vacuums }) => {
    const present = new Set(files.map(({ name }) => name))
    // if a vacuum file belongs to a file that another vacuum file lists, it comes first
    const isListed = (name: string) => vacuums.some((vacuum) => vacuum.files.has(name))
    const sorted = [...vacuums].sort((a, b) => Number(isListed(b.name.name)) - Number(isListed(a.name.name)))
    return sorted.flatMap((vacuum): ReadonlyArray<Replaced> => {
      // keep the files if the combined file is missing: their entries would be lost
      if (!present.has(vacuum.name.name)) return []
      const listed = [...vacuum.files].filter((name) => present.has(name) && name !== vacuum.name.name)
      return [{
        replacement: vacuum,
        phases: [
          listed.map((name) => ({ path: `${METADATA_FOLDER}/${name}`, uri: join(uri, METADATA_FOLDER, name) })),
          [vacuum],
        ],
      }]
    })
  })

/**
 * Checks files of consolidated footers. Format: `consolidated_fragment_metadata_file.md`.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../platform/storage/service.ts"
import { decode } from "../../schema/binary/mod.ts"
import {
  consolidatedFooters,
  ConsolidatedFragmentMetadata,
} from "../../schema/commit/consolidated_fragment_metadata.ts"
import { FRAGMENT_METADATA_FOLDER } from "../../schema/name/array_paths.ts"
import { lastComponent, parseName } from "../../schema/name/timestamped_name.ts"
import { join } from "../array/open/listing.ts"
import { attemptTile } from "../tile/attempt.ts"
import { openGenericTile, type TileAccess } from "../tile/generic_tile.ts"
import type { LoadedCommits } from "./check_commits.ts"
import type { Findings } from "./findings.ts"
import type { Folders } from "./folders.ts"

/** A footer in a consolidated file. */
export interface CopiedFooter {
  /** Path of the file relative to the array. */
  readonly path: string
  readonly footer: Uint8Array
}

/** Decodes all files and returns the footers by the name of the fragment. */
export const checkFooters = (
  folders: Folders,
  commits: LoadedCommits,
  access: TileAccess,
  findings: Findings,
): Effect.Effect<ReadonlyMap<string, ReadonlyArray<CopiedFooter>>, never, Storage> =>
  Effect.gen(function* () {
    const { uri } = folders
    const storage = yield* Storage
    const isFile = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
      kind === "file" && name.endsWith(".meta") && parseName(name) !== undefined
    const paths = [
      ...folders.root.filter(isFile).map(({ name }) => name),
      ...folders.fragmentMetadata.filter(isFile).map(({ name }) => `${FRAGMENT_METADATA_FOLDER}/${name}`),
    ]
    const copies = new Map<string, Array<CopiedFooter>>()
    for (const path of paths) {
      const at = join(uri, path)
      const decoding = Effect.flatMap(storage.read(at), (bytes) =>
        attemptTile(() => {
          const tile = openGenericTile(access, at, bytes)
          return consolidatedFooters(
            decode(ConsolidatedFragmentMetadata, tile.bytes, tile.version, at),
            tile.version,
            at,
          )
        }))
      const footers = yield* findings.attempt(decoding, { path }, "ConsolidatedFooters")
      for (const [uriOrName, footer] of footers ?? []) {
        // before format 9 the file contains absolute URIs
        const name = lastComponent(uriOrName)
        if (commits.folders.has(name)) copies.set(name, [...copies.get(name) ?? [], { path, footer }])
        else findings.add("UnusedFooter", { path }, `${path}: contains the footer of ${name}, which does not exist`)
      }
    }
    return copies
  })

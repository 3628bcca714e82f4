/**
 * Consolidates fragment metadata: the footers of all fragments in one file, so that opening takes one read. Format:
 * `consolidated_fragment_metadata_file.md`.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../../platform/keys.ts"
import { Storage } from "../../../platform/storage/service.ts"
import { decode, encode } from "../../../schema/binary/mod.ts"
import {
  consolidatedFooters,
  ConsolidatedFragmentMetadata,
  consolidatedName,
  consolidateFooters,
} from "../../../schema/commit/consolidated_fragment_metadata.ts"
import { fragmentFooter } from "../../../schema/fragment/footer.ts"
import { consolidatedMetadataPath, FRAGMENT_METADATA_FOLDER } from "../../../schema/name/array_paths.ts"
import { formatName } from "../../../schema/name/timestamped_name.ts"
import { createStructure } from "../../array/create/create_structure.ts"
import { newUuid, newUuidAfter } from "../../array/create/fragment_name.ts"
import { newestFooters } from "../../array/open/directory.ts"
import { join, listArray } from "../../array/open/listing.ts"
import { accessOf, openArray } from "../../array/open/open.ts"
import { shapeOf } from "../../fragment/fragment.ts"
import { attemptTile } from "../../tile/attempt.ts"
import { openGenericTile } from "../../tile/generic_tile.ts"
import { spanOf } from "../directory/consolidated_name.ts"
import { MIN_WRITTEN_VERSION } from "../../array/create/check_format_version.ts"
import { type ConsolidateFilesError, type ConsolidateResult, unchanged } from "../directory/result.ts"
import { Since } from "../../../schema/version/version.ts"

/**
 * Writes the footers of all fragments to one file. Writes nothing if there are fewer than two fragments, or if the
 * newest file contains all footers.
 */
export const consolidateFragmentMetadata = (
  uri: string,
  key: EncryptionKey | undefined,
): Effect.Effect<ConsolidateResult, ConsolidateFilesError, Storage | Codecs> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const array = yield* openArray(uri, { end: Number.MAX_SAFE_INTEGER, ...(key === undefined ? {} : { key }) })
    const version = Math.max(array.schema.version, MIN_WRITTEN_VERSION)
    const footers = array.fragments.flatMap((fragment) => {
      const { metadata, schema } = fragment
      if (metadata.kind === "legacy") return []
      const footer = encode(fragmentFooter(shapeOf(schema)), metadata.footer, fragment.version)
      return [{ name: consolidatedName(version, fragment.uri), footer }]
    })
    if (footers.length < 2) return unchanged
    const access = yield* accessOf(array)
    const listing = yield* listArray(array.uri)
    const folder = join(array.uri, FRAGMENT_METADATA_FOLDER)
    const newest = newestFooters(listing, version >= Since.folders ? yield* storage.list(folder) : [])
    if (newest !== undefined) {
      const bytes = yield* storage.read(newest.uri)
      const names = yield* attemptTile(() => {
        const tile = openGenericTile(access, newest.uri, bytes)
        const metadata = decode(ConsolidatedFragmentMetadata, tile.bytes, tile.version, newest.uri)
        return consolidatedFooters(metadata, tile.version, newest.uri)
      })
      if (names.size === footers.length && footers.every(({ name }) => names.has(name))) return unchanged
    }
    const uuid = yield* newest === undefined ? newUuid : newUuidAfter(newest.name.uuid)
    const name = formatName(...spanOf(array.fragments.map((fragment) => fragment.name)), uuid, version)
    const path = consolidatedMetadataPath(version, name)
    yield* createStructure(
      access,
      join(array.uri, path),
      ConsolidatedFragmentMetadata,
      consolidateFooters(footers),
      version,
    )
    return { written: [path], inputs: footers.map((footer) => footer.name) }
  })

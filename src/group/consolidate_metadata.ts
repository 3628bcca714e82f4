/**
 * Consolidates and vacuums the metadata of groups.
 */
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import { Storage } from "../../platform/storage/service.ts"
import { CURRENT_VERSION } from "../../schema/version/version.ts"
import { type ChangeOptions, changingOf } from "../array/create/change_options.ts"
import type { ArrayNotFound } from "../array/open/errors.ts"
import { accessOf } from "../array/open/open.ts"
import type { ConsolidateFilesError, ConsolidateResult } from "../maintain/directory/result.ts"
import { consolidateMetadataFiles } from "../maintain/metadata/consolidate_metadata.ts"
import { planMetadataVacuum } from "../maintain/metadata/vacuum_metadata.ts"
import { removalOf, type VacuumError, type VacuumOptions } from "../maintain/vacuum.ts"
import { runRemovals, type VacuumResult } from "../maintain/vacuum/removal.ts"
import { checkGroup, openGroupTile, type TileGroup } from "./open_group.ts"

/** Errors of consolidating the metadata of a group. */
export type ConsolidateGroupMetadataError = ConsolidateFilesError | ArrayNotFound

/**
 * Combines all metadata files of a group into one; the metadata does not change. `Group.vacuumMetadata` removes the
 * combined files. Fails with `ArrayNotFound`, `InvalidOption`, `NotFound` or `StorageError`, and with `FormatError`,
 * `CodecError`, `ChecksumMismatch` or `DecryptionFailed` for unreadable files.
 *
 * ```ts
 * import { Group, layerMemory, layerNative, Metadata } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.putMetadata("mem://all", { title: "All" })
 *   yield* Group.putMetadata("mem://all", { unit: "m" })
 *   yield* Group.consolidateMetadata("mem://all")
 *   return Metadata.values(yield* Group.metadata(yield* Group.open("mem://all"))).get("title")
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), "All")
 * ```
 */
export const consolidateMetadata = (
  group: TileGroup | string,
  options: Pick<ChangeOptions, "key"> = {},
): Effect.Effect<ConsolidateResult, ConsolidateGroupMetadataError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri, key } = yield* changingOf(group, options)
    const storage = yield* Storage
    yield* checkGroup(uri, yield* storage.list(uri))
    return yield* consolidateMetadataFiles({
      uri,
      access: yield* accessOf({ key, verifyChecksums: true }),
      version: CURRENT_VERSION,
      time: { start: 0, end: Number.MAX_SAFE_INTEGER },
      openTile: openGroupTile,
    })
  }).pipe(traced("Group.consolidateMetadata", group))

/**
 * Removes the metadata files of a group that {@link consolidateMetadata} replaced, if they were replaced long enough ago
 * (`age`). Fails as `TileArray.vacuum` does.
 *
 * ```ts
 * import { Group, layerMemory, layerNative } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   yield* Group.create("mem://all")
 *   yield* Group.putMetadata("mem://all", { title: "All" })
 *   yield* Group.putMetadata("mem://all", { unit: "m" })
 *   yield* Group.consolidateMetadata("mem://all")
 *   return (yield* Group.vacuumMetadata("mem://all", { age: 0 })).removed.length
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), 3)
 * ```
 */
export const vacuumMetadata = (
  group: TileGroup | string,
  options: Pick<VacuumOptions, "age" | "dryRun"> = {},
): Effect.Effect<VacuumResult, VacuumError, Storage> =>
  Effect.gen(function* () {
    const { uri, ...removal } = yield* removalOf(typeof group === "string" ? group : group.uri, options, [
      "age",
      "dryRun",
    ])
    const storage = yield* Storage
    yield* checkGroup(uri, yield* storage.list(uri))
    return yield* runRemovals(uri, yield* planMetadataVacuum(uri), removal)
  }).pipe(traced("Group.vacuumMetadata", group))

/**
 * Removes the files that consolidation replaced.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { traced } from "../../platform/observability/spans.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { noArray } from "../array/open/open.ts"
import { isArray } from "../array/open/directory.ts"
import type { ArrayNotFound, InvalidOption } from "../array/open/errors.ts"
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import { listSchemas } from "../array/open/listing.ts"
import { attemptOptions, checkFlag, checkNames, checkUri, refuseFor } from "../array/open/open_options.ts"
import { planCommitsVacuum } from "./commits/vacuum_commits.ts"
import { planFootersVacuum } from "./metadata/vacuum_footers.ts"
import { planMetadataVacuum } from "./metadata/vacuum_metadata.ts"
import { type RemovalOptions, runRemovals, type VacuumFailure, type VacuumResult } from "./vacuum/removal.ts"
import { vacuumFragments } from "./vacuum/vacuum_fragments.ts"

export type { KeptFile, VacuumFailure, VacuumResult } from "./vacuum/removal.ts"

/** The kind of files that a vacuum removes. */
export type VacuumMode = "fragments" | "fragment_meta" | "commits" | "array_meta"

/** Options of a vacuum. */
export interface VacuumOptions {
  /** The kind of files to remove. Default: fragments. */
  readonly mode?: VacuumMode
  /**
   * Minimum age in milliseconds: removes only files that were replaced at least this long ago, by the clock of the
   * storage. A reader that opened the array before may still use younger ones. Default: 600,000 (ten minutes).
   */
  readonly age?: number
  /** Lists the files without removing them. Default: false. */
  readonly dryRun?: boolean
}

/** Errors of a vacuum. */
export type VacuumError = InvalidOption | ArrayNotFound | VacuumFailure

const OPTIONS: ReadonlyArray<string> = ["mode", "age", "dryRun"] satisfies ReadonlyArray<keyof VacuumOptions>

const MODES: ReadonlyArray<string> = ["fragments", "fragment_meta", "commits", "array_meta"] satisfies ReadonlyArray<
  VacuumMode
>

/** Default minimum age in milliseconds. */
const DEFAULT_AGE = 600_000

/** Validates the options of a vacuum. `names` lists the accepted option names. */
export const removalOf = (
  uri: string,
  options: VacuumOptions,
  names: ReadonlyArray<string> = OPTIONS,
): Effect.Effect<RemovalOptions & { readonly uri: string }, InvalidOption> =>
  attemptOptions(() => {
    const refuse = refuseFor(uri)
    const at = checkUri(uri, refuse)
    checkNames(options, names, refuse)
    const { mode, age = DEFAULT_AGE, dryRun = false } = options
    if (mode !== undefined && !MODES.includes(mode)) {
      refuse("mode", `it is one of ${MODES.join(", ")}`, mode)
    }
    if (typeof age !== "number" || !(age >= 0)) refuse("age", "it is a number of milliseconds, 0 or more", age)
    checkFlag("dryRun", dryRun, refuse)
    return { uri: at, age, dryRun }
  })

/**
 * Removes the fragments, commits or metadata files that consolidation replaced. Reads of the current state do not
 * change. Reads at earlier times lose data that only the removed files contain: times between the writes of dense
 * fragments and of metadata; consolidated sparse fragments keep the time of each cell from format 15 on.
 *
 * The commit of a fragment is removed before its data, and no file is removed whose replacement is missing. The next
 * call continues an interrupted vacuum. Fails with `FormatError` before anything is removed if a vacuum file names a
 * path outside the array, and with `ArrayNotFound`, `InvalidOption`, `NotFound` or `StorageError`.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Sparse, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Log = ArraySchema.sparse({ dims: { x: Dim.uint32([0, 9]) }, attrs: { n: Attr.uint8() } })
 * const program = Effect.gen(function* () {
 *   const log = yield* TileArray.create("mem://log", Log)
 *   yield* Sparse.write(log, { x: Uint32Array.of(1), n: Uint8Array.of(7) })
 *   yield* Sparse.write(log, { x: Uint32Array.of(2), n: Uint8Array.of(8) })
 *   yield* TileArray.consolidate("mem://log", { mode: "commits" })
 *   return (yield* TileArray.vacuum("mem://log", { mode: "commits", age: 0 })).removed.length
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), 2)
 * ```
 */
export const vacuum = (
  array: AnyTileArray | string,
  options: VacuumOptions = {},
): Effect.Effect<VacuumResult, VacuumError, Storage> =>
  Effect.gen(function* () {
    const { uri, ...removal } = yield* removalOf(typeof array === "string" ? array : openedOf(array).uri, options)
    const listing = yield* listSchemas(uri)
    if (!isArray(listing)) return yield* Effect.fail(noArray(listing))
    switch (options.mode ?? "fragments") {
      case "fragments":
        return yield* vacuumFragments(uri, removal)
      case "fragment_meta":
        return yield* runRemovals(uri, yield* planFootersVacuum(uri), removal)
      case "commits":
        return yield* runRemovals(uri, yield* planCommitsVacuum(uri), removal)
      case "array_meta":
        return yield* runRemovals(uri, yield* planMetadataVacuum(uri), removal)
    }
  }).pipe(traced("TileArray.vacuum", array))

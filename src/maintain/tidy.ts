/**
 * Combines and removes files of an array in a safe order.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../platform/keys.ts"
import { traced } from "../../platform/observability/spans.ts"
import type { StorageError } from "../../platform/errors.ts"
import { Storage } from "../../platform/storage/service.ts"
import { COMMITS_FOLDER, FRAGMENTS_FOLDER } from "../../schema/name/array_paths.ts"
import { parseName } from "../../schema/name/timestamped_name.ts"
import { join } from "../array/open/listing.ts"
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import { attemptOptions, checkFlag, checkKey, checkNames, checkUri, refuseFor } from "../array/open/open_options.ts"
import { consolidate, type ConsolidateError, type ConsolidateMode } from "./consolidate.ts"
import { type Footprint, footprintOf } from "./directory/footprint.ts"
import { type ConsolidateResult, unchanged } from "./directory/result.ts"
import { openWhole } from "./fragments/run_task.ts"
import { DEFAULT_SIZE_POLICY, planSmallFragments, tidyFragments } from "./fragments/tidy_fragments.ts"
import { vacuum, type VacuumError } from "./vacuum.ts"
import type { VacuumResult } from "./vacuum/removal.ts"
import { keepsTimes } from "./plan/result_schema.ts"
import type { ConsolidationTask } from "./plan/task.ts"

export type { Footprint } from "./directory/footprint.ts"

/** Options of {@link tidy}. */
export interface TidyOptions {
  /**
   * Minimum age in milliseconds: removes only files that were replaced at least this long ago, by the clock of the
   * storage. Default: 600,000 (ten minutes).
   */
  readonly age?: number
  /**
   * Target size of a fragment in bytes. Combines neighbours in time whose sum is at most this size; larger fragments
   * stay. Default: 64 MiB.
   */
  readonly targetSize?: number
  /** Combines neighbours only if the larger is at most this number of times as large as the smaller. Default: 10. */
  readonly levelFactor?: number
  /**
   * Also combines fragments of dense arrays and of formats before 15, and removes the combined ones. Their earlier
   * states can then no longer be read. Default: false.
   */
  readonly dropHistory?: boolean
  /** Lists the tasks and removals without changing files. Default: false. */
  readonly dryRun?: boolean
  /** Memory budget in bytes for combining fragments. Default: 256 MiB. */
  readonly memory?: number
  /** The AES-256-GCM key of an encrypted array: 32 bytes. Not required for an array that was opened with its key. */
  readonly key?: EncryptionKey | Uint8Array
}

/** What happened to the files of one kind. */
export interface TidyStep extends ConsolidateResult, VacuumResult {
  /** The kind of files. */
  readonly mode: ConsolidateMode
  /** Why the step was skipped, if it was. */
  readonly skipped?: string
}

/** Result of {@link tidy}. */
export interface TidyResult {
  /** The steps in their order, one per kind of files. With `dryRun`, no files are written. */
  readonly steps: ReadonlyArray<TidyStep>
  /** With `dryRun`, the first tasks that would combine fragments; otherwise empty. */
  readonly tasks: ReadonlyArray<ConsolidationTask>
  /** The files before the first step. */
  readonly before: Footprint
  /** The files after the last step. */
  readonly after: Footprint
}

/** Errors of {@link tidy}. */
export type TidyError = ConsolidateError | VacuumError

const OPTIONS: ReadonlyArray<string> = [
  "age",
  "targetSize",
  "levelFactor",
  "dropHistory",
  "dryRun",
  "memory",
  "key",
] satisfies ReadonlyArray<keyof TidyOptions>

/**
 * The kinds of files in the order of the steps. Fragments come first: files that list fragments are combined when the
 * list is final, so that a second call changes nothing.
 */
const MODES: ReadonlyArray<ConsolidateMode> = ["fragments", "array_meta", "fragment_meta", "commits"]

/** Returns whether there are several files to combine: one file that contains a single other one saves no request. */
const hasSeveral = (uri: string, mode: ConsolidateMode): Effect.Effect<boolean, StorageError, Storage> =>
  Effect.gen(function* () {
    const folder = mode === "commits" ? COMMITS_FOLDER : mode === "fragment_meta" ? FRAGMENTS_FOLDER : undefined
    if (folder === undefined) return true
    const storage = yield* Storage
    const names = (yield* storage.list(join(uri, folder))).filter(({ name }) =>
      parseName(name) !== undefined && (mode !== "commits" || /\.(wrt|del|upd)$/.test(name))
    )
    // arrays of older formats have their fragments in the array's folder
    return names.length !== 1
  })

/** The reason for skipping fragments that contain earlier states. */
const HISTORY = "combined fragments of this array would not contain its earlier states; set dropHistory to combine them"

const validateOptions = (array: AnyTileArray | string, options: TidyOptions) =>
  attemptOptions(() => {
    const opened = typeof array === "object" && array !== null ? openedOf(array) : undefined
    const refuse = refuseFor(opened?.uri ?? array)
    const uri = checkUri(opened?.uri ?? array, refuse)
    checkNames(options, OPTIONS, refuse)
    const { dryRun = false, dropHistory = false, age, memory } = options
    checkFlag("dryRun", dryRun, refuse)
    checkFlag("dropHistory", dropHistory, refuse)
    const atLeast = (option: "age" | "targetSize" | "levelFactor" | "memory", fallback: number, min: number) => {
      const value: unknown = options[option] ?? fallback
      if (typeof value === "number" && value >= min) return value
      return refuse(option, `it is a number of at least ${min}`, value)
    }
    return {
      uri,
      dryRun,
      dropHistory,
      key: checkKey(options.key, refuse) ?? opened?.key,
      age: age === undefined ? undefined : atLeast("age", 0, 0),
      memory: memory === undefined ? undefined : atLeast("memory", 0, 1),
      targetSize: atLeast("targetSize", DEFAULT_SIZE_POLICY.targetSize, 1),
      levelFactor: atLeast("levelFactor", DEFAULT_SIZE_POLICY.levelFactor, 1),
    }
  })

/**
 * Combines the small files of an array and removes the files that were replaced long enough ago. Reads at any time do
 * not change, unless `dropHistory` is set. The steps, each with its consolidation and then its vacuum:
 *
 * 1. Fragments: neighbours in time whose sizes are similar (`levelFactor`) become one fragment of at most `targetSize`.
 * 2. Array metadata.
 * 3. Fragment metadata: the footers of all fragments in one file.
 * 4. Commits, from format 12 on.
 *
 * A second call changes nothing until replaced files reach `age`. A call continues what an earlier call did not finish,
 * and may run beside writers, readers and other maintenance. Sparse fragments keep the time of each cell from format 15
 * on. Combined fragments of dense arrays and of older formats contain only the newest cells, so the first step is
 * skipped for them unless `dropHistory` is set. Fails as `TileArray.consolidate` and `TileArray.vacuum` do.
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
 *   const { before, after } = yield* TileArray.tidy("mem://log", { age: 0 })
 *   return before.files > after.files
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), true)
 * ```
 */
export const tidy = (
  array: AnyTileArray | string,
  options: TidyOptions = {},
): Effect.Effect<TidyResult, TidyError, Storage | Codecs> =>
  Effect.gen(function* () {
    const input = yield* validateOptions(array, options)
    const { uri, key, dryRun, age } = input
    const withKey = key === undefined ? {} : { key }
    const before = yield* footprintOf(uri, key)
    const opened = yield* openWhole(uri, key)
    const isSafe = input.dropHistory || keepsTimes(opened.schema)
    const tasks = dryRun && isSafe ? yield* planSmallFragments(opened, input) : []
    const steps: Array<TidyStep> = []
    for (const mode of MODES) {
      if (mode === "fragments" && !isSafe) {
        steps.push({ mode, ...unchanged, removed: [], kept: [], skipped: HISTORY })
        continue
      }
      let result = unchanged
      if (!dryRun && (yield* hasSeveral(uri, mode))) {
        result = yield* mode === "fragments" ? tidyFragments(uri, input) : consolidate(uri, { mode, ...withKey }).pipe(
          // older formats have no consolidated commits
          Effect.catchTag("MaintenanceError", (error) =>
            error.reason === "Unsupported" ? Effect.succeed(unchanged) : Effect.fail(error)),
        )
      }
      const removal = yield* vacuum(uri, { mode, dryRun, ...(age === undefined ? {} : { age }) })
      steps.push({ mode, ...result, ...removal })
    }
    return { steps, tasks, before, after: dryRun ? before : yield* footprintOf(uri, key) }
  }).pipe(traced("TileArray.tidy", array))

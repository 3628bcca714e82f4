/**
 * Consolidates arrays: combines many small files into few.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { traced } from "../../platform/observability/spans.ts"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../platform/keys.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { Since } from "../../schema/version/version.ts"
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import { loadLatestSchema } from "../array/open/latest_schema.ts"
import { accessOf, type OpenedArray } from "../array/open/open.ts"
import {
  attemptOptions,
  checkCallback,
  checkFlag,
  checkKey,
  checkNameList,
  checkNames,
  checkUri,
  millis,
  refuseFor,
} from "../array/open/open_options.ts"
import type { Fragment } from "../fragment/fragment.ts"
import { consolidateCommits } from "./commits/consolidate_commits.ts"
import { MaintenanceError } from "./directory/maintenance_error.ts"
import { type ConsolidateResult, unchanged } from "./directory/result.ts"
import { type ConsolidateFragmentsError, newestTime, openWhole, runTask } from "./fragments/run_task.ts"
import { unfinishedTask } from "./fragments/unfinished_task.ts"
import { consolidateFragmentMetadata } from "./metadata/consolidate_footers.ts"
import { consolidateMetadataFiles } from "./metadata/consolidate_metadata.ts"
import { type FragmentPlanOptions, planFragments, taskOf } from "./plan/fragment_plan.ts"
import { ConsolidationTask, repeatedFragment } from "./plan/task.ts"

export type { ConsolidateResult } from "./directory/result.ts"
export type { MaintenanceReason } from "./directory/maintenance_error.ts"
export { ConsolidationTask } from "./plan/task.ts"

/** The kind of files to combine. */
export type ConsolidateMode = "fragments" | "fragment_meta" | "commits" | "array_meta"

/** Rules that choose the fragments to combine. */
export interface FragmentRules {
  /** Names of the fragments to combine, exactly these. Default: the other rules choose. */
  readonly fragments?: ReadonlyArray<string>
  /** Considers only fragments written entirely from this time on. Default: all. */
  readonly start?: number | bigint | Date
  /** Considers only fragments written entirely up to this time. Default: all. */
  readonly end?: number | bigint | Date
  /** Maximum number of steps; each step combines some neighbours. Default: no limit. */
  readonly steps?: number
  /** Minimum number of fragments to combine in a step, limited to the number of existing fragments. Default: all. */
  readonly minFragments?: number
  /** Maximum number of fragments to combine in a step. Default: all. */
  readonly maxFragments?: number
  /**
   * Combines neighbours only if the ratio of the smaller to the larger size is at least this number, from 0 to 1.
   * Default: 0.
   */
  readonly sizeRatio?: number
  /** Dense arrays: maximum ratio of the cells of the result to the cells of its inputs. Default: 1. */
  readonly amplification?: number
  /** Size in bytes at which the result continues in another fragment, from format 12 on. Default: no limit. */
  readonly maxFragmentSize?: number
  /**
   * Omits deleted cells with all older versions of these cells; they disappear at earlier times too. Default: false.
   */
  readonly purgeDeleted?: boolean
}

/** Options of a consolidation. The rules for fragments apply to mode `fragments`, `start` and `end` also to `array_meta`. */
export interface ConsolidateOptions extends FragmentRules {
  /** The kind of files to combine. Default: fragments. */
  readonly mode?: ConsolidateMode
  /** Memory budget in bytes for combining fragments. Default: 256 MiB. */
  readonly memory?: number
  /** Called with the number of cells written so far while fragments are combined. */
  readonly onProgress?: (cells: number) => void
  /** The AES-256-GCM key of an encrypted array: 32 bytes. Not required for an array that was opened with its key. */
  readonly key?: EncryptionKey | Uint8Array
}

/** Options of a plan. */
export interface PlanOptions extends FragmentRules, Pick<ConsolidateOptions, "key"> {}

/** Options of running tasks. */
export interface RunTaskOptions extends Pick<ConsolidateOptions, "key" | "memory" | "onProgress"> {}

/** Errors of a consolidation. */
export type ConsolidateError = ConsolidateFragmentsError

const RULE_OPTIONS: ReadonlyArray<string> = [
  "fragments",
  "start",
  "end",
  "steps",
  "minFragments",
  "maxFragments",
  "sizeRatio",
  "amplification",
  "maxFragmentSize",
  "purgeDeleted",
] satisfies ReadonlyArray<keyof FragmentRules>

const RUN_OPTIONS: ReadonlyArray<string> = ["key", "memory", "onProgress"] satisfies ReadonlyArray<keyof RunTaskOptions>

const MODES: ReadonlyArray<string> = ["fragments", "fragment_meta", "commits", "array_meta"] satisfies ReadonlyArray<
  ConsolidateMode
>

/** Validates the options of a consolidation. `names` lists the accepted option names. */
const validateOptions = (
  array: AnyTileArray | string,
  options: ConsolidateOptions,
  names: ReadonlyArray<string>,
) =>
  attemptOptions(() => {
    const opened = typeof array === "object" && array !== null ? openedOf(array) : undefined
    const refuse = refuseFor(opened?.uri ?? array)
    const uri = checkUri(opened?.uri ?? array, refuse)
    checkNames(options, names, refuse)
    const { mode = "fragments", fragments, onProgress, purgeDeleted = false, memory } = options
    if (!MODES.includes(mode)) refuse("mode", `it is one of ${MODES.join(", ")}`, mode)
    const start = millis("start", options.start, refuse) ?? 0
    const end = millis("end", options.end, refuse) ?? Number.MAX_SAFE_INTEGER
    if (start > end) refuse("start", "it is later than end; exchange them")
    checkNameList("fragments", fragments, refuse)
    checkFlag("purgeDeleted", purgeDeleted, refuse)
    checkCallback("onProgress", onProgress, refuse)
    const inRange = (option: keyof ConsolidateOptions, fallback: number, min: number, max = Infinity): number => {
      const value = options[option] ?? fallback
      if (typeof value === "number" && value >= min && value <= max) return value
      const detail = `it is a number ${max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`}`
      return refuse(option, detail, value)
    }
    if (memory !== undefined) inRange("memory", 0, 1)
    const minFragments = inRange("minFragments", Infinity, 2)
    const maxFragments = inRange("maxFragments", Infinity, 2)
    if (options.minFragments !== undefined && minFragments > maxFragments) {
      refuse("minFragments", "it is larger than maxFragments; exchange them")
    }
    const rules: FragmentPlanOptions = {
      minFragments: Math.min(minFragments, maxFragments),
      maxFragments,
      sizeRatio: inRange("sizeRatio", 0, 0, 1),
      amplification: inRange("amplification", 1, 0),
      maxFragmentSize: options.maxFragmentSize === undefined ? null : inRange("maxFragmentSize", 1, 1),
      purgeDeleted,
    }
    return {
      uri,
      mode,
      time: { start, end },
      key: checkKey(options.key, refuse) ?? opened?.key,
      fragments,
      steps: inRange("steps", Infinity, 1),
      rules,
      memory,
      onProgress,
    }
  })

/** Validated options. */
type Validated = Effect.Effect.Success<ReturnType<typeof validateOptions>>

/** Tasks of a plan, and the open array. */
interface PlannedTasks {
  readonly array: OpenedArray
  readonly tasks: ReadonlyArray<ConsolidationTask>
}

/** Plans at most `count` tasks that have no fragments in common. */
const planTasks = (
  { uri, key, time, fragments, rules }: Pick<Validated, "uri" | "key" | "time" | "fragments" | "rules">,
  count: number,
): Effect.Effect<PlannedTasks, ConsolidateError, Storage | Codecs> =>
  Effect.gen(function* () {
    const array = yield* openWhole(uri, key)
    if (fragments !== undefined) {
      const chosen = array.fragments.filter(({ name }) => fragments.includes(name.name))
      if (chosen.length === new Set(fragments).size) {
        return { array, tasks: chosen.length < 2 ? [] : [taskOf(chosen, rules)] }
      }
      const missing = fragments.find((name) => !chosen.some((fragment) => fragment.name.name === name))
      const detail = `the array has no visible fragment ${missing}`
      return yield* Effect.fail(new MaintenanceError({ uri, reason: "Missing", detail }))
    }
    // first complete the result of a call that was interrupted before it hid the inputs
    const unfinished = yield* unfinishedTask(array, rules)
    if (unfinished !== undefined) return { array, tasks: [unfinished] }
    const isInside = ({ name }: Fragment) => time.start <= name.start && name.end <= time.end
    return { array, tasks: planFragments(array, array.fragments.filter(isInside), rules, count) }
  })

/** Combines fragments step by step until the rules choose no fragments. */
const consolidateFragments = (input: Validated): Effect.Effect<ConsolidateResult, ConsolidateError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri, steps, fragments } = input
    let { time } = input
    const written: Array<string> = []
    const inputs: Array<string> = []
    for (let step = 0; step < steps; step++) {
      const { array, tasks: [task] } = yield* planTasks({ ...input, time }, 1)
      // omit fragments that writers add meanwhile: otherwise the call would not end while they write
      if (step === 0) time = { ...time, end: Math.min(time.end, newestTime(array)) }
      if (task === undefined) break
      const result = yield* runTask(uri, task, input, array)
      if (result.written.length === 0) break
      written.push(...result.written)
      inputs.push(...result.inputs)
      // stop: otherwise, the fragments of one result would be combined again and again
      if (fragments !== undefined || result.written.length > 1) break
    }
    const isOutput = new Set(written)
    const isInput = new Set(inputs)
    return {
      written: written.filter((path) => !isInput.has(path)),
      inputs: inputs.filter((path) => !isOutput.has(path)),
    }
  })

/**
 * Returns the first tasks that {@link consolidate} would run. They have no fragments in common, so several processes
 * can run them with {@link runConsolidationTasks}. Reads footers only, and changes nothing. Fails as `TileArray.open`
 * does, and with `MaintenanceError` for names of missing fragments.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const plan = TileArray.consolidationPlan("tests/golden/demo/weather", { minFragments: 2 })
 * const [task] = await Effect.runPromise(Effect.provide(plan, layerDefault))
 * assertEquals([task.mode, task.fragments.length], ["fragments", 2])
 * ```
 */
export const consolidationPlan = (
  array: AnyTileArray | string,
  options: PlanOptions = {},
): Effect.Effect<ReadonlyArray<ConsolidationTask>, ConsolidateError, Storage | Codecs> =>
  Effect.flatMap(
    validateOptions(array, options, [...RULE_OPTIONS, "key"]),
    (input) => Effect.map(planTasks(input, input.steps), ({ tasks }) => tasks),
  ).pipe(traced("TileArray.consolidationPlan", array))

/**
 * Runs tasks of a plan in sequence. Tasks that were completed before change nothing. Fails with `MaintenanceError`
 * before anything is written if two of the tasks have a fragment in common. A task whose fragments were replaced
 * meanwhile fails with the reason `Stale`. Otherwise fails as {@link consolidate} does.
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
 *   const plan = yield* TileArray.consolidationPlan(log)
 *   const lines = plan.map((task) => JSON.stringify(task)) // one line a task, for other processes
 *   const [result] = yield* TileArray.runConsolidationTasks(log, lines.map((line) => JSON.parse(line)))
 *   return [plan.length, result.inputs.length]
 * })
 * assertEquals(await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative))), [1, 2])
 * ```
 */
export const runConsolidationTasks = (
  array: AnyTileArray | string,
  tasks: ReadonlyArray<ConsolidationTask>,
  options: RunTaskOptions = {},
): Effect.Effect<ReadonlyArray<ConsolidateResult>, ConsolidateError, Storage | Codecs> =>
  Effect.gen(function* () {
    const input = yield* validateOptions(array, options, RUN_OPTIONS)
    const checked = yield* attemptOptions(() => {
      const refuse = refuseFor(input.uri)
      return Either.getOrElse(
        Schema.decodeUnknownEither(Schema.Array(ConsolidationTask))(tasks),
        (error) => refuse("tasks", `these are not tasks of a plan: ${error.message}`),
      )
    })
    const repeated = repeatedFragment(checked)
    if (repeated !== undefined) {
      const detail = `two tasks combine the fragment ${repeated}`
      return yield* Effect.fail(new MaintenanceError({ uri: input.uri, reason: "Overlap", detail }))
    }
    return yield* Effect.forEach(checked, (task) => runTask(input.uri, task, input))
  }).pipe(traced("TileArray.runConsolidationTasks", array))

/**
 * Combines files of an array, which then opens and reads with fewer requests. The results of reads do not change. The
 * combined files stay until `TileArray.vacuum` removes them. A second call with the same input changes nothing.
 *
 * - `fragments`: combines the cells of several fragments in one. From format 15 on, sparse fragments keep the time of
 *   each cell and of its deletion, so reads at earlier times do not change, even after the vacuum. Dense fragments and
 *   older formats keep the newest cells; earlier times are readable until the vacuum.
 * - `fragment_meta`: combines the footers of all fragments in one file; opening the array then takes one read for them.
 * - `commits`: combines all commits in one file; from format 12 on.
 * - `array_meta`: combines all entries of the array's metadata, or those of a time range, in one file.
 *
 * Fails with `MaintenanceError` if the results of reads would change, or if the format version does not support the
 * mode; with `ArrayNotFound`, `InvalidOption`, `NotFound` or `StorageError`, and with `FormatError`, `CodecError`,
 * `ChecksumMismatch` or `DecryptionFailed` for unreadable files.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, Metadata, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const Line = ArraySchema.dense({ dims: { x: Dim.int32([1, 8], { tile: 4 }) }, attrs: { a: Attr.int32() } })
 * const program = Effect.gen(function* () {
 *   const line = yield* TileArray.create("mem://line", Line)
 *   yield* TileArray.putMetadata(line, { title: "A line" })
 *   yield* TileArray.putMetadata(line, { unit: "m" })
 *   const { inputs, written } = yield* TileArray.consolidate(line, { mode: "array_meta" })
 *   const values = Metadata.values(yield* TileArray.metadata(yield* TileArray.reopen(line)))
 *   return [inputs.length, written.length, values.get("unit")]
 * })
 * const result = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(result, [2, 1, "m"])
 * ```
 */
export const consolidate = (
  array: AnyTileArray | string,
  options: ConsolidateOptions = {},
): Effect.Effect<ConsolidateResult, ConsolidateError, Storage | Codecs> =>
  Effect.gen(function* () {
    const input = yield* validateOptions(array, options, ["mode", ...RULE_OPTIONS, ...RUN_OPTIONS])
    const { uri, key, time } = input
    switch (input.mode) {
      case "fragments":
        return yield* consolidateFragments(input)
      case "fragment_meta":
        return yield* consolidateFragmentMetadata(uri, key)
      case "commits":
        return yield* consolidateCommits(uri, key)
      case "array_meta": {
        const { schema: { version } } = yield* loadLatestSchema(uri, key)
        if (version < Since.metadata) return unchanged
        const access = yield* accessOf({ key, verifyChecksums: true })
        return yield* consolidateMetadataFiles({ uri, access, version, time })
      }
    }
  }).pipe(traced("TileArray.consolidate", array))

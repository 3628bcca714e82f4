/**
 * Repairs arrays: only what is safe and can be undone.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../platform/keys.ts"
import { traced } from "../../platform/observability/spans.ts"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { FormatError } from "../../schema/errors/format_error.ts"
import { type AnyTileArray, openedOf } from "../array/open/handle.ts"
import { attemptOptions, checkFlag, checkKey, checkNames, checkUri, refuseFor } from "../array/open/open_options.ts"
import { uncommittedFragments } from "../maintain/directory/uncommitted_fragments.ts"
import { type ConsolidateFragmentsError, runTask } from "../maintain/fragments/run_task.ts"
import { verify, type VerifyError } from "../verify/verify.ts"
import { findOrphans, findRepeatedCommits, findReplaced } from "./facts.ts"
import { planRepair, type RepairAction, type RepairPlan } from "./plan.ts"
import { moveToQuarantine, quarantineFolder } from "./quarantine.ts"

export type { RepairAction } from "./plan.ts"

/** Options of a repair. */
export interface RepairOptions {
  /** Whether the steps are run. Default: `false`; the result is the plan, and nothing is changed. */
  readonly apply?: boolean
  /**
   * Minimum age in milliseconds of fragments without a commit, by the times of the storage: younger ones may belong to a
   * write that is under way. Default: 86,400,000 (a day).
   */
  readonly age?: number
  /** Reads metadata and the sizes of files, but no tiles. Default: `false`. */
  readonly quick?: boolean
  /** Memory budget in bytes for fragments that are written again. Default: as for `TileArray.consolidate`. */
  readonly memory?: number
  /** The key of an encrypted array. Default: the key of the open array. */
  readonly key?: EncryptionKey | Uint8Array
}

/** Result of a repair. */
export interface RepairResult extends RepairPlan {
  /** Whether the steps were run. */
  readonly applied: boolean
  /** Folder of the files that were moved, relative to the array; `null` if no file was moved. Move them back to undo. */
  readonly quarantine: string | null
  /** Paths of new fragments. */
  readonly written: ReadonlyArray<string>
}

/** Errors of repairs. */
export type RepairError = VerifyError | NotFound | StorageError | FormatError | ConsolidateFragmentsError

const OPTIONS: ReadonlyArray<string> = [
  "apply",
  "age",
  "quick",
  "memory",
  "key",
] satisfies ReadonlyArray<keyof RepairOptions>

/** Default minimum age of orphans: a day. */
const DEFAULT_AGE = 86_400_000

/** Writes a fragment again, and hides the old one. */
const rebuild = (uri: string, fragment: string, key: EncryptionKey | undefined, memory: number | undefined) =>
  Effect.map(
    runTask(
      uri,
      { version: 1, mode: "fragments", fragments: [fragment], purgeDeleted: false, maxFragmentSize: null, bytes: 0 },
      { key, memory, onProgress: undefined, recompute: true },
    ),
    ({ written }) => written,
  )

/**
 * Plans the repair of an array, and runs it with `apply`. Verifies the array first, as `TileArray.verify` does. The
 * steps are safe, and can be undone:
 *
 * - Fragments without a commit and enumerations without a schema, left by writes that were killed at least `age` ago,
 *   move to the folder `tessera_quarantine` in the array. Readers ignore them before and after.
 * - A damaged file of consolidated commits or fragment metadata moves there if all files that it combines exist.
 * - A fragment whose statistics or R-tree are wrong, and whose cells are correct, is written again. A vacuum removes the
 *   old one, which readers no longer use. Reads at all times return the same cells.
 *
 * Problems that need a backup are returned as `unrepaired`. An array without problems is not changed. Fails as
 * `TileArray.verify` and `TileArray.consolidate` do.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim, layerMemory, layerNative, StorageService, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const killed = "__fragments/__1_1_0123456789abcdef0123456789abcdef_22"
 * const program = Effect.gen(function* () {
 *   const schema = ArraySchema.dense({ dims: { x: Dim.int32([1, 4]) }, attrs: { a: Attr.int32() } })
 *   yield* TileArray.create("mem://a", schema)
 *   yield* (yield* StorageService).write(`mem://a/${killed}/a0.tdb`, Uint8Array.of(1))
 *   const { actions, quarantine } = yield* TileArray.repair("mem://a", { apply: true, age: 0 })
 *   return [actions.map(({ kind, path }) => [kind, path]), quarantine?.startsWith("tessera_quarantine/")]
 * })
 * const result = await Effect.runPromise(Effect.provide(program, Layer.merge(layerMemory, layerNative)))
 * assertEquals(result, [[["quarantine", killed]], true])
 * ```
 */
export const repair = (
  array: AnyTileArray | string,
  options: RepairOptions = {},
): Effect.Effect<RepairResult, RepairError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri, apply, age, quick, memory, key } = yield* attemptOptions(() => {
      const opened = typeof array === "string" ? undefined : openedOf(array as AnyTileArray)
      const refuse = refuseFor(opened?.uri ?? array)
      const uri = checkUri(opened?.uri ?? array, refuse)
      checkNames(options, OPTIONS, refuse)
      checkFlag("apply", options.apply, refuse)
      checkFlag("quick", options.quick, refuse)
      const atLeast = (option: "age" | "memory", value: unknown, min: number): void => {
        if (value === undefined || (typeof value === "number" && value >= min)) return
        refuse(option, `it is a number of at least ${min}`, value)
      }
      atLeast("age", options.age, 0)
      atLeast("memory", options.memory, 1)
      const { apply = false, age = DEFAULT_AGE, quick = false, memory } = options
      return { uri, apply, age, quick, memory, key: checkKey(options.key, refuse) ?? opened?.key }
    })
    const checked = verify(uri, { quick, ...(key === undefined ? {} : { key }) })
    const findings = Chunk.toReadonlyArray(yield* Stream.runCollect(checked))
    const now = yield* Clock.currentTimeMillis
    const plan = planRepair(findings, {
      orphans: yield* findOrphans(uri, findings),
      newestOrphan: age === 0 ? Infinity : now - age,
      replaced: yield* findReplaced(uri),
      repeatedCommits: yield* findRepeatedCommits(uri, findings),
    })
    if (!apply || plan.actions.length === 0) return { ...plan, applied: false, quarantine: null, written: [] }

    const folder = quarantineFolder(now)
    const written: Array<string> = []
    const done: Array<RepairAction> = []
    const unrepaired = [...plan.unrepaired]
    for (const action of plan.actions) {
      const { kind, path } = action
      if (kind === "rebuild") {
        const rebuilt = yield* Effect.either(rebuild(uri, path, key, memory))
        if (Either.isLeft(rebuilt)) {
          if (!(rebuilt.left._tag === "FormatError" || rebuilt.left._tag === "CodecError")) {
            yield* Effect.fail(rebuilt.left)
          }
          // its cells cannot be read: the problems stay
          unrepaired.push(...findings.filter(({ severity, fragment }) => severity === "error" && fragment === path))
          continue
        }
        written.push(...rebuilt.right)
      } else {
        // a write may have committed meanwhile
        const isFragment = kind === "quarantine" && path.startsWith("__fragments/")
        if (isFragment && !(yield* uncommittedFragments(uri)).includes(path)) continue
        yield* moveToQuarantine(uri, path, folder)
      }
      done.push(action)
    }
    const hasMoved = done.some(({ kind }) => kind !== "rebuild")
    return { ...plan, actions: done, unrepaired, applied: true, quarantine: hasMoved ? folder : null, written }
  }).pipe(traced("TileArray.repair", array))

/**
 * Combines the small fragments of an array up to a target size.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { EncryptionKey } from "../../../platform/keys.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import type { ConsolidateResult } from "../directory/result.ts"
import { fragmentBytes } from "../plan/choose_fragments.ts"
import { planFragments } from "../plan/fragment_plan.ts"
import type { ConsolidationTask } from "../plan/task.ts"
import { type ConsolidateFragmentsError, newestTime, openWhole, runTask } from "./run_task.ts"
import { unfinishedTask } from "./unfinished_task.ts"

/** Rules for the fragments that are combined. */
export interface SizePolicy {
  /** Maximum size in bytes of the fragments that are combined, and of their sum. */
  readonly targetSize: number
  /** Maximum ratio of the larger to the smaller size of neighbours. */
  readonly levelFactor: number
}

/** The default policy: fragments of up to 64 MiB, sizes that differ by at most a factor of 10. */
export const DEFAULT_SIZE_POLICY: SizePolicy = { targetSize: 64 * 1024 * 1024, levelFactor: 10 }

/** Options of combining small fragments. */
export interface TidyFragmentsOptions extends SizePolicy {
  readonly key: EncryptionKey | undefined
  /** Memory budget in bytes. */
  readonly memory: number | undefined
}

/** Maximum number of tasks in sequence that a change of another process prevented. */
const MAX_STALE_TASKS = 10

/** Divides fragments into runs of neighbours whose sum is at most the target size. */
const smallRuns = (
  fragments: ReadonlyArray<Fragment>,
  targetSize: number,
): ReadonlyArray<ReadonlyArray<Fragment>> => {
  const runs: Array<ReadonlyArray<Fragment>> = []
  let run: Array<Fragment> = []
  let sum = 0
  for (const fragment of fragments) {
    const size = fragmentBytes(fragment)
    if (sum + size > targetSize) {
      runs.push(run)
      run = []
      sum = 0
    }
    if (size > targetSize) continue
    run.push(fragment)
    sum += size
  }
  return [...runs, run].filter(({ length }) => length > 1)
}

/**
 * Returns the tasks that combine small fragments of an open array, of times up to `end`. They have no fragments in
 * common.
 */
export const planSmallFragments = (
  array: OpenedArray,
  { targetSize, levelFactor }: SizePolicy,
  end = Infinity,
): Effect.Effect<ReadonlyArray<ConsolidationTask>, never, Codecs> =>
  Effect.gen(function* () {
    const rules = {
      minFragments: 2,
      maxFragments: Infinity,
      sizeRatio: 1 / levelFactor,
      amplification: 1,
      maxFragmentSize: null,
      purgeDeleted: false,
    }
    const unfinished = yield* unfinishedTask(array, rules)
    if (unfinished !== undefined) return [unfinished]
    return smallRuns(array.fragments.filter(({ name }) => name.end <= end), targetSize).flatMap((run) =>
      planFragments(array, run, rules, Infinity)
    )
  })

/** Combines small fragments until the policy chooses none. Plans again if another process replaced a fragment. */
export const tidyFragments = (
  uri: string,
  options: TidyFragmentsOptions,
): Effect.Effect<ConsolidateResult, ConsolidateFragmentsError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { key, memory } = options
    const written = new Set<string>()
    const inputs = new Set<string>()
    let stale = 0
    // omit fragments that writers add meanwhile: otherwise the call would not end while they write
    let end: number | undefined
    while (true) {
      const array = yield* openWhole(uri, key)
      end ??= newestTime(array)
      const [task] = yield* planSmallFragments(array, options, end)
      if (task === undefined) break
      const result = yield* runTask(uri, task, { key, memory, onProgress: undefined }).pipe(
        Effect.catchIf(
          (error) => error._tag === "MaintenanceError" && error.reason !== "Unsupported",
          () => Effect.succeed(undefined),
        ),
      )
      if (result === undefined) {
        // the next call continues
        if (++stale === MAX_STALE_TASKS) break
        continue
      }
      if (result.written.length === 0) {
        break
      }
      stale = 0
      for (const path of result.written) {
        written.add(path)
      }
      for (const path of result.inputs) {
        inputs.add(path)
      }
    }
    return {
      written: [...written].filter((path) => !inputs.has(path)),
      inputs: [...inputs].filter((path) => !written.has(path)),
    }
  })

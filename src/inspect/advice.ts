/**
 * Advice on the maintenance of an array.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { FragmentDescription } from "../array/describe/describe.ts"
import { handleOf } from "../array/open/handle.ts"
import type { OpenedArray } from "../array/open/open.ts"
import type { ConsolidateError } from "../maintain/consolidate.ts"
import { uncommittedFragments } from "../maintain/directory/uncommitted_fragments.ts"
import { openWhole } from "../maintain/fragments/run_task.ts"
import { DEFAULT_SIZE_POLICY, planSmallFragments } from "../maintain/fragments/tidy_fragments.ts"
import { keepsTimes } from "../maintain/plan/result_schema.ts"
import { vacuum, type VacuumError } from "../maintain/vacuum.ts"

/** A recommended maintenance step. */
export interface Advice {
  /** Description of the step. */
  readonly text: string
  /** The command that runs the step, without the array's URI. */
  readonly command: string
}

/** Errors of computing advice. */
export type AdviceError = ConsolidateError | VacuumError

/** Minimum number of footers for which a consolidated file is recommended. */
const MIN_FOOTERS = 8

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Returns advice for the current state of an array, most helpful first. */
export const adviceFor = (
  array: OpenedArray,
  fragments: ReadonlyArray<FragmentDescription>,
): Effect.Effect<ReadonlyArray<Advice>, AdviceError, Storage | Codecs> =>
  Effect.gen(function* () {
    const advice: Array<Advice> = []
    const handle = handleOf(array)
    const whole = yield* openWhole(array.uri, array.key)
    const tasks = yield* planSmallFragments(whole, DEFAULT_SIZE_POLICY)
    const combined = tasks.reduce((sum, task) => sum + task.fragments.length, 0)
    const combine = `Combine ${plural(combined, "small fragment")} into ${tasks.length}`
    const footers = fragments.filter(({ hasConsolidatedMetadata }) => !hasConsolidatedMetadata).length
    if (combined > 0 && keepsTimes(whole.schema)) {
      advice.push({ text: `${combine}: reads open fewer files.`, command: "tidy" })
    } else {
      if (combined > 0) {
        advice.push({
          text: `${combine}: reads open fewer files, and the earlier states of the array are lost.`,
          command: "tidy --drop-history",
        })
      }
      if (footers >= MIN_FOOTERS) {
        advice.push({
          text: `Combine the footers of ${plural(footers, "fragment")}: opening then takes one read for all of them.`,
          command: "tidy",
        })
      }
    }
    if (array.deletes.length > 0 && array.schema.arrayType === "sparse") {
      advice.push({
        text: `Remove the cells of ${plural(array.deletes.length, "delete")} for good: earlier times lose them, too.`,
        command: "consolidate --purge-deleted",
      })
    }
    const { removed } = yield* vacuum(handle, { dryRun: true })
    if (removed.length > 0) {
      advice.push({
        text: `Remove ${plural(removed.length, "file")} that a consolidation has replaced.`,
        command: "vacuum",
      })
    }
    const uncommitted = yield* uncommittedFragments(array.uri)
    if (uncommitted.length > 0) {
      const [verb, them] = uncommitted.length === 1 ? ["has", "it"] : ["have", "them"]
      advice.push({
        text:
          `${plural(uncommitted.length, "fragment")} ${verb} no commit: left by a killed write, or by one that runs. ` +
          `Readers ignore ${them}; the command lists ${them}.`,
        command: "fragments",
      })
    }
    return advice
  })

/**
 * Advice on the maintenance of an array.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../platform/codecs/service.ts"
import type { Storage } from "../../platform/storage/service.ts"
import type { FragmentDescription } from "../array/describe/describe.ts"
import { handleOf } from "../array/open/handle.ts"
import type { OpenedArray } from "../array/open/open.ts"
import { type ConsolidateError, consolidationPlan } from "../maintain/consolidate.ts"
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
    const tasks = yield* consolidationPlan(handle)
    const combined = tasks.reduce((sum, task) => sum + task.fragments.length, 0)
    if (combined > 0) {
      advice.push({
        text: `Combine ${plural(combined, "fragment")} into ${tasks.length}: reads open fewer files.`,
        command: "consolidate",
      })
    }
    const footers = fragments.filter(({ hasConsolidatedMetadata }) => !hasConsolidatedMetadata).length
    if (footers >= MIN_FOOTERS) {
      advice.push({
        text: `Combine the footers of ${plural(footers, "fragment")}: opening then takes one read for all of them.`,
        command: "consolidate --mode fragment_meta",
      })
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
    return advice
  })

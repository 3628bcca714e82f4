/**
 * Finds a committed result whose inputs were not hidden, because the process ended too early.
 */
import * as Effect from "effect/Effect"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { consolidatedUuid } from "../directory/consolidated_name.ts"
import { type FragmentPlanOptions, taskOf } from "../plan/fragment_plan.ts"
import type { ConsolidationTask } from "../plan/task.ts"

/** Number of attempts whose names are compared. */
const COMPARED_ATTEMPTS = 3

/** Returns the text that is part of the hash in the name of a task's result. */
export const taskText = (
  { purgeDeleted, maxFragmentSize }: Pick<ConsolidationTask, "purgeDeleted" | "maxFragmentSize">,
  attempt: number,
): string => `fragments ${purgeDeleted} ${maxFragmentSize} ${attempt}`

/** Returns the task whose result is visible beside all of its inputs; `undefined` if there is no such task. */
export const unfinishedTask = (
  { fragments }: OpenedArray,
  rules: Pick<FragmentPlanOptions, "maxFragmentSize">,
): Effect.Effect<ConsolidationTask | undefined, never, Codecs> =>
  Effect.gen(function* () {
    const counts = new Map<number, number>()
    for (const { name } of fragments) counts.set(name.start, (counts.get(name.start) ?? 0) + 1)
    const mayBeResult = ({ name }: Fragment) => name.start < name.end || counts.get(name.start)! > 2
    for (const result of fragments.filter(mayBeResult)) {
      const { start, end, uuid } = result.name
      const inputs = fragments.filter((other) => other !== result && start <= other.name.start && other.name.end <= end)
      if (inputs.length < 2) continue
      for (const purgeDeleted of [false, true]) {
        for (let attempt = 0; attempt < COMPARED_ATTEMPTS; attempt++) {
          const task = { purgeDeleted, maxFragmentSize: rules.maxFragmentSize }
          const names = inputs.map(({ name }) => name)
          if (uuid === (yield* consolidatedUuid(names, taskText(task, attempt)))) return taskOf(inputs, task)
        }
      }
    }
    return undefined
  })

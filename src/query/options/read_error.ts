import * as Effect from "effect/Effect"
import { attempt, failOn } from "../../../platform/attempt.ts"
import { runSteps } from "../../../platform/host/event_loop_turns.ts"
import { InvalidOption, ResultTooLarge, SelectionError } from "../../array/open/errors.ts"
import type { EnumerationError } from "../../array/enumeration/enumerations.ts"
import type { ConditionError } from "../../condition/condition_error.ts"
import type { Steps } from "../../kernel/steps.ts"

/** Errors of a read. */
export type ReadError = EnumerationError | InvalidOption | SelectionError | ConditionError | ResultTooLarge

/** Runs a function that may throw {@link SelectionError} or {@link InvalidOption}. */
export const attemptSelection = <A>(run: () => A): Effect.Effect<A, InvalidOption | SelectionError> =>
  attempt(run, failOn(SelectionError, InvalidOption))

/** Runs a function that allocates up to `needed` bytes; a failed allocation becomes {@link ResultTooLarge}. */
export const attemptAllocation = <A>(uri: string, needed: number, run: () => A): Effect.Effect<A, ResultTooLarge> =>
  attempt(run, notAllocated(uri, needed))

/** Like {@link attemptAllocation}, in steps that yield to the event loop. */
export const attemptAllocationSteps = <A>(
  uri: string,
  needed: number,
  run: () => Steps<A>,
): Effect.Effect<A, ResultTooLarge> => runSteps(run, notAllocated(uri, needed))

const notAllocated = (uri: string, needed: number) => (error: unknown): Effect.Effect<never, ResultTooLarge> => {
  if (!(error instanceof RangeError)) return Effect.die(error)
  const reason = `the result needs up to ${needed} bytes, which cannot be had; read it in parts`
  return Effect.fail(new ResultTooLarge({ uri, needed, limit: needed, detail: reason }))
}

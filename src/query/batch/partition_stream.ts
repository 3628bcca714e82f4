/**
 * Reads in batches: a selection is split in two until each part fits into the budget. The parts are read in order, on
 * demand.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { makeTurns, turnIfDue, withinTurns } from "../../../platform/host/event_loop_turns.ts"

/** Result of a step: the part was read as a batch, or split into two parts that are processed in order. */
export type PartitionStep<P, A> =
  | { readonly kind: "read"; readonly batch: A }
  | { readonly kind: "split"; readonly parts: readonly [P, P] }
  /** The part has no cells. */
  | { readonly kind: "none" }

/** A batch. `last` is true if it is known to be the last one. */
export type Batch<A> = A & { readonly last: boolean }

/** Maximum size of the first batch if smaller batches add no cost, so that the first cells arrive early. */
export const FIRST_BATCH_SIZE = 2 ** 23

/**
 * Returns the batches of `whole`, in order and on demand. `step` reads or splits one part; its second argument is true
 * until the first batch was produced.
 */
export const streamPartitions = <P, A extends object, E, R>(
  whole: P,
  step: (part: P, first: boolean) => Effect.Effect<PartitionStep<P, A>, E, R>,
): Stream.Stream<Batch<A>, E, R> =>
  Stream.suspend(() => {
    // remaining parts, the next one last
    const remaining: Array<P> = [whole]
    let first = true
    const shared = makeTurns()
    const turns = withinTurns(() => shared)
    const next: Effect.Effect<Option.Option<readonly [Batch<A>, undefined]>, E, R> = Effect.suspend(() => {
      const part = remaining.pop()
      if (part === undefined) return Effect.succeed(Option.none())
      return Effect.flatMap(turns(step(part, first)), (partitionStep) => {
        if (partitionStep.kind === "read") {
          first = false
          return Effect.as(
            turns(turnIfDue),
            Option.some([{ ...partitionStep.batch, last: remaining.length === 0 }, undefined] as const),
          )
        }
        if (partitionStep.kind === "split") remaining.push(partitionStep.parts[1], partitionStep.parts[0])
        return next
      })
    })
    return Stream.unfoldEffect(undefined, () => next)
  })

/**
 * Reads in batches: a selection is cut in two until each part fits, and the parts are read one after the other, each when it
 * is asked for.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { makeTurns, turnIfDue, withinTurns } from "../../../platform/host/event_loop_turns.ts"

/** What becomes of a part: it is read, or cut in two, the first before the second. */
export type Step<P, A> =
  | { readonly kind: "read"; readonly batch: A }
  | { readonly kind: "split"; readonly parts: readonly [P, P] }
  /** Nothing is there. */
  | { readonly kind: "none" }

/** A batch, and whether it is known to be the last one. */
export type Batch<A> = A & { readonly last: boolean }

/** Bytes of the first batch, where more batches cost no more: whoever waits has something soon. */
export const FIRST_BYTES = 2 ** 23

/**
 * The batches of a whole, in order: `step` is asked what becomes of a part, and told whether it comes before all batches.
 * Nothing is done before a batch is asked for, and nothing after the last one asked for.
 */
export const batches = <P, A extends object, E, R>(
  whole: P,
  step: (part: P, first: boolean) => Effect.Effect<Step<P, A>, E, R>,
): Stream.Stream<Batch<A>, E, R> =>
  Stream.suspend(() => {
    // what is still to come, the next part last
    const rest: Array<P> = [whole]
    let first = true
    const turns = withinTurns(makeTurns())
    const next: Effect.Effect<Option.Option<readonly [Batch<A>, undefined]>, E, R> = Effect.suspend(() => {
      const part = rest.pop()
      if (part === undefined) return Effect.succeed(Option.none())
      return Effect.flatMap(turns(step(part, first)), (its) => {
        if (its.kind === "read") {
          first = false
          return Effect.as(
            turns(turnIfDue),
            Option.some([{ ...its.batch, last: rest.length === 0 }, undefined] as const),
          )
        }
        if (its.kind === "split") rest.push(its.parts[1], its.parts[0])
        return next
      })
    })
    return Stream.unfoldEffect(undefined, () => next)
  })

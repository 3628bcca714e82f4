/**
 * Synchronous code that throws typed errors, run as an Effect.
 *
 * @module
 */
import * as Effect from "effect/Effect"

/** A class of errors, whatever its constructor takes. */
// deno-lint-ignore no-explicit-any
type ErrorClass = abstract new (...args: any) => unknown

/** Makes the failure of an Effect of an exception: errors of these classes fail it, all others are defects. */
export const failOn =
  <Classes extends ReadonlyArray<ErrorClass>>(...classes: Classes) =>
  (error: unknown): Effect.Effect<never, InstanceType<Classes[number]>> =>
    classes.some((existing) => error instanceof existing)
      ? Effect.fail(error as InstanceType<Classes[number]>)
      : Effect.die(error)

/** Runs synchronous code; `failure` decides what an exception becomes. `runSteps` does the same for code in steps. */
export const attempt = <A, E>(
  run: () => A,
  failure: (error: unknown) => Effect.Effect<never, E>,
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      return failure(error)
    }
  })

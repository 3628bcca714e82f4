/**
 * Synchronous code that throws typed errors, run as an Effect.
 *
 * @module
 */
import * as Effect from "effect/Effect"

/** Any error class, with any constructor parameters. */
// deno-lint-ignore no-explicit-any
type ErrorClass = abstract new (...args: any) => unknown

/**
 * Returns a function that turns an exception into an Effect: errors of these classes become failures, all others
 * defects.
 */
export const failOn =
  <Classes extends ReadonlyArray<ErrorClass>>(...classes: Classes) =>
  (error: unknown): Effect.Effect<never, InstanceType<Classes[number]>> =>
    classes.some((existing) => error instanceof existing)
      ? Effect.fail(error as InstanceType<Classes[number]>)
      : Effect.die(error)

/** Runs synchronous code as an Effect; `failure` maps exceptions. `runSteps` does the same for code in steps. */
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

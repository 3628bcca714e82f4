/**
 * Shares one run of an Effect among concurrent callers.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

interface Flight<A, E> {
  fiber: Fiber.RuntimeFiber<A, E> | undefined
  waiting: number
}

/**
 * Runs `work` under a key, or waits for the run that is in progress under that key; all callers share the result or
 * failure. The run is interrupted when the last caller is interrupted.
 */
export type SingleFlight<A, E> = (key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Creates a function that shares runs among its callers. */
export const makeSingleFlight = <A, E>(): SingleFlight<A, E> => {
  const flights = new Map<string, Flight<A, E>>()
  const removeFlight = (key: string, flight: Flight<A, E>): void => {
    if (flights.get(key) === flight) flights.delete(key)
  }
  const leave = (key: string, flight: Flight<A, E>, fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<unknown> =>
    Effect.suspend(() => {
      if (--flight.waiting > 0) return Effect.void
      removeFlight(key, flight)
      return Fiber.interrupt(fiber)
    })
  return (key, work) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const existing = flights.get(key)
        if (existing?.fiber !== undefined) {
          existing.waiting++
          return Effect.onInterrupt(restore(Fiber.join(existing.fiber)), () => leave(key, existing, existing.fiber!))
        }
        const flight: Flight<A, E> = { fiber: undefined, waiting: 1 }
        flights.set(key, flight)
        const run = Effect.ensuring(Effect.interruptible(work), Effect.sync(() => removeFlight(key, flight)))
        return Effect.flatMap(Effect.forkDaemon(run), (fiber) => {
          flight.fiber = fiber
          return Effect.onInterrupt(restore(Fiber.join(fiber)), () => leave(key, flight, fiber))
        })
      })
    )
}

/**
 * Turns of the event loop during long work. JavaScript runs timers, signals and aborts only between two tasks, so a loop
 * that takes seconds delays all of them. Here long work is cut into steps, and the event loop gets a turn whenever enough
 * time has passed. Work that takes less time than that never waits.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import { SyncScheduler } from "effect/Scheduler"

/** Milliseconds of work after which the event loop gets a turn. */
const SLICE = 24

/** The fibers of one operation: they share the time until the next turn, since they share the thread. */
export interface Turns {
  /** Whether the event loop has waited long enough. */
  readonly due: () => boolean
  /** Waits for a turn of the event loop. */
  readonly wait: Effect.Effect<void>
}

/** Starts to measure time now. */
export const makeTurns = (): Turns => {
  let since = performance.now()
  let waiting: Array<() => void> = []
  const due = (): boolean => performance.now() - since >= SLICE
  const wait: Effect.Effect<void> = Effect.async<void>((resume) => {
    const wake = () => resume(next)
    waiting.push(wake)
    // One timer for all fibers. A timer, though it waits a millisecond: `setImmediate` alone may keep timers from firing in Deno.
    if (waiting.length === 1) {
      setTimeout(() => {
        // the fiber that used the last slice goes to the end of the line
        const [first, ...others] = waiting
        waiting = []
        since = performance.now()
        for (const resume of others) resume()
        first?.()
      }, 0)
    }
    return Effect.sync(() => {
      waiting = waiting.filter((other) => other !== wake)
    })
  })
  // another fiber may have used the slice before this one continues
  const next: Effect.Effect<void> = Effect.suspend(() => due() ? wait : Effect.void)
  return { due, wait }
}

const current: FiberRef.FiberRef<Turns | undefined> = FiberRef.unsafeMake<Turns | undefined>(undefined)

/** Lets all of an operation, and the fibers that it starts, measure the time until the next turn together. */
export const withTurns = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withinTurns(makeTurns)(operation)

/** As {@link withTurns}, with turns that several operations share. */
export const withinTurns =
  (turns: () => Turns) => <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime<A, E, R>((fiber) =>
      fiber.getFiberRef(current) === undefined ? Effect.locally(operation, current, turns()) : operation
    )

/**
 * Whether a fiber can wait for the event loop: under `Effect.runSync` nothing can, and the work is done at once. A
 * `ManagedRuntime` keeps the scheduler by which it was built, which defers to the event loop from then on.
 */
const canWait = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean => {
  const scheduler = fiber.getFiberRef(FiberRef.currentScheduler)
  return !(scheduler instanceof SyncScheduler) || scheduler.deferred
}

/** Whether the fiber that asks can wait for the event loop. */
export const mayWait: Effect.Effect<boolean> = Effect.withFiberRuntime<boolean>((fiber) =>
  Effect.succeed(canWait(fiber))
)

/** Waits for a turn of the event loop if one is due in this operation. */
export const turnIfDue: Effect.Effect<void> = Effect.withFiberRuntime<void>((fiber) => {
  const turns = fiber.getFiberRef(current)
  return turns !== undefined && turns.due() && canWait(fiber) ? turns.wait : Effect.void
})

/** Waits for a turn of the event loop in any case: answers of worker threads, for example, come in then. */
export const turn: Effect.Effect<void> = Effect.withFiberRuntime<void>((fiber) =>
  canWait(fiber) ? (fiber.getFiberRef(current) ?? makeTurns()).wait : Effect.void
)

/** A computation that may be paused wherever it yields; `Steps` of `src/kernel`, which imports nothing, is the same. */
export type Steps<A> = Generator<void, A, void>

/** Runs a computation to its end without a turn of the event loop. */
export const runStepsAtOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/**
 * Runs a computation that yields after every bounded amount of work. The event loop gets turns in between, and interruption
 * takes effect there. `failure` decides what an exception becomes.
 */
export const runSteps = <A, E = never>(
  start: () => Steps<A>,
  failure: (error: unknown) => Effect.Effect<never, E> = Effect.die,
): Effect.Effect<A, E> =>
  Effect.withFiberRuntime<A, E>((fiber) => {
    const turns = fiber.getFiberRef(current) ?? makeTurns()
    const waits = canWait(fiber)
    let steps: Steps<A> | undefined
    const proceed = (): Effect.Effect<A, E> => {
      try {
        steps ??= start()
        for (;;) {
          const next = steps.next()
          if (next.done === true) return Effect.succeed(next.value)
          if (waits && turns.due()) return Effect.flatMap(turns.wait, proceed)
        }
      } catch (error) {
        return failure(error)
      }
    }
    return proceed()
  })

/**
 * Yields to the event loop during long work. JavaScript runs timers, signals and aborts only between tasks, so a loop
 * that takes seconds delays all of them. Long work is therefore split into steps, and yields to the event loop whenever
 * enough time has passed. Work that is shorter than that never yields.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import { SyncScheduler } from "effect/Scheduler"

/** Time slice between two yields, in milliseconds. */
const TIME_SLICE = 24

/** The turn state of one operation. All fibers of the operation share the time slice, since they share the thread. */
export interface Turns {
  /** Whether the time slice is used up. */
  readonly due: () => boolean
  /** Yields to the event loop. */
  readonly wait: Effect.Effect<void>
}

/** Creates the turn state of an operation; the first time slice starts now. */
export const makeTurns = (): Turns => {
  let since = performance.now()
  let waiting: Array<() => void> = []
  const due = (): boolean => performance.now() - since >= TIME_SLICE
  const wait: Effect.Effect<void> = Effect.async<void>((resume) => {
    const wake = () => resume(next)
    waiting.push(wake)
    // One timer for all fibers. A timer is used although it waits a millisecond: in Deno, `setImmediate` alone may
    // prevent timers from firing.
    if (waiting.length === 1) {
      setTimeout(() => {
        // the fiber that used the previous slice moves to the end of the queue
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
  // another fiber may have used up the slice before this one resumes
  const next: Effect.Effect<void> = Effect.suspend(() => due() ? wait : Effect.void)
  return { due, wait }
}

const current: FiberRef.FiberRef<Turns | undefined> = FiberRef.unsafeMake<Turns | undefined>(undefined)

/** Runs an operation with one turn state that all of the operation's fibers share. */
export const withTurns = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withinTurns(makeTurns)(operation)

/** Like {@link withTurns}, with a turn state that several operations share. */
export const withinTurns =
  (turns: () => Turns) => <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime<A, E, R>((fiber) =>
      fiber.getFiberRef(current) === undefined ? Effect.locally(operation, current, turns()) : operation
    )

/**
 * Whether a fiber can wait for the event loop. Under `Effect.runSync` it cannot, and the work runs without yielding. A
 * `ManagedRuntime` keeps the scheduler that built it; from then on, that scheduler defers to the event loop.
 */
const canWait = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean => {
  const scheduler = fiber.getFiberRef(FiberRef.currentScheduler)
  return !(scheduler instanceof SyncScheduler) || scheduler.deferred
}

/** Whether the current fiber can wait for the event loop. */
export const mayWait: Effect.Effect<boolean> = Effect.withFiberRuntime<boolean>((fiber) =>
  Effect.succeed(canWait(fiber))
)

/** Yields to the event loop if the operation's time slice is used up. */
export const turnIfDue: Effect.Effect<void> = Effect.withFiberRuntime<void>((fiber) => {
  const turns = fiber.getFiberRef(current)
  return turns !== undefined && turns.due() && canWait(fiber) ? turns.wait : Effect.void
})

/** Always yields to the event loop, for example to receive results from worker threads. */
export const turn: Effect.Effect<void> = Effect.withFiberRuntime<void>((fiber) =>
  canWait(fiber) ? (fiber.getFiberRef(current) ?? makeTurns()).wait : Effect.void
)

/**
 * A computation that can be paused wherever it yields. The same type as `Steps` in `src/kernel`, which imports nothing.
 */
export type Steps<A> = Generator<void, A, void>

/** Runs a computation to completion without yielding to the event loop. */
export const runStepsAtOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/**
 * Runs a computation that yields after each bounded amount of work. Between the steps it yields to the event loop when
 * a turn is due, and can be interrupted. `failure` maps exceptions.
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

/**
 * How long the event loop waits while a program runs: timers, signals and aborts wait as long.
 */
import { readFileSync } from "node:fs"
import process from "node:process"

/** What a program returned, how long it took, and the longest time in which no timer fired; in milliseconds. */
export interface Heartbeat<A> {
  readonly value: A
  readonly elapsed: number
  readonly longestGap: number
}

/**
 * Milliseconds that this thread was ready to run and other processes had the processors. Busy machines must not make a
 * test fail: that time is subtracted. Linux knows it; elsewhere it is 0.
 */
const preempted = (): number => {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[1]) / 1e6
  } catch {
    return 0
  }
}

/** Runs a program beside a timer that fires every few milliseconds, and records the longest time that it had to wait. */
export const withHeartbeat = async <A>(run: () => Promise<A>): Promise<Heartbeat<A>> => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  const start = performance.now()
  let last = start
  let stolen = preempted()
  let longestGap = 0
  const beat = (): void => {
    const now = performance.now()
    const others = preempted()
    longestGap = Math.max(longestGap, now - last - (others - stolen))
    last = now
    stolen = others
  }
  const timer = setInterval(beat, 3)
  try {
    const value = await run()
    beat()
    return { value, elapsed: performance.now() - start, longestGap }
  } finally {
    clearInterval(timer)
  }
}

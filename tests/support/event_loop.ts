/**
 * Measures how long the event loop is blocked while a program runs: timers, signals and aborts are delayed by that
 * time.
 */
import { assert } from "@std/assert"
import { readFileSync } from "node:fs"

/** The result of a program, and times in milliseconds. */
export interface Heartbeat<A> {
  readonly value: A
  readonly elapsed: number
  /** The longest time in which no timer fired. */
  readonly longestGap: number
  /** The maximal processor time that this thread used while no timer fired; if it is unknown, the longest gap. */
  readonly longestWork: number
}

/** Returns the processor time of this thread in milliseconds, on Linux only. */
export const processorTime = (): number | undefined => {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6
  } catch {
    return undefined
  }
}

/**
 * Runs a program together with a timer that fires every few milliseconds, and records how long the timer is delayed.
 */
export const withHeartbeat = async <A>(run: () => Promise<A>): Promise<Heartbeat<A>> => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  const start = performance.now()
  let last = start
  let used = processorTime()
  let longestGap = 0
  let longestWork = 0
  const beat = (): void => {
    const now = performance.now()
    const time = processorTime()
    longestGap = Math.max(longestGap, now - last)
    longestWork = Math.max(longestWork, time === undefined || used === undefined ? now - last : time - used)
    last = now
    used = time
  }
  const timer = setInterval(beat, 3)
  try {
    const value = await run()
    beat()
    return { value, elapsed: performance.now() - start, longestGap, longestWork }
  } finally {
    clearInterval(timer)
  }
}

/**
 * Fails unless timers fire at least every `maxWait` milliseconds in one of three attempts: garbage collection may
 * disturb an attempt.
 */
export const assertResponsive = async (run: () => Promise<unknown>, maxWait = 100): Promise<void> => {
  const measured: Array<string> = []
  for (let attempt = 0; attempt < 3; attempt++) {
    const { elapsed, longestGap, longestWork } = await withHeartbeat(run)
    // on a busy machine the thread itself may have to wait for a processor
    if (Math.min(longestGap, longestWork) < maxWait) return
    measured.push(`gap ${longestGap.toFixed(0)} ms, work ${longestWork.toFixed(0)} ms of ${elapsed.toFixed(0)} ms`)
  }
  assert(false, `the event loop had to wait: ${measured.join("; ")}`)
}

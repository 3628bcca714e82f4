/** How long the event loop waits while a program runs: timers, signals and aborts wait as long. */

/** What ran, how long it took, and the longest time in which no timer fired; in milliseconds. */
export interface Heartbeat<A> {
  readonly value: A
  readonly elapsed: number
  readonly longestGap: number
}

/** Runs a program beside a timer that fires every few milliseconds, and records the longest time that it had to wait. */
export const withHeartbeat = async <A>(run: () => Promise<A>): Promise<Heartbeat<A>> => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  const start = performance.now()
  let last = start
  let longestGap = 0
  const beat = (): void => {
    const now = performance.now()
    longestGap = Math.max(longestGap, now - last)
    last = now
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

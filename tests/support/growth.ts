/** How the time of an operation grows with the size of what it works on. */
import { assert } from "@std/assert"
import { processorTime } from "./event_loop.ts"

/** Time that other processes take from this one is not counted, where that is known. */
const now = (): number => processorTime() ?? performance.now()

const ATTEMPTS = 3

/** The least time of a few attempts, in milliseconds. */
const timeOf = async (run: () => Promise<unknown>): Promise<number> => {
  let min = Infinity
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const start = now()
    await run()
    min = Math.min(min, now() - start)
  }
  return min
}

/**
 * Fails unless an operation on four times as much takes less than eight times as long: four times as long is linear, and
 * sixteen times is quadratic. `prepare` makes the operation for a size.
 */
export const assertLinear = async (
  size: number,
  prepare: (size: number) => Promise<() => Promise<unknown>>,
): Promise<void> => {
  const small = await prepare(size)
  const large = await prepare(4 * size)
  // compiled before it is measured
  await small()
  const [one, four] = [await timeOf(small), await timeOf(large)]
  // what takes no time tells nothing
  assert(four < 8 * one || four < 50, `${one.toFixed(0)} ms for ${size}, ${four.toFixed(0)} ms for ${4 * size}`)
}

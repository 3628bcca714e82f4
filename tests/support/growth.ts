/** Checks how the time of an operation grows with the size of its input. */
import { assert } from "@std/assert"
import { processorTime } from "./event_loop.ts"

/** Returns the processor time if it is known, because it does not include the time of other processes. */
const now = (): number => processorTime() ?? performance.now()

const ATTEMPTS = 3

/** Returns the minimal time of a few attempts, in milliseconds. */
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
 * Fails unless an operation on four times the size takes less than eight times as long: linear time is four times as
 * long, quadratic time sixteen times. `prepare` returns the operation for a size.
 */
export const assertLinear = async (
  size: number,
  prepare: (size: number) => Promise<() => Promise<unknown>>,
): Promise<void> => {
  const small = await prepare(size)
  const large = await prepare(4 * size)
  // the code is compiled before it is measured
  await small()
  const [one, four] = [await timeOf(small), await timeOf(large)]
  // very short times are not compared
  assert(four < 8 * one || four < 50, `${one.toFixed(0)} ms for ${size}, ${four.toFixed(0)} ms for ${4 * size}`)
}

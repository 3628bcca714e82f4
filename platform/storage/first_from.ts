/**
 * Binary search. `platform/` may not import `src/kernel/first_from.ts`, which is the same for the engine.
 *
 * @module
 */

/** Returns the first of the numbers 0 … count − 1 for which `isBefore` is false, or `count`; it is true for those before it. */
export const firstFrom = (count: number, isBefore: (i: number) => boolean): number => {
  let from = 0
  let to = count
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isBefore(middle)) from = middle + 1
    else to = middle
  }
  return from
}

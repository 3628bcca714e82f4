/**
 * Binary search. A copy of `src/kernel/first_from.ts`, which `platform/` may not import.
 *
 * @module
 */

/**
 * Returns the first of the numbers 0 … count − 1 for which `isBefore` is false, or `count` if it is always true. `isBefore`
 * must be true for all smaller numbers.
 */
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

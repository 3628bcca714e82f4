/**
 * Binary search. The loops in `match/` that search once per cell contain their own search: with a callback they take
 * 1.5 to 2 times as long in Deno and in Bun (one million cells in a table of 1,000 numbers: 80 ms and 140 ms in Deno,
 * 57 ms and 80 ms in Bun).
 */

/**
 * Returns the first of the numbers 0 … count − 1 for which `isBefore` is false, or `count`. `isBefore` must be true for
 * all smaller numbers.
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

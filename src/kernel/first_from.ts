/** Returns the first of `count` ascending, disjoint ranges that does not end before a value; `count` if all do. */
export const firstFrom = (count: number, endsBefore: (r: number) => boolean): number => {
  let from = 0
  let to = count
  while (from < to) {
    const middle = (from + to) >>> 1
    if (endsBefore(middle)) from = middle + 1
    else to = middle
  }
  return from
}

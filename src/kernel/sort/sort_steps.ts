import { inParts, type Steps } from "../steps.ts"

/** The number of items that are sorted in one call, and merged between two yields. */
const RUN_LENGTH = 4096

/** Sorts a copy of a list in steps; stable. */
export function* sortSteps<A>(list: ReadonlyArray<A>, compare: (a: A, b: A) => number): Steps<Array<A>> {
  const n = list.length
  let from: Array<A> = new Array(n)
  const sortRun = (start: number, end: number): void => {
    const run = list.slice(start, end).sort(compare)
    for (let i = start; i < end; i++) from[i] = run[i - start]
  }
  yield* inParts(n, sortRun, RUN_LENGTH)
  let to: Array<A> = new Array(n)
  for (let width = RUN_LENGTH; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(n, start + width)
      const end = Math.min(n, middle + width)
      let [left, right] = [start, middle]
      const isSorted = middle === end || compare(from[middle - 1], from[middle]) <= 0
      const merge = (a: number, b: number): void => {
        for (let i = start + a; i < start + b; i++) {
          const isLeft = isSorted
            ? left < middle
            : right >= end || (left < middle && compare(from[left], from[right]) <= 0)
          to[i] = from[isLeft ? left++ : right++]
        }
      }
      yield* inParts(end - start, merge, RUN_LENGTH)
      yield
    }
    const merged = to
    to = from
    from = merged
  }
  return from
}

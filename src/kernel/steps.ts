/**
 * Long computations as generators. They yield after each bounded amount of work, so that the caller decides whether to
 * continue at once, to let other tasks run first, or to stop.
 */

/** A computation of `A` that pauses at each `yield`. */
export type Steps<A> = Generator<void, A, void>

/** Number of items that a loop processes between two yields: well below a millisecond of work for simple loops. */
export const STEP = 1 << 15

/** Number of bytes that are copied between two yields. */
export const COPY_STEP = 1 << 22

/** Runs a computation to its end without pausing. */
export const finish = <A>(steps: Steps<A>): A => {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/** Calls `loop(from, to)` for consecutive parts of the items 0 … n − 1. */
export function* inParts(n: number, loop: (from: number, to: number) => void, size: number = STEP): Steps<void> {
  for (let from = 0; from < n; from += size) {
    loop(from, Math.min(n, from + size))
    if (from + size < n) yield
  }
}

/**
 * Searches the items 0 … n − 1 in consecutive parts: `find(from, to)` returns the first match of a part, or −1. The
 * result is the first match of all, or −1.
 */
export function* findInParts(
  n: number,
  find: (from: number, to: number) => number,
  size: number = STEP,
): Steps<number> {
  for (let from = 0; from < n; from += size) {
    const match = find(from, Math.min(n, from + size))
    if (match >= 0) return match
    if (from + size < n) yield
  }
  return -1
}

/** Copies bytes to `target` starting at `at`, in bounded pieces. */
export function* copyInParts(target: Uint8Array, source: Uint8Array, at: number): Steps<void> {
  if (source.length <= COPY_STEP) return target.set(source, at)
  yield* inParts(source.length, (from, to) => target.set(source.subarray(from, to), at + from), COPY_STEP)
}

/**
 * Caches the results of pure functions for later calls with the same arguments. The cache affects only the duration of
 * a call, never its result.
 */

/** Maximum number of results that one function caches. */
const MAX_RESULTS = 64

/** Returns `make` with a cache of its results; the least recently used ones are dropped first. */
export const boundedMemo = <Input, Output>(
  keyOf: (input: Input) => string | number,
  make: (input: Input) => Output,
): (input: Input) => Output => {
  const results = new Map<string | number, Output>()
  return (input) => {
    const key = keyOf(input)
    const existing = results.get(key)
    const result = existing ?? make(input)
    if (existing !== undefined) results.delete(key)
    results.set(key, result)
    if (results.size > MAX_RESULTS) results.delete(results.keys().next().value!)
    return result
  }
}

/**
 * Results of pure functions, kept for the next call with the same arguments. What is kept decides how long a call takes, and
 * never what it returns.
 */

/** Results that one function keeps. */
const MAX_RESULTS = 64

/** Returns `make` with a memory of its last results: those used longest ago are dropped first. */
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

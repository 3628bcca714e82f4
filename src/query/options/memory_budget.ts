/**
 * Budgets of memory: how much of it a batch may take.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ResultTooLarge, SelectionError } from "../../array/open/errors.ts"
import type { BoundedCache } from "../../kernel/bounded_cache.ts"

/** The memory that a stream may take if nobody says: 256 MiB. */
export const DEFAULT_MEMORY = 2 ** 28

/** The budget that was given, or the default. */
export const checkBudget = (
  uri: string,
  memory: number | undefined,
  fallback: number = DEFAULT_MEMORY,
): Effect.Effect<number, SelectionError> => {
  if (memory === undefined) return Effect.succeed(fallback)
  if (typeof memory === "number" && Number.isFinite(memory) && memory > 0) return Effect.succeed(Math.floor(memory))
  const reason = `${String(memory)} is no number of bytes; give one above 0`
  return Effect.fail(new SelectionError({ uri, field: "memory", reason }))
}

/** While a batch is made, the one before it is still with its reader, and what both needed may wait for the collector. */
const SHARES = 4

/** Bytes of one batch. */
export const batchBytes = (memory: number): number => Math.floor(memory / SHARES)

/**
 * Keeps the cached metadata of an array within one share of the budget, as many bytes as one batch has, until the scope
 * closes. Other readers of the same array share the limit meanwhile.
 */
export const limitCache = (cache: BoundedCache, memory: number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(Effect.sync(() => cache.withLimit(batchBytes(memory))), (restore) => Effect.sync(restore)),
  )

/** The error for a budget that is smaller than what has to be in memory at once. */
export const budgetTooSmall = (uri: string, memory: number, bytes: number, what: string): ResultTooLarge => {
  const needed = SHARES * Math.ceil(bytes)
  const reason = `${what} takes ${Math.ceil(bytes)} bytes, for which the budget of ${memory} bytes is too small; ` +
    `let memory be at least ${needed}`
  return new ResultTooLarge({ uri, needed, limit: memory, reason })
}

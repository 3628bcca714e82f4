/**
 * Budgets of memory: how much of it a batch may take.
 */
import * as Effect from "effect/Effect"
import { type InvalidOption, invalidOption } from "../../../platform/errors.ts"
import { ResultTooLarge } from "../../array/open/errors.ts"

/** The memory that a stream may take if nobody says: 256 MiB. */
export const DEFAULT_MEMORY = 2 ** 28

/** The budget that was given, or the default. */
export const checkBudget = (
  uri: string,
  memory: number | undefined,
  fallback: number = DEFAULT_MEMORY,
): Effect.Effect<number, InvalidOption> => {
  if (memory === undefined) return Effect.succeed(fallback)
  if (typeof memory === "number" && Number.isFinite(memory) && memory > 0) return Effect.succeed(Math.floor(memory))
  const detail = `${String(memory)} is not a number of bytes; expected a number above 0`
  return Effect.fail(invalidOption(uri, "memory", detail, memory))
}

/** While a batch is made, the one before it is still with its reader, and what both needed may wait for the collector. */
const SHARES = 4

/** Bytes of one batch. */
export const batchBytes = (memory: number): number => Math.floor(memory / SHARES)

/** The error for a budget that is smaller than what has to be in memory at once. */
export const budgetTooSmall = (uri: string, memory: number, bytes: number, what: string): ResultTooLarge => {
  const needed = SHARES * Math.ceil(bytes)
  const detail = `${what} takes ${Math.ceil(bytes)} bytes, for which the budget of ${memory} bytes is too small`
  return new ResultTooLarge({ uri, needed, limit: memory, detail, hint: { _tag: "RaiseMemory", atLeast: needed } })
}

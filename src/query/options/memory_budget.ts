/**
 * The `memory` option: the budget of a read and the part of it that one batch may use.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { byteCount, type ByteSize } from "../../../platform/byte_size.ts"
import { type InvalidOption, invalidOption } from "../../../platform/errors.ts"
import { ResultTooLarge } from "../../array/open/errors.ts"
import type { BoundedCache } from "../../kernel/bounded_cache.ts"

/** Default memory budget of a stream: 256 MiB. */
export const DEFAULT_STREAM_MEMORY = 2 ** 28

/** Returns why a `memory` is invalid; `undefined` if it is valid. */
export const memoryProblem = (memory: unknown): string | undefined =>
  memory === undefined || Number.isFinite(byteCount(memory))
    ? undefined
    : `${
      typeof memory === "string" ? JSON.stringify(memory) : String(memory)
    } is not a number of bytes; expected a number above 0, or a size such as "256MiB"`

/** Checks the `memory` option and applies the default. */
export const checkBudget = (
  uri: string,
  memory: ByteSize | undefined,
  fallback: number = DEFAULT_STREAM_MEMORY,
): Effect.Effect<number, InvalidOption> => {
  const problem = memoryProblem(memory)
  if (problem !== undefined) return Effect.fail(invalidOption(uri, "memory", problem, memory))
  return Effect.succeed(memory === undefined ? fallback : Math.floor(byteCount(memory)!))
}

/**
 * The budget is divided by this number to get the size of a batch: while a batch is built, the consumer still holds the
 * previous one, and temporary memory of both may await garbage collection.
 */
const BATCHES_PER_BUDGET = 4

/** Returns the maximum size of a batch in bytes. */
export const batchBytes = (memory: number): number => Math.floor(memory / BATCHES_PER_BUDGET)

/** Limits a cache to the size of one batch until the scope closes. */
export const limitCache = (cache: BoundedCache, memory: number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(Effect.sync(() => cache.withLimit(batchBytes(memory))), (restore) => Effect.sync(restore)),
  )

/** Returns the error for a budget that is smaller than the data that must be in memory at once. */
export const budgetTooSmall = (uri: string, memory: number, bytes: number, subject: string): ResultTooLarge => {
  const needed = BATCHES_PER_BUDGET * Math.ceil(bytes)
  const detail = `${subject} takes ${Math.ceil(bytes)} bytes, for which the budget of ${memory} bytes is too small`
  return new ResultTooLarge({ uri, needed, limit: memory, detail, hint: { _tag: "RaiseMemory", atLeast: needed } })
}

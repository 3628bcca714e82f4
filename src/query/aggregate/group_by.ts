/**
 * Aggregates by group, and distinct values of a field: batch by batch, in bounded memory.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { attempt, failOn } from "../../../platform/attempt.ts"
import { invalidOption } from "../../../platform/errors.ts"
import type { Codecs } from "../../../platform/codecs/service.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import { loadEnumerations } from "../../array/enumeration/enumerations.ts"
import { ResultTooLarge } from "../../array/open/errors.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Aggregates } from "./aggregate.ts"
import { batchBytes, checkBudget } from "../options/memory_budget.ts"
import type { Column } from "../column/column.ts"
import { Groups, type GroupTable, keyFields } from "./group_table.ts"
import { attemptSelection, type ReadError } from "../options/read_error.ts"
import { denseRequest } from "../request/dense_request.ts"
import { sparseRequest } from "../request/sparse_request.ts"
import type { StreamOptions } from "../options/read_options.ts"
import * as DenseBatches from "../dense/stream.ts"
import * as SparseBatches from "../sparse/stream.ts"
import { requiredAggregates } from "./accumulator.ts"

/** Fields to group by, and the maximum number of groups. */
export interface GroupOptions extends StreamOptions {
  readonly by?: ReadonlyArray<string>
  readonly maxGroups?: number
}

/** Default maximum number of groups. */
export const DEFAULT_MAX_GROUPS = 2 ** 16

/** Maximum of the options `maxGroups` and `maxValues`: groups are numbered with 31 bits. */
const MAX_GROUPS = 2 ** 30

/** Checks a maximum number of groups or values. Throws `InvalidOption`. */
const checkLimit = (uri: string, max: number, noun: GroupNoun): void => {
  if (Number.isInteger(max) && max > 0 && max <= MAX_GROUPS) return
  const option = noun === "groups" ? "maxGroups" : "maxValues"
  const reason = `${String(max)} is not a number of ${noun}; expected an integer from 1 to ${MAX_GROUPS}`
  throw invalidOption(uri, option, reason, max)
}

/** Name of the groups in error messages: "values" for distinct values, since each value is a group. */
export type GroupNoun = "groups" | "values"

/**
 * Groups the cells of an array and returns the aggregates of each group. Cells of dense arrays that were never written
 * belong to no group.
 */
export const aggregateGroups = (
  array: OpenedArray,
  aggregates: Aggregates,
  { by = [], maxGroups = DEFAULT_MAX_GROUPS, ...options }: GroupOptions,
  noun: GroupNoun = "groups",
): Effect.Effect<GroupTable, ReadError, Storage | Codecs> =>
  Effect.gen(function* () {
    const { uri } = array
    const [keys, requested] = yield* attemptSelection(() => {
      checkLimit(uri, maxGroups, noun)
      const request = requiredAggregates(array, aggregates)
      return [keyFields(array, by, aggregates), request] as const
    })
    const memory = yield* checkBudget(uri, options.memory)
    const names = keys.flatMap(({ enumeration }) => enumeration ?? [])
    const enumerations = yield* loadEnumerations(array, names)
    const limits = { groups: maxGroups, bytes: batchBytes(memory) }
    const groups = new Groups(
      uri,
      keys,
      new Map(enumerations.map((enumeration) => [enumeration.name, enumeration])),
      requested,
      limits,
      noun,
    )
    const add = (columns: Readonly<Record<string, Column>>, length: number, mask: Uint8Array | undefined) =>
      attempt(() => groups.add(columns, length, mask), failOn(ResultTooLarge))
    const fields = [...new Set([...keys, ...requested.keys()])]
    if (array.schema.arrayType === "sparse") {
      const request = yield* sparseRequest(array, { ...options, order: "unordered" }, "unordered")
      const batches = SparseBatches.streamSparseRequest(array, { ...request, fields }, options)
      yield* Stream.runForEach(batches, ({ columns, length }) => add(columns, length, undefined))
    } else {
      const request = yield* denseRequest(array, { ...options, order: "row" })
      const batches = DenseBatches.streamDenseRequest(array, { ...request, fields, masked: true }, options)
      yield* Stream.runForEach(batches, ({ columns, shape, mask: mask }) =>
        add(columns, shape.reduce((n, length) => n * length, 1), mask))
    }
    return groups.table(aggregates)
  })

/**
 * Converts the options of a command to a query.
 */
import type * as Effect from "effect/Effect"
import type { OpenedArray } from "../../array/open/open.ts"
import { fieldsOf, TIMESTAMPS } from "../../fragment/field.ts"
import type { Order, StreamOptions } from "../../query/options/read_options.ts"
import type { Request } from "./arguments.ts"
import { parseSize } from "./byte_size.ts"
import { attemptUsage } from "./settings.ts"
import { parseRanges, parseSelect } from "./ranges.ts"
import { UsageError } from "./usage_error.ts"

/** Returns the query in a request. Options that the command does not have are treated as absent. */
export const queryOf = (request: Request, { schema }: OpenedArray): Effect.Effect<StreamOptions, UsageError> =>
  attemptUsage(() => {
    const size = request.text("memory")
    const memory = size === undefined ? undefined : parseSize("memory", size)
    const { byName, dimensions, attributes } = fieldsOf(schema)
    const named = parseSelect(new Set(byName.keys()), request.texts("select"))
    const select = request.on("timestamps") && named?.includes(TIMESTAMPS) !== true
      ? [...(named ?? [...dimensions, ...attributes].map(({ name }) => name)), TIMESTAMPS]
      : named
    const where = request.text("where")
    const limit = request.integer("limit")
    return {
      ...(select === undefined ? {} : { select }),
      ...(where === undefined ? {} : { where }),
      ...(limit === undefined ? {} : { limit }),
      ...(memory === undefined ? {} : { memory }),
      region: parseRanges(schema, request.texts("range")),
      order: request.text("order") as Order | undefined ?? "row",
      outOfBounds: request.on("clip") ? "clip" : "error",
    }
  })

/** Rejects options that have no effect together with another one. */
export const rejectWith = (
  request: Request,
  option: string,
  others: ReadonlyArray<string>,
): Effect.Effect<void, UsageError> =>
  attemptUsage(() => {
    const input = others.find((name) => request.on(name))
    if (input === undefined) return
    throw new UsageError({ detail: `${request.command}: --${input} and --${option} cannot be combined; omit one` })
  })

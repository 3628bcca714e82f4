/**
 * Computes sort keys of a cell order from the coordinates.
 */
import type { ArraySchema } from "../../../../schema/array/array_schema.ts"
import { type Coordinates, coordinateWordsSteps, globalWordsSteps } from "../../../fragment/cell_order.ts"
import type { KeyWords } from "../../../kernel/sort/order_key.ts"
import { finish, inParts, type Steps } from "../../../kernel/steps.ts"
import type { Order } from "../../options/read_options.ts"

/** Returns the key words for sorting cells. */
export const orderWords = (...input: Parameters<typeof orderWordsSteps>): KeyWords => finish(orderWordsSteps(...input))

/** Like {@link orderWords}, in steps. */
export const orderWordsSteps = (
  schema: ArraySchema,
  order: Order,
  columns: ReadonlyArray<Coordinates>,
): Steps<KeyWords> =>
  order === "col"
    ? coordinateWordsSteps([...columns].reverse())
    : order === "global"
    ? globalWordsSteps(schema, columns)
    : coordinateWordsSteps(columns)

/**
 * Returns key words that sort cells from the newest to the oldest; cells of equal times by fragment number, the latest
 * first.
 */
export function* newestFirstSteps(
  times: Float64Array,
  fragments: Float64Array | Uint32Array,
): Steps<ReadonlyArray<Uint32Array>> {
  const [high, low, number] = [0, 1, 2].map(() => new Uint32Array(times.length))
  yield* inParts(times.length, (from, to) => {
    for (let i = from; i < to; i++) {
      high[i] = 0xffffffff - Math.floor(times[i] / 2 ** 32)
      low[i] = 0xffffffff - times[i] % 2 ** 32
      number[i] = 0xffffffff - fragments[i]
    }
  })
  return [high, low, number]
}

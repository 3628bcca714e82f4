/**
 * Computes sort keys of a cell order from the coordinates.
 */
import type { ArraySchema } from "../../../../schema/array/array_schema.ts"
import { type Coordinates, coordinateWordsSteps, globalWordsSteps } from "../../../fragment/cell_order.ts"
import type { KeyWords } from "../../../kernel/sort/order_key.ts"
import { finish, type Steps } from "../../../kernel/steps.ts"
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

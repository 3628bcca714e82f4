/**
 * The order of the cells of a result as key words of their coordinates.
 */
import type { ArraySchema } from "../../schema/array_schema.ts"
import { type Coordinates, coordinateWords, globalWords } from "../fragment/cell_order.ts"
import type { KeyWords } from "../kernel/order_key.ts"
import type { Order } from "./read_options.ts"

/** Key words by which cells are sorted into an order. */
export const orderWords = (schema: ArraySchema, order: Order, columns: ReadonlyArray<Coordinates>): KeyWords =>
  order === "col"
    ? coordinateWords([...columns].reverse())
    : order === "global"
    ? globalWords(schema, columns)
    : coordinateWords(columns)

/**
 * What a read is asked, and what of it is the same for dense and sparse arrays.
 */
import { invalidOption } from "../../../platform/errors.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { SelectionError } from "../../array/open/errors.ts"
import { type Field, fieldsOf, TIMESTAMPS } from "../../fragment/field.ts"
import type { ConditionTree } from "../../condition/condition_tree.ts"
import type { OutOfBounds, RegionInput } from "../selection/selection.ts"

/** The order of the cells in a result. */
export type Order = "row" | "col" | "global" | "unordered"

/** What to read. */
export interface ReadOptions {
  /** Attributes and dimensions to answer with. Default: all attributes, and of sparse arrays all dimensions before them. */
  readonly select?: ReadonlyArray<string>
  /**
   * Ranges by dimension, both ends inclusive: `{ x: [1, 5] }`, several `{ x: [[1, 5], [8, 9]] }`, a point `{ x: 3 }`.
   * A dimension that is not named is taken whole: in dense arrays its non-empty domain, in sparse ones everything.
   */
  readonly region?: RegionInput
  /** Which cells are wanted. Default: all. */
  readonly where?: ConditionTree | string
  /** Default: row. */
  readonly order?: Order
  /** What to do with ranges that leave the domain. Default: refuse them. */
  readonly outOfBounds?: OutOfBounds
  /** The first cells only, in the order that was asked: at most so many. Nothing behind them is read. */
  readonly limit?: number
  /**
   * Bytes of memory that reading may take, beside the runtime's own. A whole result that may need more is refused before it
   * is read (default: 4 GiB); batches are made so that they fit (default: 256 MiB).
   */
  readonly memory?: number
}

/** What a whole result may take if nobody says. */
export const MAX_BYTES = 2 ** 32

/** The fields named by `select`. Throws {@link SelectionError}. */
export const selectedFields = (array: OpenedArray, select: ReadonlyArray<string> | undefined): ReadonlyArray<Field> => {
  const fields = fieldsOf(array.schema)
  if (select === undefined) {
    return array.schema.arrayType === "dense" ? fields.attributes : [...fields.dimensions, ...fields.attributes]
  }
  return select.map((name) => {
    const field = fields.byName.get(name)
    if (name === TIMESTAMPS) {
      if (array.schema.arrayType === "sparse") return fields.timestamps
      throw new SelectionError({ uri: array.uri, field: name, detail: "only cells of sparse arrays have times" })
    }
    if (field === undefined) {
      const names = [...fields.byName.keys()].map((n) => JSON.stringify(n)).join(", ")
      throw new SelectionError({
        uri: array.uri,
        field: name,
        detail: `there is no such attribute or dimension; the array has ${names}`,
      })
    }
    return field
  })
}

const orders: ReadonlyArray<string> = ["row", "col", "global", "unordered"] satisfies ReadonlyArray<Order>

/** The option `order`, or the default. Throws `InvalidOption`. */
export const orderOf = (uri: string, order: Order | undefined, fallback: Order): Order => {
  if (order === undefined) return fallback
  if (orders.includes(order)) return order
  const reason = `${JSON.stringify(order)} is not an order of cells; expected one of ${
    orders.map((o) => JSON.stringify(o)).join(", ")
  }`
  throw invalidOption(uri, "order", reason, order)
}

/** What to read in batches. */
export interface StreamOptions extends ReadOptions {
  /** Batches have no more bytes than this where tiles can be told apart: for who wants the first cells only. */
  readonly batch?: number
}

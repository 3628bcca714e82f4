/**
 * Options of a read that dense and sparse arrays share.
 */
import type { ByteSize } from "../../../platform/byte_size.ts"
import { invalidOption, shownValue } from "../../../platform/errors.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import { SelectionError } from "../../array/open/errors.ts"
import { type Field, fieldsOf, TIMESTAMPS } from "../../fragment/field.ts"
import type { ConditionTree } from "../../condition/condition_tree.ts"
import type { OutOfBounds, RegionInput } from "../selection/selection.ts"

/** Order of the cells in a result. */
export type Order = "row" | "col" | "global" | "unordered"

/** Options of a read. */
export interface ReadOptions {
  /** Fields to return. Default: all attributes; for sparse arrays all dimensions, then all attributes. */
  readonly select?: ReadonlyArray<string>
  /**
   * Ranges by dimension, both ends inclusive: `{ x: [1, 5] }`, several `{ x: [[1, 5], [8, 9]] }`, a point `{ x: 3 }`. A
   * dimension without a range is selected whole: its non-empty domain in dense arrays, everything in sparse arrays.
   */
  readonly region?: RegionInput
  /** Condition that cells must satisfy. Default: none. */
  readonly where?: ConditionTree | string
  /** Cell order of the result. Default: row. */
  readonly order?: Order
  /** Handling of ranges that exceed the domain. Default: fail. */
  readonly outOfBounds?: OutOfBounds
  /** Maximum number of cells: the first ones in the requested order. Data after them is not read. */
  readonly limit?: number
  /**
   * Memory budget of the read in bytes, in addition to the runtime's own memory. A whole result that may exceed it
   * fails before it is read (default: 4 GiB); batches are sized to fit (default: 256 MiB).
   */
  readonly memory?: ByteSize
}

/** Default memory budget of a whole result. */
export const DEFAULT_READ_MEMORY = 2 ** 32

/** Returns the fields named by `select`. Throws {@link SelectionError}. */
export const selectedFields = (array: OpenedArray, select: ReadonlyArray<string> | undefined): ReadonlyArray<Field> => {
  const fields = fieldsOf(array.schema)
  if (select === undefined) {
    return array.schema.arrayType === "dense" ? fields.attributes : [...fields.dimensions, ...fields.attributes]
  }
  return select.map((name) => {
    const field = fields.byName.get(name)
    if (name === TIMESTAMPS) {
      if (array.schema.arrayType === "sparse") return fields.timestamps
      throw new SelectionError({
        uri: array.uri,
        field: name,
        reason: "Unsupported",
        detail: "only the cells of sparse arrays have write times",
      })
    }
    if (field === undefined) {
      const names = [...fields.byName.keys()].map((n) => JSON.stringify(n)).join(", ")
      throw new SelectionError({
        uri: array.uri,
        field: name,
        reason: "UnknownName",
        detail: `there is no such attribute or dimension; the array has ${names}`,
      })
    }
    return field
  })
}

/** The cell orders of results. */
export const orders: ReadonlyArray<string> = ["row", "col", "global", "unordered"] satisfies ReadonlyArray<Order>

/** Returns why an `order` is invalid; `undefined` if it is valid. */
export const orderProblem = (order: unknown): string | undefined =>
  order === undefined || (orders as ReadonlyArray<unknown>).includes(order)
    ? undefined
    : `${shownValue(order)} is not an order of cells; expected one of ${
      orders.map((o) => JSON.stringify(o)).join(", ")
    }`

/** Returns the requested order, or the default. Throws `InvalidOption`. */
export const checkOrder = (uri: string, order: Order | undefined, fallback: Order): Order => {
  const problem = orderProblem(order)
  if (problem !== undefined) throw invalidOption(uri, "order", problem, order, { accepted: orders })
  return order ?? fallback
}

/** Options of a read in batches. */
export interface StreamOptions extends ReadOptions {
  /**
   * Maximum size of a batch in bytes where tiles can be read separately: small batches return the first cells sooner.
   */
  readonly batch?: number
}

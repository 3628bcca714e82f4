/**
 * The order of the values of an attribute or label along a dimension.
 *
 * @module
 */
import { type Field, literal } from "../binary/mod.ts"

/** The order of values; only dimension labels are "increasing" or "decreasing". */
export type DataOrder = "unordered" | "increasing" | "decreasing"

/**
 * The on-disk form of a data order: one byte.
 *
 * ```ts
 * import { DataOrder, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(encode(DataOrder, "decreasing", 22), Uint8Array.of(2))
 * ```
 */
export const DataOrder: Field<DataOrder> = literal({ unordered: 0, increasing: 1, decreasing: 2 }, "data order")

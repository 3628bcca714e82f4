/**
 * How the values of an attribute or label run along the dimension.
 *
 * @module
 */
import { type Field, literal } from "../binary/mod.ts"

/** Increasing and decreasing orders belong to dimension labels. */
export type DataOrder = "unordered" | "increasing" | "decreasing"

/**
 * The order as it lies on disk: one byte.
 *
 * ```ts
 * import { DataOrder, encode } from "@tessera/array/schema"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(encode(DataOrder, "decreasing", 22), Uint8Array.of(2))
 * ```
 */
export const DataOrder: Field<DataOrder> = literal({ unordered: 0, increasing: 1, decreasing: 2 }, "data order")

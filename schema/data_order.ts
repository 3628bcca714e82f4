/**
 * How the values of an attribute or label run along the dimension.
 *
 * @module
 */
import { type Field, literal } from "./binary/mod.ts"

/** Increasing and decreasing orders belong to dimension labels. */
export type DataOrder = "unordered" | "increasing" | "decreasing"

/** The order as it lies on disk: one byte. */
export const DataOrder: Field<DataOrder> = literal({ unordered: 0, increasing: 1, decreasing: 2 }, "data order")

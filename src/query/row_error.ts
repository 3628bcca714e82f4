/**
 * Rows that are not what a schema says.
 *
 * @module
 */
export { RowError } from "../array/row_error.ts"

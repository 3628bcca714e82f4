/**
 * The building blocks of binary codecs: all structures in `schema/` are declared with them.
 *
 * @module
 */
export { Cursor } from "./cursor.ts"
export { Sink } from "./sink.ts"
export { BinaryIssue } from "./issue.ts"
export * from "./field.ts"
export * from "./list.ts"
export * from "./struct.ts"
export * from "./column.ts"
export * from "./own_version.ts"
export * from "./rest.ts"

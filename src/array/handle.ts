/**
 * What users hold of an open array: what it is, and nothing of how it was opened.
 *
 * @module
 */
import type { ArraySchema } from "../../schema/array_schema.ts"
import type { TimeRange } from "./directory.ts"
import type { OpenedArray } from "./open.ts"

let hold: (array: OpenedArray) => TileArray
let held: (array: TileArray) => OpenedArray

/**
 * An open array: a snapshot that does not change while others write. `TileArray.open` makes it, and the functions of
 * `TileArray`, `Dense` and `Sparse` take it; it holds no file or connection, so there is nothing to close. It stays cheap to
 * keep: the schema and the ends of the fragments' metadata are in memory, cells are not.
 */
export class TileArray {
  /** Where it is, without a slash at the end. */
  readonly uri: string
  /** The schema by which it is read: the newest of the range of time. */
  readonly schema: ArraySchema
  /** The name of the schema's file. */
  readonly schemaName: string
  /** The range of time that it was opened for, in milliseconds since 1970; both ends are inclusive. */
  readonly time: TimeRange
  // a private field: fragments, deletes and the key show neither in types nor in logs, and may change their form
  readonly #opened: OpenedArray

  static {
    hold = (array) => new TileArray(array)
    held = (array) => array.#opened
  }

  private constructor(array: OpenedArray) {
    this.uri = array.uri
    this.schema = array.schema
    this.schemaName = array.schemaName
    this.time = array.time
    this.#opened = array
  }
}

/** An opened array as users hold it. */
export const handleOf = (array: OpenedArray): TileArray => hold(array)

/** What the engine works with, of what users hold. */
export const openedOf = (array: TileArray): OpenedArray => held(array)

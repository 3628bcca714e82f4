/**
 * The public form of an open array: its properties, without the internal state.
 *
 * @module
 */
import { showRedacted } from "../../../schema/errors/inspect.ts"
import { redactUri } from "../../../schema/errors/redact.ts"
import type { ArraySchema as SchemaStructure } from "../../../schema/array/array_schema.ts"
import type { ArraySchema } from "../../schema_builder/schema_value.ts"
import type { TimeRange } from "./directory.ts"
import type { OpenedArray } from "./open.ts"

let makeHandle: (array: OpenedArray, declared: ArraySchema | undefined) => AnyTileArray
let unwrapHandle: (array: AnyTileArray) => OpenedArray

/** An open array, whether it was opened with a schema or without. */
export type AnyTileArray = TileArray<ArraySchema | undefined>

/**
 * An open array: a snapshot that does not change while others write. `TileArray.open` returns it, and the functions of
 * `TileArray`, `Dense` and `Sparse` accept it. It has no open files or connections, so it need not be closed. It takes
 * little memory: the schema and the footers of the fragments, no cells.
 *
 * `S` is the declared schema, from which TypeScript derives the columns. An array that was opened without a schema is a
 * plain `TileArray`, whose columns carry their types at run time.
 *
 * ```ts
 * import { layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const dimensionsOf = ({ schema }: TileArray.AnyTileArray) => schema.dimensions.map(({ name }) => name)
 *
 * const quakes = await Effect.runPromise(Effect.provide(TileArray.open("tests/support/quakes"), layerDefault))
 * assertEquals([quakes.uri, ...dimensionsOf(quakes)], ["tests/support/quakes", "lat", "lon"])
 * ```
 */
export class TileArray<S extends ArraySchema | undefined = undefined> {
  /** URI of the array, without a trailing slash. */
  readonly uri: string
  /** The schema that reads use: the newest one in the time range, in its stored structure. */
  readonly schema: SchemaStructure
  /** Name of the schema file. */
  readonly schemaName: string
  /** The time range of the open array, in milliseconds since 1970; both ends are inclusive. */
  readonly time: TimeRange
  /** The schema with which it was opened; `undefined` without one. */
  readonly declared: S
  // private, so that types and logs do not expose fragments, deletes and the key
  readonly #opened: OpenedArray

  static {
    makeHandle = (array, declared) => new TileArray(array, declared)
    unwrapHandle = (array) => array.#opened
    showRedacted(TileArray.prototype, (array) => ({ ...array, uri: redactUri(array.uri) }), "TileArray")
  }

  private constructor(array: OpenedArray, declared: S) {
    this.uri = array.uri
    this.schema = array.schema
    this.schemaName = array.schemaName
    this.time = array.time
    this.declared = declared
    this.#opened = array
  }
}

/** Wraps an opened array in its public form. */
export const handleOf: {
  (array: OpenedArray): TileArray
  <S extends ArraySchema | undefined>(array: OpenedArray, declared: S): TileArray<S>
} = (array: OpenedArray, declared?: ArraySchema) => makeHandle(array, declared) as never

/** Returns the internal form of an open array. */
export const openedOf = (array: AnyTileArray): OpenedArray => unwrapHandle(array)

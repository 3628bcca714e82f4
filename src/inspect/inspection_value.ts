/**
 * The value that an inspection returns.
 */
import type { JsonObject } from "../array/describe/describe.ts"
import type { Advice } from "./advice.ts"
import type { FieldSizes } from "./field_sizes.ts"

/** A dimension of an inspected array. Bounds are texts: dates and times are in ISO 8601. */
export interface InspectedDimension {
  readonly name: string
  readonly type: string
  /** `null` for dimensions of text. */
  readonly domain: readonly [low: string, high: string] | null
  /** The range of the written cells; `null` if nothing was written. */
  readonly nonEmptyDomain: readonly [low: string, high: string] | null
}

/** A fragment of an inspected array. */
export interface InspectedFragment {
  readonly name: string
  /** First and last time of its cells, in milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly version: number
  readonly dense: boolean
  /** Number of cells; whole tiles for dense fragments. */
  readonly cells: number
  readonly tiles: number
  /** Size of its files in bytes. */
  readonly bytes: number
  readonly hasConsolidatedMetadata: boolean
  /** The range of its cells in each dimension, as texts; `null` if the footer does not contain it. */
  readonly nonEmptyDomain: ReadonlyArray<readonly [low: string, high: string]> | null
  /**
   * The same ranges as positions for drawings, from 0 to 1 within the array's non-empty domain. Values of text dimensions
   * have equal distances.
   */
  readonly box: ReadonlyArray<readonly [low: number, high: number]> | null
}

/** The state of an array. A JSON value; times are in milliseconds since 1970, sizes in bytes. */
export interface Inspection {
  /** The version of this form: 1. */
  readonly version: 1
  readonly uri: string
  /** The time range of the open array; `end` is `null` for the current state. */
  readonly time: { readonly start: number; readonly end: number | null }
  readonly arrayType: "dense" | "sparse"
  /** The schema, as `tessera schema --json` prints it. */
  readonly schema: JsonObject
  readonly schemaName: string
  readonly dimensions: ReadonlyArray<InspectedDimension>
  /** The visible fragments, oldest first. */
  readonly fragments: ReadonlyArray<InspectedFragment>
  /** Times of the visible deletes, oldest first. */
  readonly deletes: ReadonlyArray<number>
  /** Sizes of the fields, in the order of the schema. */
  readonly fields: ReadonlyArray<FieldSizes>
  /** Maintenance that would make the current state of the array faster to open or smaller. */
  readonly advice: ReadonlyArray<Advice>
}

/** The result expected from the engine for an array that tessera wrote: `meant.json`, next to the array. */
import type { Json } from "../../../src/array/describe/describe.ts"
import type { CellJson } from "../../../schema/array/scalar.ts"
import type { MeantEntry } from "../changes/random_changes.ts"

/** The expected cells, in the form of the engine's recorded reads. */
export interface MeantCells {
  /** The columns by field; for dense arrays, the attributes of all cells of `ranges`, in row-major order. */
  readonly columns: Readonly<Record<string, ReadonlyArray<CellJson>>>
  /** Dense arrays: the numbers of unwritten cells. */
  readonly unwritten: ReadonlyArray<number>
  /** The non-empty domain. */
  readonly domain: Json
}

/** An array at a timestamp. */
export interface Moment extends MeantCells {
  readonly at: number
  readonly metadata: ReadonlyArray<MeantEntry>
}

/** The content of `meant.json`. */
export interface Meant {
  readonly key: string | null
  readonly sparse: boolean
  readonly version: number
  readonly schema: Json
  readonly enumerations: Json
  /** The fragments as tessera describes them. */
  readonly fragments: Json
  /** Dense arrays: the compared region. */
  readonly ranges: ReadonlyArray<readonly [string, string]> | null
  /** From the earliest to the latest. */
  readonly moments: ReadonlyArray<Moment>
}

/** What the engine should say of an array that we wrote: `meant.json`, which lies beside it. */
import type { Json } from "../../../src/array/describe/describe.ts"
import type { CellJson } from "../../../schema/array/scalar.ts"
import type { MeantEntry } from "../changes/random_changes.ts"

/** Cells that are there, as reads of the engine are recorded. */
export interface MeantCells {
  /** By field; of dense arrays the attributes of all cells of `ranges`, in rows. */
  readonly columns: Readonly<Record<string, ReadonlyArray<CellJson>>>
  /** Dense arrays: the numbers of cells that nobody wrote. */
  readonly unwritten: ReadonlyArray<number>
  /** The non-empty domain. */
  readonly domain: Json
}

/** An array at a time. */
export interface Moment extends MeantCells {
  readonly at: number
  readonly metadata: ReadonlyArray<MeantEntry>
}

/** What lies beside an array. */
export interface Meant {
  readonly key: string | null
  readonly sparse: boolean
  readonly version: number
  readonly schema: Json
  readonly enumerations: Json
  /** Fragments as we see them ourselves. */
  readonly fragments: Json
  /** Dense arrays: the cells that were looked at. */
  readonly ranges: ReadonlyArray<readonly [string, string]> | null
  /** From the first to the last. */
  readonly moments: ReadonlyArray<Moment>
}

/** The maintenance cases: an operation on a copy of an array. */

/** A maintenance case. */
export interface MaintenanceCase {
  readonly name: string
  /** The array that is copied for each run. */
  readonly array: string
  readonly operation: "fragments" | "fragment_meta" | "commits"
}

/** Maximum ratios to the peer's wall time and to its peak memory, from the issue. */
export const GOALS = { ms: 0.6, peak: 0.25 } as const

/** The cases of W17. */
export const maintenanceCases: ReadonlyArray<MaintenanceCase> = [
  { name: "consolidate 100 dense", array: "fragments_dense", operation: "fragments" },
  { name: "consolidate 100 sparse", array: "fragments_sparse", operation: "fragments" },
  { name: "consolidate 1000 sparse", array: "fragments_small", operation: "fragments" },
  { name: "footers of 1000", array: "fragments_small", operation: "fragment_meta" },
  { name: "commits of 1000", array: "fragments_small", operation: "commits" },
]

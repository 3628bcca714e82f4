/**
 * Plans a repair: pure values, computed from the findings of a verification.
 *
 * @module
 */
import { LABELS_FOLDER } from "../../schema/name/array_paths.ts"
import type { Finding, FindingCheck } from "../verify/finding.ts"

/** A step of a repair. */
export interface RepairAction {
  /**
   * `quarantine`: a file or folder that no reader uses moves to the quarantine folder. `drop`: a damaged file that only
   * combines others moves there; the others remain in use. `rebuild`: a fragment with wrong statistics or R-tree is
   * written again from its cells, with new statistics; the old fragment is hidden, and removed by a vacuum.
   */
  readonly kind: "quarantine" | "drop" | "rebuild"
  /** Path of the file or folder, relative to the array. */
  readonly path: string
  /** Why this is done. */
  readonly reason: string
}

/** A file or folder of a write that was never committed. */
export interface Orphan {
  readonly path: string
  /** Time of the last change of its newest file, in milliseconds since 1970; `undefined` if the storage has no times. */
  readonly lastModified: number | undefined
}

/** What the plan needs to know in addition to the findings. */
export interface RepairFacts {
  readonly orphans: ReadonlyArray<Orphan>
  /** Newest time at which an orphan is old enough; `Infinity` if its age does not matter. */
  readonly newestOrphan: number
  /** Names of fragments that another one replaces: a vacuum removes them. */
  readonly replaced: ReadonlySet<string>
  /** Paths of damaged files of consolidated commits whose commits all exist as files. */
  readonly repeatedCommits: ReadonlySet<string>
}

/** A plan: the steps, and the problems that they do not solve. */
export interface RepairPlan {
  readonly actions: ReadonlyArray<RepairAction>
  /** Findings of severity `error` that no step solves, with their hints. */
  readonly unrepaired: ReadonlyArray<Finding>
  /** Orphans that stay: their writes may be under way, or a damaged file may contain their commits. */
  readonly kept: ReadonlyArray<string>
}

/** Checks of statistics and MBRs, which follow from the cells. An R-tree that cannot be decoded prevents reads. */
const derived: ReadonlySet<FindingCheck> = new Set([
  "RTreeLevels",
  "TileStatistics",
  "FragmentStatistics",
  "Mbr",
  "TileBounds",
  "TileSum",
  "TileNullCount",
])

/** Checks of files that are not needed to read the fragments. */
const footers: FindingCheck = "ConsolidatedFooters"

/** Checks of files that may contain commits: if one of them is damaged, a fragment may be committed after all. */
const uncertain: ReadonlySet<FindingCheck> = new Set([
  "ConsolidatedCommits",
  "IgnoreFile",
  "CommitPath",
  "Unreadable",
  "Decryption",
])

/** Whether a path belongs to a label array inside the array. */
export const isInLabel = (path: string): boolean => path.startsWith(`${LABELS_FOLDER}/`)

/** Plans the steps for the findings of an array. */
export const planRepair = (findings: ReadonlyArray<Finding>, facts: RepairFacts): RepairPlan => {
  const errors = findings.filter(({ severity }) => severity === "error")
  // a fragment whose cells are damaged cannot be computed from its cells
  const damaged = new Set(errors.filter(({ check }) => !derived.has(check)).map(({ fragment }) => fragment))
  const canDropFooters = !errors.some(({ check }) => check === "FragmentMetadata" || check === "MissingFile")
  const actions = new Map<string, RepairAction>()
  const unrepaired: Array<Finding> = []
  for (const finding of errors) {
    const { check, path, fragment } = finding
    if (fragment !== null && facts.replaced.has(fragment)) continue
    // label arrays are repaired on their own
    if (derived.has(check) && fragment !== null && !damaged.has(fragment) && !isInLabel(path)) {
      const reason = "its statistics or its R-tree do not match its cells"
      actions.set(`rebuild ${fragment}`, { kind: "rebuild", path: fragment, reason })
    } else if (check === footers && canDropFooters) {
      const reason = "it is damaged, and the metadata of all fragments exists"
      actions.set(`drop ${path}`, { kind: "drop", path, reason })
    } else if (check === "ConsolidatedCommits" && facts.repeatedCommits.has(path)) {
      const reason = "it is damaged, and the commits that it combines exist"
      actions.set(`drop ${path}`, { kind: "drop", path, reason })
    } else unrepaired.push(finding)
  }
  const isCertain = !errors.some(({ check }) => uncertain.has(check))
  const kept: Array<string> = []
  for (const { path, lastModified } of facts.orphans) {
    const { newestOrphan } = facts
    const isYoung = newestOrphan !== Infinity && (lastModified === undefined || lastModified > newestOrphan)
    if (isYoung || !isCertain) kept.push(path)
    else {
      const reason = "a write that was never committed left it"
      actions.set(`quarantine ${path}`, { kind: "quarantine", path, reason })
    }
  }
  return { actions: [...actions.values()], unrepaired, kept }
}

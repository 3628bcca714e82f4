/**
 * Arrays: creates, opens, changes, copies and describes them.
 *
 * ```ts
 * import { TileArray } from "@tessera/array"
 * import { layerDefault } from "@tessera/array/platform"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const array = yield* TileArray.open("tests/golden/demo/weather", { at: new Date("2024-03-04T08:00:00Z") })
 *   const metadata = yield* TileArray.metadata(array)
 *   return [array.schema.attributes.map((a) => a.name), (yield* TileArray.fragments(array)).length, metadata.length]
 * })
 * const found = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(found, [["temperature", "note"], 1, 0])
 * ```
 *
 * @module
 */
export * from "./array/tile_array.ts"
export { type LabelColumns, type LabelName, type LabelOptions, readLabel } from "./query/request/read_label.ts"
export { type LabelInputs, writeLabels } from "./write/labels.ts"
export { copy, type CopyError, type CopyOptions, type CopyProgress, type CopyResult } from "./transfer/copy/copy.ts"
export {
  consolidate,
  type ConsolidateError,
  type ConsolidateMode,
  type ConsolidateOptions,
  type ConsolidateResult,
  consolidationPlan,
  ConsolidationTask,
  type FragmentRules,
  type PlanOptions,
  runConsolidationTasks,
  type RunTaskOptions,
} from "./maintain/consolidate.ts"
export {
  deleteFragments,
  type DeleteFragmentsError,
  type DeleteFragmentsOptions,
  type DeleteFragmentsResult,
} from "./maintain/delete_fragments.ts"
export type { ChangeKind, LoggedChange } from "./history/change.ts"
export { changes, type ChangesOptions } from "./history/changes.ts"
export { type CellDifference, diffCells, type DiffCellsError, type DiffCellsOptions } from "./history/cell_diff.ts"
export {
  type Diff,
  diff,
  type DiffError,
  type DiffFragment,
  type MemberDifference,
  type MetadataDifference,
} from "./history/diff.ts"
export type { DiffOptions } from "./history/diff_states.ts"
export type { SchemaPartDifference } from "./history/schema_diff.ts"
export { log, type LogError, type LogOptions } from "./history/log.ts"
export {
  deleteTag,
  listTags,
  putTag,
  type PutTagError,
  type PutTagOptions,
  type Tag,
  type TagError,
  type TagOptions,
} from "./history/tags.ts"
export {
  type Advice,
  type FieldSizes,
  inspect,
  type InspectedDimension,
  type InspectedFragment,
  type InspectError,
  type Inspection,
  inspectionPage,
  type TileSizeCount,
} from "./inspect/inspection.ts"
export {
  type Footprint,
  tidy,
  type TidyError,
  type TidyOptions,
  type TidyResult,
  type TidyStep,
} from "./maintain/tidy.ts"
export {
  type KeptFile,
  vacuum,
  type VacuumError,
  type VacuumFailure,
  type VacuumMode,
  type VacuumOptions,
  type VacuumResult,
} from "./maintain/vacuum.ts"
export {
  Finding,
  type FindingCheck,
  type FindingSeverity,
  verify,
  type VerifyError,
  type VerifyOptions,
} from "./verify/verify.ts"
export { repair, type RepairAction, type RepairError, type RepairOptions, type RepairResult } from "./repair/repair.ts"

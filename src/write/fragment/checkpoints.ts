/**
 * Writes that go on where a killed program stopped: which fragments it finished, and what is saved for the next time.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { StorageError } from "../../../platform/errors.ts"
import type { Storage } from "../../../platform/storage/service.ts"
import type { Checkpoint } from "../../array/open/unfinished.ts"
import type { Steps } from "../../kernel/steps.ts"
import type { FinishedFragment, FragmentTarget } from "./fragment_writer.ts"
import { gatherTileSteps, type WriteColumn } from "../input/write_column.ts"

/** How far a write is when a fragment is finished. */
export interface WrittenSoFar extends Pick<Checkpoint, "given" | "cells" | "bytes"> {
  /** All fragments that are finished, oldest first. */
  readonly fragments: ReadonlyArray<FinishedFragment>
}

/** Where a write begins, and who is told of its fragments. */
export interface Checkpoints {
  /** What an earlier program finished: the first `given` cells are given again, and passed over. */
  readonly start: Checkpoint
  /** Is called whenever the fragments hold all of the first `given` cells. */
  readonly save: (written: WrittenSoFar) => Effect.Effect<void, StorageError, Storage>
  /** Is called when all cells are written. Returns the name of the commit, where there are several fragments. */
  readonly beforeCommit: (written: WrittenSoFar) => Effect.Effect<string, StorageError, Storage>
}

/** Fragments that an earlier program finished and did not commit. */
export const keptFragments = (
  { uri, version }: Pick<FragmentTarget, "uri" | "version">,
  { start }: Pick<Checkpoints, "start"> = { start: NO_CHECKPOINT },
): Array<FinishedFragment> =>
  start.fragments.map((name) => ({
    arrayUri: uri,
    name,
    version,
    nonEmptyDomain: undefined,
    metadata: undefined,
    state: { commit: "none", commitUri: undefined, isKept: true },
  }))

/** The beginning of a write. */
export const NO_CHECKPOINT: Checkpoint = { given: 0, cells: 0, bytes: 0, fragments: [], commit: null }

/** Columns without their first cells. */
export function* withoutFirst(
  columns: ReadonlyArray<WriteColumn>,
  first: number,
  cells: number,
): Steps<ReadonlyArray<WriteColumn>> {
  const out: Array<WriteColumn> = []
  for (const column of columns) {
    out.push({ field: column.field, ...yield* gatherTileSteps(column, undefined, first, cells) })
  }
  return out
}

/**
 * Resumable writes: the fragments that a killed process finished, and the state that is saved for the next attempt.
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

/** Progress of a write when a fragment is finished. */
export interface WrittenSoFar extends Pick<Checkpoint, "inputCells" | "cells" | "bytes"> {
  /** All finished fragments, oldest first. */
  readonly fragments: ReadonlyArray<FinishedFragment>
}

/** The start of a resumable write, and callbacks that save its state. */
export interface Checkpoints {
  /** Work of an earlier process: its first `inputCells` cells are passed in again and skipped. */
  readonly start: Checkpoint
  /** Called whenever the finished fragments contain all of the first `inputCells` cells. */
  readonly save: (written: WrittenSoFar) => Effect.Effect<void, StorageError, Storage>
  /** Called when all cells are written. Returns the name of the commit if there are several fragments. */
  readonly beforeCommit: (written: WrittenSoFar) => Effect.Effect<string, StorageError, Storage>
}

/** Returns fragments that an earlier process finished without committing them. */
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

/** State of a write that has not started. */
export const NO_CHECKPOINT: Checkpoint = { inputCells: 0, cells: 0, bytes: 0, fragments: [], commit: null }

/** Returns columns without their first cells. */
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

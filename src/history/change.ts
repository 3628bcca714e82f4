/**
 * Changes of arrays and groups, as their files record them.
 */
import type { TileError } from "../tile/attempt.ts"
import type { NotFound, StorageError } from "../../platform/errors.ts"
import type { Effect } from "effect/Effect"
import type { Storage } from "../../platform/storage/service.ts"

/** The kinds of changes. */
export type ChangeKind =
  /** The first schema was stored. */
  | "created"
  /** A later schema was stored: an evolution, or an upgrade of the format version. */
  | "evolved"
  /** A fragment was written. */
  | "written"
  /** A delete condition was written. */
  | "deleted"
  /** Fragments, commits, fragment metadata or metadata were combined; the contents did not change. */
  | "consolidated"
  /** Metadata was set or deleted. */
  | "metadata"
  /** Members were added to a group, or removed. */
  | "members"

/** One change of an array or group: one file, or one fragment. */
export interface LoggedChange {
  /** The kind. */
  readonly kind: ChangeKind
  /** First time of the contents, in milliseconds since 1970. */
  readonly start: number
  /** Last time of the contents; differs from `start` only for consolidated files. */
  readonly end: number
  /** Path of the file or fragment, relative to the array or group. */
  readonly path: string
  /** Format version; `null` if the file does not state it. */
  readonly version: number | null
  /** Size in bytes; `null` if the files were removed meanwhile. */
  readonly bytes: number | null
  /** Fragments only: number of cells, in dense fragments of whole tiles; `null` if the files were removed meanwhile. */
  readonly cells?: number | null
  /** Fragments only: true if the cells are stored without coordinates. */
  readonly dense?: boolean
  /** Fragments and schemas: name of the schema. */
  readonly schemaName?: string
  /** Fragments only: whether a consolidated fragment replaces it; a vacuum then removes it. */
  readonly replaced?: boolean
  /** Metadata: the keys that were set; members: those that were added. */
  readonly added?: ReadonlyArray<string>
  /** Metadata: the keys that were deleted; members: those that were removed. */
  readonly removed?: ReadonlyArray<string>
}

/** Errors of reading a change. */
export type ChangeError = NotFound | StorageError | TileError

/** A change that was found in a listing, and is not read yet. */
export interface ChangeEntry {
  /** Identifies the change, wherever a consolidation moves its commit. */
  readonly id: string
  readonly kind: ChangeKind
  readonly start: number
  readonly end: number
  readonly path: string
  readonly load: Effect<LoggedChange, ChangeError, Storage>
}

/** The order of kinds among changes of the same time. */
const kindOrder: ReadonlyArray<ChangeKind> = [
  "created",
  "evolved",
  "written",
  "deleted",
  "members",
  "metadata",
  "consolidated",
]

/** Compares changes by time, oldest first. */
export const compareChanges = (
  a: Pick<LoggedChange, "end" | "start" | "kind" | "path">,
  b: Pick<LoggedChange, "end" | "start" | "kind" | "path">,
): number =>
  a.end - b.end || kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) || a.start - b.start ||
  (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

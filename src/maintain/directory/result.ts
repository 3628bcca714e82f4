/**
 * Results and errors of maintenance.
 *
 * @module
 */
import type { NotFound, StorageError } from "../../../platform/errors.ts"
import type { LatestSchemaError } from "../../array/open/latest_schema.ts"
import type { InvalidOption } from "../../array/open/errors.ts"
import type { TileError } from "../../tile/attempt.ts"
import type { MaintenanceError } from "./maintenance_error.ts"

/** Result of a consolidation. */
export interface ConsolidateResult {
  /** Paths of the new files or fragments, relative to the array or group; empty if there was nothing to combine. */
  readonly written: ReadonlyArray<string>
  /** Paths of the files or fragments that were combined. */
  readonly inputs: ReadonlyArray<string>
}

/** The result if there was nothing to combine. */
export const unchanged: ConsolidateResult = { written: [], inputs: [] }

/** Errors of consolidating files: commits, fragment metadata, metadata. */
export type ConsolidateFilesError =
  | InvalidOption
  | MaintenanceError
  | LatestSchemaError
  | NotFound
  | StorageError
  | TileError

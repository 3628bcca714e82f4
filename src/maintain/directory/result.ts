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
  /** The files or fragments that were written: paths relative to the array or group. Empty if nothing was to be done. */
  readonly written: ReadonlyArray<string>
  /** The files or fragments that they combine. */
  readonly inputs: ReadonlyArray<string>
}

/** The result if nothing was to be done. */
export const unchanged: ConsolidateResult = { written: [], inputs: [] }

/** Errors of consolidating files: commits, fragment metadata, metadata. */
export type ConsolidateFilesError =
  | InvalidOption
  | MaintenanceError
  | LatestSchemaError
  | NotFound
  | StorageError
  | TileError

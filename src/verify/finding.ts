/**
 * Findings of a verification: their checks, severities and hints.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { messageText } from "../../schema/errors/message_text.ts"
import { redactUri } from "../../schema/errors/redact.ts"

/**
 * How serious a finding is. `error`: reads fail or return wrong cells. `warning`: reads are correct, but the state is
 * unexpected. `info`: files that the array does not use.
 */
export type FindingSeverity = "error" | "warning" | "info"

/** Severity and advice of each check. */
const CHECKS = {
  // files and folders
  UnknownFile: ["info", "TileDB ignores this file; move it out of the array if it is not needed"],
  FileName: ["warning", "engines ignore files without a timestamped name; move the file out of the array"],
  UnfinishedCopy: ["warning", "resume the copy or import, or overwrite the array"],
  Unreadable: ["error", "check permissions and the storage, then verify again"],
  Unsupported: ["warning", "verify the array with a newer version of tessera"],
  Decryption: ["error", "check the key; if the key is correct, restore the file from a backup"],
  // schemas
  Schema: ["error", "restore the file from a backup"],
  SchemaDimensions: ["error", "restore the schema file from a backup: dimensions never change"],
  MissingEnumeration: ["error", "restore the file from a backup"],
  Enumeration: ["error", "restore the file from a backup"],
  UnusedEnumeration: ["info", "an interrupted schema change left this file; engines ignore it"],
  // commits
  ConsolidatedCommits: [
    "error",
    "restore the file; tessera repair moves it away if the commits that it combines exist",
  ],
  RepeatedCommit: ["warning", "consolidate the commits again"],
  CommitPath: ["error", "restore the file from a backup; the path is not followed"],
  IgnoreFile: ["error", "restore the file from a backup"],
  MissingFragment: ["error", "restore the fragment, or remove the commit to accept the loss of cells"],
  UncommittedFragment: [
    "warning",
    "a write is under way or was interrupted; readers ignore the folder, and tessera repair moves it away",
  ],
  DeleteCondition: ["error", "restore the file from a backup; reads fail without the condition"],
  VacuumFile: ["error", "restore the file from a backup, or consolidate again"],
  VacuumPath: ["error", "remove the vacuum file; the path is not followed"],
  VacuumedMissing: ["info", "an interrupted vacuum removed it; run the vacuum again"],
  MissingReplacement: ["error", "remove the vacuum file: it hides fragments without a replacement"],
  // metadata and consolidated footers
  Metadata: ["error", "restore the file from a backup"],
  ConsolidatedFooters: ["error", "tessera repair moves it away; then consolidate the fragment metadata again"],
  UnusedFooter: ["info", "consolidate the fragment metadata again"],
  // metadata of fragments
  FragmentMetadata: ["error", "restore the fragment from a backup"],
  FragmentVersion: ["error", "restore the fragment from a backup, or restore the name of the folder"],
  FragmentSchema: ["error", "restore the schema file of the fragment"],
  NonEmptyDomain: ["error", "restore the fragment metadata from a backup"],
  MissingFile: ["error", "restore the file from a backup"],
  FileSize: ["error", "restore the file from a backup"],
  TileOffsets: ["error", "restore the fragment metadata from a backup"],
  VarTileSizes: ["error", "restore the fragment metadata from a backup"],
  RTree: ["error", "restore the fragment metadata from a backup"],
  RTreeLevels: ["error", "tessera repair writes the fragment again"],
  TileStatistics: ["error", "tessera repair writes the fragment again"],
  FragmentStatistics: ["error", "tessera repair writes the fragment again"],
  ProcessedConditions: ["error", "restore the fragment metadata from a backup"],
  // tiles
  ChunkFraming: ["error", "restore the data file from a backup"],
  Checksum: ["error", "restore the data file from a backup"],
  Decode: ["error", "restore the data file from a backup"],
  TileSize: ["error", "restore the data file from a backup"],
  CellOffsets: ["error", "restore the data file from a backup"],
  Validity: ["warning", "engines treat every value except 0 as valid"],
  Coordinates: ["error", "restore the data file from a backup"],
  Mbr: ["error", "tessera repair writes the fragment again: reads omit cells outside of the MBR"],
  CellOrder: ["error", "consolidate the fragment to sort the cells again"],
  Duplicate: ["error", "consolidate the fragment: reads return one of the cells"],
  TileBounds: ["error", "tessera repair writes the fragment again: conditions omit cells"],
  TileSum: ["error", "tessera repair writes the fragment again: aggregates are wrong"],
  TileNullCount: ["error", "tessera repair writes the fragment again"],
  EnumerationCode: ["warning", "the code has no value: add values to the enumeration, or write the cells again"],
  CellTimes: ["error", "restore the fragment from a backup"],
  DeleteMetadata: ["error", "restore the fragment from a backup"],
  // other arrays inside the array
  Label: ["error", "restore the label array from a backup"],
} as const satisfies Readonly<Record<string, readonly [severity: FindingSeverity, hint: string]>>

/** The check that made a finding. */
export type FindingCheck = keyof typeof CHECKS

/** A problem in the files of an array. */
export interface Finding {
  readonly severity: FindingSeverity
  readonly check: FindingCheck
  /** URI of the array. */
  readonly uri: string
  /** Path of the file or folder, relative to the array; empty for the array itself. */
  readonly path: string
  /** Name of the fragment; `null` for files that do not belong to a fragment. */
  readonly fragment: string | null
  /** Name of the field; `null` for findings about all fields. */
  readonly field: string | null
  /** Number of the tile in the fragment, starting at 0. */
  readonly tile: number | null
  readonly message: string
  /** How to mend it. */
  readonly hint: string
}

/**
 * The schema of findings, for storing them as JSON.
 *
 * ```ts
 * import { TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Schema from "effect/Schema"
 *
 * const line = '{"severity":"info","check":"UnknownFile","uri":"a","path":"b","fragment":null,"field":null,' +
 *   '"tile":null,"message":"c","hint":"d"}'
 * assertEquals(Schema.decodeSync(Schema.parseJson(TileArray.Finding))(line).check, "UnknownFile")
 * ```
 */
export const Finding: Schema.Schema<Finding> = Schema.Struct({
  severity: Schema.Literal("error", "warning", "info"),
  check: Schema.Literal(...Object.keys(CHECKS) as [FindingCheck, ...ReadonlyArray<FindingCheck>]),
  uri: Schema.String,
  path: Schema.String,
  fragment: Schema.NullOr(Schema.String),
  field: Schema.NullOr(Schema.String),
  tile: Schema.NullOr(Schema.NonNegativeInt),
  message: Schema.String,
  hint: Schema.String,
})

/** The subject of a finding. */
export interface Subject {
  /** Path relative to the array. */
  readonly path: string
  readonly fragment?: string
  readonly field?: string
  readonly tile?: number
}

/** Returns a finding of a check. Its severity is the one of the check, unless `severity` is present. */
export const makeFinding = (
  uri: string,
  check: FindingCheck,
  { path, fragment, field, tile }: Subject,
  message: string,
  severity: FindingSeverity = CHECKS[check][0],
): Finding => ({
  severity,
  check,
  uri: redactUri(uri),
  path,
  fragment: fragment ?? null,
  field: field ?? null,
  tile: tile ?? null,
  message: messageText(message),
  hint: CHECKS[check][1],
})

/** The contents of `expected.json`, and the folders of the cases. The README of the fixtures describes them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Json, JsonObject } from "../../src/array/describe/describe.ts"
import type { Datatype } from "../../schema/array/datatype.ts"
import type { CellJson, ScalarInput } from "../../schema/array/scalar.ts"

/** Columns of many cells are recorded as digests of their bytes, with the first and last cells. */
export interface Digest {
  readonly cells: number
  readonly bytes: number
  readonly sha256: string
  readonly offsets_sha256?: string
  readonly validity_sha256?: string
  readonly head?: ReadonlyArray<CellJson>
  readonly tail?: ReadonlyArray<CellJson>
}

export type ExpectedColumn = ReadonlyArray<CellJson> | Digest

export type Order = "row-major" | "col-major" | "unordered"

export interface ExpectedRead {
  readonly name: string
  readonly layout: Order
  readonly cells: number
  readonly columns: Readonly<Record<string, ExpectedColumn>>
  readonly ranges?: ReadonlyArray<ReadonlyArray<readonly [ScalarInput, ScalarInput]> | null>
  readonly timestamp_end?: string
  readonly condition?: ReadonlyArray<{ readonly field: string; readonly op: string; readonly value: CellJson }>
  /** the error message of the recording engine */
  readonly error?: string
  /** the error message of each column that it could not read */
  readonly column_errors?: Readonly<Record<string, string>>
}

export interface ExpectedSchema extends JsonObject {
  readonly array_type: "dense" | "sparse"
  readonly allows_dups: boolean
  readonly dimensions: ReadonlyArray<{ readonly name: string }>
  readonly attributes: ReadonlyArray<{
    readonly name: string
    readonly type: Datatype
    readonly cell_val_num: number | "var"
    readonly fill_hex: string
  }>
}

export interface ExpectedArray {
  readonly kind: "array"
  readonly schema: ExpectedSchema
  readonly non_empty_domain: Json
  readonly metadata: Json
  /** missing if the recording engine failed to list them */
  readonly fragments?: Json
  readonly enumerations?: Json
  readonly reads: ReadonlyArray<ExpectedRead>
}

export interface ExpectedGroup {
  readonly kind: "group"
  readonly metadata: Json
  readonly members: Json
}

/** An array or group that the recording engine failed to open. */
export interface ExpectedRefusal {
  readonly kind: "array" | "group"
  readonly error: string
}

export type ExpectedObject = ExpectedArray | ExpectedGroup | ExpectedRefusal

export interface Case {
  /** the folder that holds `expected.json` */
  readonly folder: string
  /** 32 characters, or null */
  readonly key: string | null
  /** by path below the folder */
  readonly objects: Readonly<Record<string, ExpectedObject>>
}

/** Returns the folders at or below `folder` that contain an `expected.json`, sorted by name. */
export const findCases = (folder: string): Array<string> => {
  const entries = readdirSync(folder, { withFileTypes: true })
  if (entries.some((entry) => entry.name === "expected.json")) return [folder]
  return entries
    .filter((entry) => entry.isDirectory())
    .sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }))
    .flatMap((entry) => findCases(join(folder, entry.name)))
}

export const loadCase = (folder: string): Case => {
  const { encryption_key, objects } = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"))
  return { folder, key: encryption_key, objects }
}

/** All tagged error classes of the sources, with the fields that are required to create errors. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type * as Schema from "effect/Schema"

const root = join(import.meta.dirname!, "../..")

/** The text fields of each class by its tag, and the other fields. */
export const classes: Readonly<Record<string, { readonly text: ReadonlyArray<string>; readonly other?: object }>> = {
  AlreadyExists: { text: ["uri", "detail"], other: { hint: { _tag: "Overwrite" } } },
  ArrayNotFound: { text: ["uri", "detail"], other: { reason: "Unfinished", hint: { _tag: "Resume" } } },
  ChecksumMismatch: { text: ["uri"], other: { offset: 3, algorithm: "md5" } },
  ClosedPipe: { text: ["cause"] },
  CodecError: { text: ["codec", "detail", "cause"], other: { reason: "Missing" } },
  ConditionError: { text: ["uri", "text", "path", "field", "detail"], other: { at: 7, reason: "Syntax" } },
  MaintenanceError: { text: ["uri", "detail"], other: { reason: "Stale" } },
  Conflict: { text: ["uri", "field", "detail"], other: { reason: "RowsAppended" } },
  CredentialsError: { text: ["source", "detail", "cause"] },
  CsvError: { text: ["source", "column", "detail"], other: { row: 3, reason: "InvalidValue" } },
  DecryptionFailed: { text: ["uri", "detail"], other: { reason: "MissingKey", hint: { _tag: "ProvideKey" } } },
  FilterRefused: { text: ["detail"], other: { filter: "delta", cell: 3 } },
  FormatError: { text: ["uri", "path", "detail"], other: { offset: 1, version: 22, reason: "Unsupported" } },
  InputFailed: { text: ["cause"] },
  InvalidKey: { text: [], other: { reason: "Length", length: 9 } },
  InvalidOption: {
    text: ["uri", "option", "value", "detail"],
    other: { reason: "InvalidValue", accepted: ["a", "b"], hint: { _tag: "DidYouMean", names: ["a"] } },
  },
  NotFound: { text: ["uri"] },
  OutputFailed: { text: ["cause"] },
  ResultTooLarge: {
    text: ["uri", "detail"],
    other: { needed: 2, limit: 1, hint: { _tag: "RaiseMemory", atLeast: 2 } },
  },
  RowError: { text: ["uri", "detail", "cause"], other: { row: 3, reason: "Rejected" } },
  SchemaError: { text: ["field", "detail"], other: { reason: "InvalidTile" } },
  SchemaMismatch: { text: ["uri"], other: {} },
  SelectionError: {
    text: ["uri", "field", "detail"],
    other: { reason: "OutOfBounds", hint: { _tag: "ClipRanges" } },
  },
  StorageError: { text: ["uri", "cause"], other: { op: "read", reason: "Unknown" } },
  UsageError: { text: ["detail"] },
  VerifyFailed: { text: ["uri"], other: { errors: 2 } },
  WriteError: { text: ["uri", "field", "detail"], other: { cell: 1, other: 2, reason: "Duplicate" } },
}

/** The sources, without comments. */
export const sources = ["platform", "schema", "src"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
).map((path) => ({ path, text: readFileSync(path, "utf8").replace(/\/\*[\s\S]*?\*\//g, "") }))

/** The tags and files of all classes in the sources. */
export const declaredClasses = sources.flatMap(({ path, text }) =>
  [...text.matchAll(/=\s*taggedError\(\s*"(\w+)"/g)].map(([, tag]) => ({ tag, path }))
)

/** A tagged error. */
export type AnyError = Error & { readonly _tag: string; readonly uri?: string }
/** A class of tagged errors. */
export type Constructor = (new (fields: object) => AnyError) & Schema.Schema<AnyError, object>

/** Imports a class. */
export const load = async (tag: string): Promise<Constructor> => {
  const module = await import(new URL(`file://${declaredClasses.find((item) => item.tag === tag)!.path}`).href)
  return module[tag] as Constructor
}

/** Returns fields that all contain `value`. */
export const fieldsOf = (tag: string, value: (name: string) => unknown): object => {
  const { text, other } = classes[tag]
  const fields = { ...other, ...Object.fromEntries(text.map((name) => [name, value(name)])) }
  if (tag !== "SchemaMismatch") return fields
  const one = { field: value("field"), expected: value("expected"), actual: value("actual") }
  return { ...fields, differences: [one, one] }
}

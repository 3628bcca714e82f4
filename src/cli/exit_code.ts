/**
 * Errors to exit codes and lines.
 */
import type { StorageReason } from "../../platform/errors.ts"

/** 0 done, 1 other, 2 usage, 3 not there, 4 permission or key, 5 bad bytes or cells, 6 unsupported. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6

const byTag: Readonly<Record<string, ExitCode>> = {
  ClosedPipe: 0,
  UsageError: 2,
  InvalidOption: 2,
  SelectionError: 2,
  ConditionError: 2,
  SchemaError: 2,
  AlreadyExists: 2,
  ArrayNotFound: 3,
  NotFound: 3,
  DecryptionFailed: 4,
  InvalidKey: 4,
  FormatError: 5,
  CodecError: 5,
  ChecksumMismatch: 5,
  WriteError: 5,
  RowError: 5,
  CsvError: 5,
}

const byReason: Partial<Record<StorageReason, ExitCode>> = { Denied: 4, Truncated: 5, Unsupported: 6 }

/** The exit code for a failure. */
export const exitCodeOf = (error: unknown): ExitCode => {
  const { _tag: tag, reason, unsupported, missing } = (error ?? {}) as {
    readonly _tag?: unknown
    readonly reason?: string
    readonly unsupported?: boolean
    readonly missing?: boolean
  }
  if (tag === "StorageError") return byReason[reason as StorageReason] ?? 1
  // a codec that is not there is not damage
  if (tag === "CodecError" && missing === true) return 6
  if (tag === "FormatError" && unsupported === true) return 6
  return typeof tag === "string" && Object.hasOwn(byTag, tag) ? byTag[tag] : 1
}

/** What the advice of the library is called here. */
const wordings: ReadonlyArray<readonly [RegExp, string]> = [
  [/let ranges be cropped/, "add --crop"],
  [
    /select fewer cells or fields, or let memory be more/,
    "take fewer cells with --range or --limit, or fewer fields with --select",
  ],
  [/; let memory be at least (\d+)/, "; give at least --memory $1, or another --order"],
  [/; give its key$/, "; give its key with --key-file, or set TESSERA_KEY"],
  [/, or read without verifying checksums/, ""],
  [/; leave them out with metadata: false/, "; leave them out with --no-metadata"],
]

/** What is wrong, in one line; `undefined` if there is nothing to say. */
export const messageOf = (error: unknown): string | undefined => {
  const tag = (error as { readonly _tag?: unknown } | null)?._tag
  if (tag === "ClosedPipe") return undefined
  const original = error instanceof Error ? error.message : String(error)
  const message = wordings.reduce((text, [from, to]) => text.replace(from, to), original)
  // without a tag it is a mistake of our own
  const text = typeof tag === "string" ? message : `this is a bug in tessera, please report it: ${message}`
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").trim()
}

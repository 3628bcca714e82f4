/**
 * Errors to exit codes and lines.
 */
import { messageText } from "../../schema/errors/message_text.ts"
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

/** Characters of a line: a message whose advice became longer by the names of options is not shortened again. */
const LONGEST_MESSAGE = 2080

/** Whether the command that failed has an option. */
type Has = (option: string) => boolean

/** What the advice of the library is called here, as far as the command has the options for it. */
const wordings: ReadonlyArray<readonly [RegExp, (has: Has) => string]> = [
  [/, or let ranges be clipped/, (has) => has("clip") ? ", or add --clip" : ""],
  [
    /select fewer cells or fields, or let memory be more/,
    (has) => `take fewer cells with --range${has("limit") ? " or --limit" : ""}, or fewer fields with --select`,
  ],
  [
    /; let memory be at least (\d+)/,
    (has) => `; give at least --memory $1${has("order") ? ", or another --order" : ""}`,
  ],
  [/; give its key$/, () => "; give its key with --key-file, or set TESSERA_KEY"],
  [/, or read without verifying checksums/, () => ""],
  [/; resume it, or overwrite it$/, () => "; run it again with --resume or --overwrite"],
  [
    /; overwrite it, or choose another target$/,
    (has) => `; ${has("overwrite") ? "add --overwrite, or " : ""}choose another target`,
  ],
  [/; run it again with resume or overwrite$/, () => "; run it again with --resume or --overwrite"],
  [/; leave them out with metadata: false/, () => "; leave them out with --no-metadata"],
]

/** Returns whether an error is a mistake in the program: all errors that a command may fail with have a tag. */
export const isDefect = (error: unknown): boolean =>
  typeof (error as { readonly _tag?: unknown } | null | undefined)?._tag !== "string"

/** What is wrong, in one line, for a command that `has` some options; `undefined` if there is nothing to say. */
export const messageOf = (error: unknown, has: Has = () => true): string | undefined => {
  const tag = (error as { readonly _tag?: unknown } | null | undefined)?._tag
  if (tag === "ClosedPipe") return undefined
  const original = error instanceof Error ? error.message : String(error)
  const message = wordings.reduce((text, [from, to]) => text.replace(from, to(has)), original)
  const text = !isDefect(error) ? message : `this is a bug in tessera, please report it: ${message}`
  return messageText(text, LONGEST_MESSAGE).trim()
}

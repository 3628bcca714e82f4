/**
 * Converts errors to exit codes and lines of text.
 */
import type { Advised, Hint } from "../../schema/errors/hint.ts"
import { messageText } from "../../schema/errors/message_text.ts"
import type { StorageReason } from "../../platform/errors.ts"

/** 0 success, 1 other error, 2 usage, 3 not found, 4 permission or key, 5 invalid file or cell data, 6 unsupported. */
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
  VerifyFailed: 5,
}

const byReason: Partial<Record<StorageReason, ExitCode>> = { Denied: 4, Truncated: 5, Unsupported: 6 }

/** Returns the exit code of an error. */
export const exitCodeOf = (error: unknown): ExitCode => {
  const { _tag: tag, reason } = (error ?? {}) as { readonly _tag?: unknown; readonly reason?: string }
  if (tag === "StorageError") return byReason[reason as StorageReason] ?? 1
  // a missing codec does not mean damaged data
  if (tag === "CodecError" && reason === "Missing") return 6
  if (tag === "FormatError" && reason === "Unsupported") return 6
  return typeof tag === "string" && Object.hasOwn(byTag, tag) ? byTag[tag] : 1
}

/** Maximum length of an error line. It exceeds the limit of messages, since option names make advice longer. */
const MAX_LINE_LENGTH = 2080

/** Returns whether the command that failed has an option. */
type Has = (option: string) => boolean

const listed = (options: ReadonlyArray<string>): string => options.join(" or ")

/** Formulates advice with the options of the command; `undefined` if the command lacks these options. */
const adviceOf = (hint: Hint, has: Has): string | undefined => {
  const own = (...options: ReadonlyArray<string>) =>
    options.filter((option) => has(option)).map((option) => `--${option}`)
  switch (hint._tag) {
    case "ClipRanges":
      return `select cells inside the domain${has("clip") ? ", or add --clip" : ""}`
    case "SelectLess":
      return `select fewer cells with --range${has("limit") ? " or --limit" : ""}, or fewer fields with --select`
    case "RaiseMemory":
      return `set --memory to at least ${hint.atLeast}${has("order") ? ", or change --order" : ""}`
    case "ProvideKey":
      return "provide its key with --key-file, or set TESSERA_KEY"
    case "SkipChecksums":
      return "restore the file"
    case "Resume": {
      const options = own("resume", "overwrite")
      return options.length === 0 ? undefined : `run the command again with ${listed(options)}`
    }
    case "Overwrite":
      return `${has("overwrite") ? "add --overwrite, or " : ""}choose another target`
    case "ChooseTarget":
      return "choose another target"
    case "OmitMetadata":
      return has("no-metadata") ? "add --no-metadata" : undefined
    case "DidYouMean":
      return `did you mean ${hint.names.join(" or ")}?`
  }
}

/** Returns the text of an error, with advice for the command. */
const textOf = (error: unknown, has: Has): string => {
  const { hint, summary } = (error ?? {}) as Partial<Advised>
  if (hint === undefined || summary === undefined) return error instanceof Error ? error.message : String(error)
  const advice = adviceOf(hint, has)
  return advice === undefined ? summary : `${summary}; ${advice}`
}

/** Returns whether an error is a defect of the program. Expected errors have a tag. */
export const isDefect = (error: unknown): boolean =>
  typeof (error as { readonly _tag?: unknown } | null | undefined)?._tag !== "string"

/** Describes an error in one line, for a command with certain options; `undefined` for errors without a message. */
export const messageOf = (error: unknown, has: Has = () => true): string | undefined => {
  const tag = (error as { readonly _tag?: unknown } | null | undefined)?._tag
  if (tag === "ClosedPipe") return undefined
  const message = textOf(error, has)
  const text = isDefect(error) ? `this is a bug in tessera, please report it: ${message}` : message
  return messageText(text, MAX_LINE_LENGTH).trim()
}

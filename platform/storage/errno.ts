/**
 * Maps error codes of the file system to storage errors.
 *
 * @module
 */
import { AlreadyExists, NotFound, StorageError, type StorageOp, type StorageReason } from "../errors.ts"

const reasons: Readonly<Record<string, StorageReason>> = {
  EACCES: "Denied",
  EPERM: "Denied",
  EROFS: "Denied",
  EAGAIN: "Unavailable",
  EBUSY: "Unavailable",
  EMFILE: "Unavailable",
  ENFILE: "Unavailable",
  EIO: "Unavailable",
  ETIMEDOUT: "Timeout",
  ENOSPC: "Full",
  EDQUOT: "Full",
  EFBIG: "Full",
  EEXIST: "Occupied",
  EISDIR: "Occupied",
  ENOTDIR: "Occupied",
  ENOTEMPTY: "Occupied",
  ENAMETOOLONG: "BadName",
  EILSEQ: "BadName",
}

/**
 * Codes that mean that no file with this name exists: the file is missing, a parent is a file, it is a folder or a
 * pipe, or the name is too long.
 */
const missing = new Set(["ENOENT", "ENOTDIR", "EISDIR", "ESPIPE", "ENAMETOOLONG"])

/** Errors that Deno reports only by number, on Linux or macOS. */
const numbers: Readonly<Record<string, string>> = { 5: "EIO", 27: "EFBIG", 28: "ENOSPC", 69: "EDQUOT", 122: "EDQUOT" }

/** Returns the code of a file system error; `""` if it has no code. */
export const codeOf = (cause: unknown): string => {
  const code = (cause as { code?: unknown } | null)?.code
  if (typeof code === "string") return code
  const number = cause instanceof Error ? /\(os error (\d+)\)/.exec(cause.message)?.[1] : undefined
  if (number !== undefined && Object.hasOwn(numbers, number)) return numbers[number]
  // The error of Deno without --allow-read or --allow-write.
  const name = cause instanceof Error ? cause.name : ""
  return name === "NotCapable" || name === "PermissionDenied" ? "EACCES" : ""
}

/** Returns a function that maps an error of a call that does not read an existing file. */
export const storageFailure = (op: StorageOp, uri: string) => (cause: unknown): StorageError => {
  if (cause instanceof StorageError) return cause
  const code = codeOf(cause)
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : "Unknown"
  return new StorageError({ op, uri, reason, cause })
}

/** Returns a function that maps an error of a call that reads a file; missing files become `NotFound`. */
export const readFailure = (op: StorageOp, uri: string) => (cause: unknown): NotFound | StorageError => {
  if (cause instanceof NotFound) return cause
  return missing.has(codeOf(cause)) ? new NotFound({ uri }) : storageFailure(op, uri)(cause)
}

/** Returns a function that maps an error of an exclusive create; existing files become `AlreadyExists`. */
export const createFailure = (uri: string) => (cause: unknown): AlreadyExists | StorageError =>
  codeOf(cause) === "EEXIST" ? new AlreadyExists({ uri }) : storageFailure("create", uri)(cause)

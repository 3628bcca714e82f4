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
 * Codes that mean that there is no file of a name: it is missing, below a file, a folder, a pipe, or the name is too
 * long.
 */
const missing = new Set(["ENOENT", "ENOTDIR", "EISDIR", "ESPIPE", "ENAMETOOLONG"])

/** Errors that Deno reports by number only, on Linux or macOS. */
const numbers: Readonly<Record<string, string>> = { 5: "EIO", 27: "EFBIG", 28: "ENOSPC", 69: "EDQUOT", 122: "EDQUOT" }

/** Returns the code of a file system error; `""` if it has no code. */
export const codeOf = (cause: unknown): string => {
  const code = (cause as { code?: unknown } | null)?.code
  if (typeof code === "string") return code
  const number = cause instanceof Error ? /\(os error (\d+)\)/.exec(cause.message)?.[1] : undefined
  if (number !== undefined && Object.hasOwn(numbers, number)) return numbers[number]
  // Deno without --allow-read or --allow-write.
  const name = cause instanceof Error ? cause.name : ""
  return name === "NotCapable" || name === "PermissionDenied" ? "EACCES" : ""
}

/** The failure of a call that names no single file, or makes one. */
export const storageFailure = (op: StorageOp, uri: string) => (cause: unknown): StorageError => {
  if (cause instanceof StorageError) return cause
  const code = codeOf(cause)
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : "Unknown"
  return new StorageError({ op, uri, reason, cause })
}

/** The failure of a call that reads a file. */
export const readFailure = (op: StorageOp, uri: string) => (cause: unknown): NotFound | StorageError => {
  if (cause instanceof NotFound) return cause
  return missing.has(codeOf(cause)) ? new NotFound({ uri }) : storageFailure(op, uri)(cause)
}

/** The failure of an exclusive create. */
export const createFailure = (uri: string) => (cause: unknown): AlreadyExists | StorageError =>
  codeOf(cause) === "EEXIST" ? new AlreadyExists({ uri }) : storageFailure("create", uri)(cause)

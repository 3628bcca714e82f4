/**
 * Reports changed files from a storage to the one above it: a cache must not combine bytes of two versions.
 *
 * @module
 */
import * as Context from "effect/Context"
import { StorageError, type StorageOp } from "../errors.ts"

/** Provided to a call by a storage that caches parts of files. */
export interface FileChanges {
  /** Reports that the file has another version than in earlier calls; the call itself reads only the new one. */
  readonly changed: () => void
}

/** The tag of {@link FileChanges}. */
export const FileChanges: Context.Tag<FileChanges, FileChanges> = Context.GenericTag("@tessera/array/FileChanges")

/** The error of a call for a file that changed since an earlier read. */
export const fileChanged = (op: StorageOp, uri: string): StorageError => {
  const cause = new Error("the file changed while it was read; open the array again")
  return new StorageError({ op, uri, reason: "Conflict", cause })
}

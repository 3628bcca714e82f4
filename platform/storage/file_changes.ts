/**
 * Reports a changed file from a storage to the storage above it: a cache must not combine bytes of two versions.
 *
 * @module
 */
import * as Context from "effect/Context"
import { StorageError, type StorageOp } from "../errors.ts"

/** Service that a storage provides to the storage below if it caches parts of files. */
export interface FileChanges {
  /**
   * Reports that the file has another version than in earlier calls. The reporting call reads only the new version.
   */
  readonly changed: () => void
}

/** The tag of {@link FileChanges}. */
export const FileChanges: Context.Tag<FileChanges, FileChanges> = Context.GenericTag("@tessera/array/FileChanges")

/** Returns the error of a call on a file that changed since an earlier read. */
export const fileChanged = (op: StorageOp, uri: string): StorageError => {
  const cause = new Error("the file changed while it was read; open the array again")
  return new StorageError({ op, uri, reason: "Conflict", cause })
}

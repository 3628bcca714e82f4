/**
 * What a storage tells the one above it about files that change: a cache must not put bytes of two versions together.
 *
 * @module
 */
import * as Context from "effect/Context"
import { StorageError, type StorageOp } from "../errors.ts"

/** Provided to a call by a storage that keeps parts of files. */
export interface FileChanges {
  /** The file of the call has another version than in earlier calls; the call itself reads the new one alone. */
  readonly changed: () => void
}

/** The tag of {@link FileChanges}. */
export const FileChanges: Context.Tag<FileChanges, FileChanges> = Context.GenericTag("@tessera/array/FileChanges")

/** The error of a call for a file of which another version was read before. */
export const fileChanged = (op: StorageOp, uri: string): StorageError => {
  const cause = new Error("the file changed while it was read; open the array again")
  return new StorageError({ op, uri, reason: "Conflict", cause })
}

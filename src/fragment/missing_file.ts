/**
 * Missing files of committed fragments. They are damage, unlike a missing array.
 */
import * as Effect from "effect/Effect"
import type { NotFound } from "../../platform/errors.ts"
import { inSession, type ReadSession } from "../../platform/storage/read_session.ts"
import type { Storage } from "../../platform/storage/service.ts"
import { FormatError } from "../../schema/errors/format_error.ts"

/** Returns the error for a fragment whose file at `uri` is missing. */
export const missingFile = (uri: string, version: number): FormatError => {
  const [fragment, file] = uri.split("/").slice(-2)
  const reason =
    `the committed fragment ${fragment} lacks its file ${file}; a concurrent vacuum may have removed it: ` +
    "open the array again; if the file is still missing, restore the fragment"
  return new FormatError({ uri, path: "", offset: 0, version, detail: reason })
}

/**
 * Reads the file at `uri` of a committed fragment, in the session of that fragment. A missing file is damage.
 */
export const readPresent = <A, E, R>(
  uri: string,
  { session, version }: { readonly version: number; readonly session: ReadSession },
  storage: Storage,
  read: Effect.Effect<A, E | NotFound, R>,
): Effect.Effect<A, Exclude<E, NotFound> | FormatError, R> =>
  Effect.catchAll(
    inSession(session, storage, uri, read),
    (error): Effect.Effect<never, Exclude<E, NotFound> | FormatError> =>
      Effect.fail(isNotFound(error) ? missingFile(uri, version) : error as Exclude<E, NotFound>),
  )

const isNotFound = (error: unknown): boolean => (error as { readonly _tag?: unknown } | null)?._tag === "NotFound"

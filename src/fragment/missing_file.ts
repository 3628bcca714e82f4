/**
 * Files of committed fragments that are not there: damage, unlike an array that is not there.
 */
import * as Effect from "effect/Effect"
import type { NotFound } from "../../platform/errors.ts"
import { inSession, type ReadSession } from "../../platform/storage/read_session.ts"
import { FormatError } from "../../schema/errors/format_error.ts"

/** The error of a fragment without its file at `uri`. */
export const missingFile = (uri: string, version: number): FormatError => {
  const [fragment, file] = uri.split("/").slice(-2)
  const reason = `the committed fragment ${fragment} lacks its file ${file}; a vacuum may just have removed it: ` +
    "open the array again, and if it stays away, restore the fragment"
  return new FormatError({ uri, path: "", offset: 0, version, detail: reason })
}

/**
 * Reads the file at `uri` of a committed fragment, in the session of that fragment: that it is not there is damage.
 */
export const readPresent = <A, E, R>(
  uri: string,
  { session, version }: { readonly version: number; readonly session: ReadSession },
  read: Effect.Effect<A, E | NotFound, R>,
): Effect.Effect<A, Exclude<E, NotFound> | FormatError, R> =>
  Effect.catchAll(
    inSession(session, read),
    (error): Effect.Effect<never, Exclude<E, NotFound> | FormatError> =>
      Effect.fail(isNotFound(error) ? missingFile(uri, version) : error as Exclude<E, NotFound>),
  )

const isNotFound = (error: unknown): boolean => (error as { readonly _tag?: unknown } | null)?._tag === "NotFound"

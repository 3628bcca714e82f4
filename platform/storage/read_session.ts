/**
 * Read sessions: reads of one fragment of an open array, with other calls in between. Data read by one call is used by
 * the next, so the file must not change.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { comparesVersions, type Storage } from "./service.ts"

/** All calls of a session read each file in one version, or fail. */
export interface ReadSession {
  /** Whether a file of the session has changed: whoever holds the session loads everything again, in a new one. */
  changed: boolean
}

/** The tag of {@link ReadSession}; calls without one are sessions of their own. */
export const ReadSession: Context.Tag<ReadSession, ReadSession> = Context.GenericTag("@tessera/array/ReadSession")

/** A session in which nothing was read yet. */
export const makeReadSession = (): ReadSession => ({ changed: false })

/** Makes a read of `uri` part of a session, if the storage compares versions. */
export const inSession = <A, E, R>(
  session: ReadSession,
  storage: Storage,
  uri: string,
  read: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  comparesVersions(storage, uri) ? Effect.provideService(read, ReadSession, session) as Effect.Effect<A, E, R> : read

/** The session of a call. */
export const sessionIn = (context: Context.Context<never>): ReadSession | undefined =>
  Option.getOrUndefined(Context.getOption(context, ReadSession))

/**
 * Read sessions: the reads of one fragment of an open array, between other calls. Reads use data from earlier reads, so
 * the files must not change in between.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { comparesVersions, type Storage } from "./service.ts"

/** A read session. All calls of a session read the same version of each file, or fail. */
export interface ReadSession {
  /**
   * Whether a file of the session has changed. The owner of the session must then load everything again, in a new
   * session.
   */
  changed: boolean
}

/** The tag of {@link ReadSession}; a call without a session is independent of all other calls. */
export const ReadSession: Context.Tag<ReadSession, ReadSession> = Context.GenericTag("@tessera/array/ReadSession")

/** Returns a new session. */
export const makeReadSession = (): ReadSession => ({ changed: false })

/** Makes a read of `uri` part of a session, if the storage compares versions. */
export const inSession = <A, E, R>(
  session: ReadSession,
  storage: Storage,
  uri: string,
  read: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  comparesVersions(storage, uri) ? Effect.provideService(read, ReadSession, session) as Effect.Effect<A, E, R> : read

/** Returns the session of a call; `undefined` if the call is not part of one. */
export const sessionIn = (context: Context.Context<never>): ReadSession | undefined =>
  Option.getOrUndefined(Context.getOption(context, ReadSession))

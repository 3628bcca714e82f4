/**
 * Determines which origins receive the headers of the program: credentials for one server must not be sent to another
 * one.
 *
 * @module
 */
import { invalidOption } from "../../errors.ts"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"

/** Headers of a request. */
export type RequestHeaders = Readonly<Record<string, string>>

/** Returns the origin (scheme, host and port) of an http or https URL; `undefined` for anything else. */
export const originOf = (url: string | URL): string | undefined => {
  try {
    const { protocol, origin } = new URL(url)
    return protocol === "http:" || protocol === "https:" ? origin : undefined
  } catch {
    return undefined
  }
}

/** Returns the origin of the page that runs this code; `undefined` outside of browsers. */
export const pageOrigin = (): string | undefined => {
  const origin = (globalThis as { readonly location?: { readonly origin?: string } }).location?.origin
  return origin === undefined || origin === "null" ? undefined : origin
}

/** Whether the current operation opens a URI from a group. */
const isFollowing: FiberRef.FiberRef<boolean> = FiberRef.unsafeMake(false)

/**
 * Runs an operation that opens a URI from a group rather than from the program. Without the option `origin`, it does
 * not bind the headers to an origin, since the author of the group would choose which server receives them.
 */
export const following = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(operation, isFollowing, true)

/** Headers and the origins that receive them. */
export interface BoundHeaders {
  /** Returns the headers for a request to this URL; `undefined` if the origin does not receive any. */
  readonly headersFor: (url: string) => RequestHeaders | undefined
  /** Binds the headers to the origin of this URL, unless they are already bound or the URL comes from a group. */
  readonly bind: (url: string) => Effect.Effect<void>
}

/**
 * Binds headers to the origins in `origin`, or without `origin` to the first origin that {@link BoundHeaders.bind} is
 * called with. Throws a TypeError if an entry of `origin` is not an http or https URL; the message does not quote it,
 * since a URL can contain a signature.
 */
export const bindHeaders = (
  headers: RequestHeaders = {},
  origin?: string | URL | ReadonlyArray<string | URL>,
): BoundHeaders => {
  // header names in lower case, so that a header of the request itself replaces one of these
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (Object.keys(named).length === 0) return { headersFor: () => undefined, bind: () => Effect.void }
  const input = origin === undefined || origin instanceof URL || typeof origin === "string" ? [origin] : origin
  const origins = new Set<string>()
  for (const each of input) {
    if (each === undefined) continue
    const parsed = originOf(each)
    if (parsed === undefined) throw invalidOption("", "origin", "expected http:// or https:// URLs")
    origins.add(parsed)
  }
  let bound = origin !== undefined
  return {
    headersFor: (url) => origins.has(originOf(url) ?? "") ? named : undefined,
    bind: (url) =>
      Effect.map(FiberRef.get(isFollowing), (followed) => {
        const first = bound || followed ? undefined : originOf(url)
        if (first === undefined) return
        origins.add(first)
        bound = true
      }),
  }
}

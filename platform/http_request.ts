/**
 * One request and its answer: sent, waited for no longer than agreed, read no further than needed, and given up when
 * nobody waits any more.
 *
 * @module
 */
import type { HttpClient } from "@effect/platform/HttpClient"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { withoutHeaders } from "../errors/safe_fields.ts"
import { StorageError } from "./errors.ts"
import { cutBody, transportFailure } from "./http_failure.ts"

/** How to ask a web server. */
export interface HttpOptions {
  /** Headers of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long an answer may take to begin, and each 8 MiB of it to arrive. Default: 30 seconds. */
  readonly timeout?: Duration.DurationInput
}

/** What is asked for. */
export interface HttpRequest {
  /** The storage call that asks, for messages. */
  readonly op: string
  /** The URI of that call. */
  readonly uri: string
  readonly method: "GET" | "HEAD"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer whose body is still to come. */
export interface HttpAnswer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** Bytes in the body, if a header tells, and they come as they are stored. */
  readonly length: number | undefined
  /** The body up to `most` bytes; what is longer is cut there, and the connection given up. */
  readonly body: (most: number) => Effect.Effect<Uint8Array, StorageError>
  /** Gives up the body. */
  readonly discard: Effect.Effect<void>
}

/** Sends a request. */
export type Send = (request: HttpRequest) => Effect.Effect<HttpAnswer, StorageError>

const TIMEOUT = Duration.seconds(30)

/** So many bytes of a body get the time that the beginning of an answer gets. */
const TIMED = 8 << 20

/** A body that is not wanted is read this far, and no longer than this, before the connection is given up. */
const SHORT = 1 << 14
const PATIENCE = Duration.millis(200)

/** The number in a Content-Length header. */
const lengthOf = (response: HttpClientResponse): number | undefined => {
  const { "content-length": length, "content-encoding": encoding } = response.headers
  // what is compressed on its way has another length there
  if (encoding !== undefined && encoding !== "identity") return undefined
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Bytes as they come, in a buffer that grows with them: what a header promises costs no memory. */
const gather = (
  stream: Stream.Stream<Uint8Array, unknown>,
  most: number,
): Effect.Effect<Uint8Array, unknown> =>
  Effect.suspend(() => {
    let bytes = new Uint8Array(Math.min(most, 1 << 16))
    let have = 0
    const take = (piece: Uint8Array): boolean => {
      const part = piece.length > most - have ? piece.subarray(0, most - have) : piece
      if (have + part.length > bytes.length) {
        const grown = new Uint8Array(Math.min(most, Math.max(2 * bytes.length, have + part.length)))
        grown.set(bytes.subarray(0, have))
        bytes = grown
      }
      bytes.set(part, have)
      have += part.length
      return have < most
    }
    return Effect.map(
      unlogged(Stream.runForEachWhile(stream, (piece) => Effect.sync(() => take(piece)))),
      () => have === bytes.length ? bytes : bytes.slice(0, have),
    )
  })

/** Effect logs how the fibers of a stream fail, and the errors of the client contain the URL with its query. */
const unlogged = Effect.withUnhandledErrorLogLevel(Option.none())

/** Only what failed first: closing a broken body fails too. */
const firstFailure = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.catchAllCause(effect, (cause) => {
    const failure = Cause.failureOption(cause)
    return failure._tag === "Some" ? Effect.fail(failure.value) : Effect.failCause(cause)
  })

/** What the runtime said. */
const causeOf = (error: unknown): unknown => (error as { readonly cause?: unknown } | null)?.cause ?? error

/** Requests over a client. */
export const makeSend = (client: HttpClient, options: HttpOptions = {}): Send => {
  const timeout = Duration.decode(options.timeout ?? TIMEOUT)
  const inTime = <A, E>(
    { op, uri }: HttpRequest,
    what: string,
    parts: number,
    effect: Effect.Effect<A, E>,
  ): Effect.Effect<A, E | StorageError> => {
    const duration = Duration.times(timeout, parts)
    const late = (): StorageError => {
      const cause = new Error(`${what} took longer than ${Duration.format(duration)}`)
      return new StorageError({ op, uri, reason: "Timeout", cause })
    }
    return Effect.timeoutFail(effect, { duration, onTimeout: late })
  }

  const answerOf = (request: HttpRequest, response: HttpClientResponse): HttpAnswer => {
    const length = lengthOf(response)
    let unread = true
    return {
      status: response.status,
      header: (name) => response.headers[name],
      length,
      body: (most) => {
        unread = false
        const bytes = length === 0
          ? Effect.succeed(new Uint8Array())
          // the length in the header is then also where the connection ends
          : length !== undefined && length <= most
          ? Effect.map(response.arrayBuffer, (buffer) => new Uint8Array(buffer))
          : firstFailure(gather(response.stream, most))
        const parts = Math.max(1, Math.ceil(Math.min(most, length ?? most) / TIMED))
        return inTime(
          request,
          "the body",
          parts,
          Effect.mapError(bytes, (error) => cutBody(request.op, request.uri, causeOf(error))),
        )
      },
      discard: Effect.suspend(() => {
        if (!unread) return Effect.void
        unread = false
        return discard(response)
      }),
    }
  }

  return (request) => {
    const { op, uri, method, url } = request
    const headers = { "accept-encoding": "identity", ...options.headers, ...request.headers }
    const sent = method === "GET" ? client.get(url, { headers }) : client.head(url, { headers })
    return Effect.map(
      inTime(
        request,
        "the answer",
        1,
        Effect.mapError(
          sent,
          (error) => transportFailure(op, uri, url, withoutHeaders(causeOf(error), options.headers)),
        ),
      ),
      (response) => answerOf(request, response),
    )
  }
}

/** A body that is not wanted: read to its end if that is near, so that the connection is of further use, or else ended. */
const discard = (response: HttpClientResponse): Effect.Effect<void> =>
  // ignored inside of the timeout too: the runtime logs how the fiber that it starts ends, with the URL
  gather(response.stream, SHORT).pipe(firstFailure, Effect.ignore, Effect.timeout(PATIENCE), Effect.ignore)

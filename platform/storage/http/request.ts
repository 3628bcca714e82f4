/**
 * One request and its response: sent, limited in time, read no further than needed, and cancelled when its caller is
 * interrupted.
 *
 * @module
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { currentTracerDisabledWhen, type HttpClient } from "@effect/platform/HttpClient"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { withoutHeaders } from "../../../schema/errors/safe_fields.ts"
import { StorageError, type StorageOp } from "../../errors.ts"
import { cutBody, transportFailure } from "./errors.ts"
import { bindHeaders, type BoundHeaders, type RequestHeaders } from "./origin.ts"
import { isRedirect, MAX_REDIRECTS, redirectTarget } from "./redirect.ts"

/** Options of HTTP storage. */
export interface HttpOptions {
  /**
   * Headers such as `authorization`. They are sent to the origins in `origin` and to no other one: neither to group members
   * on other servers nor to the target of a redirect to another origin.
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The origins that receive `headers`: URLs whose scheme, host and port count (`https://data.example`). Default: the
   * origin of the first URI that a program passes in. Origins that only a group names receive no headers: set this
   * option for them, and wherever a program opens URIs that it did not choose.
   */
  readonly origin?: string | URL | ReadonlyArray<string | URL>
  /** Time limit for the start of a response, and for each 8 MiB of its body. Default: 30 seconds. */
  readonly timeout?: Duration.DurationInput
}

/** A request. */
export interface HttpRequest {
  /** The storage call that asks, for messages. */
  readonly op: StorageOp
  /** The URI of that call. */
  readonly uri: string
  readonly method: "GET" | "HEAD"
  readonly url: string
  readonly headers?: RequestHeaders
  /** Headers by which the server refuses another version of the file. */
  readonly preconditions?: RequestHeaders
}

/** An answer whose body is still to come. */
export interface HttpAnswer {
  /** The URL that the answer is from, after redirects. */
  readonly url: string
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** Bytes in the body, if a header tells, and they come as they are stored. */
  readonly length: number | undefined
  /** The body up to `most` bytes; what is longer is cut there, and the connection given up. */
  readonly body: (max: number) => Effect.Effect<Uint8Array, StorageError>
  /** Gives up the body. */
  readonly discard: Effect.Effect<void>
}

/** Sends a request. */
export type Send = (request: HttpRequest) => Effect.Effect<HttpAnswer, StorageError>

const TIMEOUT = Duration.seconds(30)

/** Part of a body that has the time limit of a response's start, in bytes. */
const TIMED = 8 << 20

/** An unneeded body is read up to this size and for this time before the connection is closed. */
const SHORT = 1 << 14
const PATIENCE = Duration.millis(200)

/** The number in a Content-Length header. */
const lengthOf = (response: HttpClientResponse): number | undefined => {
  const { "content-length": length, "content-encoding": encoding } = response.headers
  // what is compressed on its way has another length there
  if (encoding !== undefined && encoding !== "identity") return undefined
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Whether the server compressed the file although the request specified identity encoding. */
const isCompressed = ({ status, headers }: HttpClientResponse): boolean => {
  const encoding = headers["content-encoding"] ?? "identity"
  // Deno decodes no answer to a request that names encodings; all others do, and keep the header
  return "Deno" in globalThis && status === 200 && encoding !== "" && encoding.toLowerCase() !== "identity"
}

/**
 * Bytes as they come, in a buffer that grows with them: the length in a header is believed when an eighth of it is there,
 * so that a promise alone costs no memory, and a large body is not copied again and again.
 */
const gather = (
  stream: Stream.Stream<Uint8Array, unknown>,
  max: number,
  length: number | undefined,
  onBytes: (bytes: number) => void = () => {},
): Effect.Effect<Uint8Array, unknown> =>
  Effect.suspend(() => {
    let bytes = new Uint8Array(Math.min(max, 1 << 16))
    let have = 0
    const take = (piece: Uint8Array): boolean => {
      const part = piece.length > max - have ? piece.subarray(0, max - have) : piece
      if (have + part.length > bytes.length) {
        const need = have + part.length
        const size = length !== undefined && length >= need && length <= 8 * need ? length : 2 * bytes.length
        const grown = new Uint8Array(Math.min(max, Math.max(size, need)))
        grown.set(bytes.subarray(0, have))
        bytes = grown
      }
      bytes.set(part, have)
      have += part.length
      onBytes(have)
      return have < max
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
    subject: string,
    effect: Effect.Effect<A, E>,
  ): Effect.Effect<A, E | StorageError> => {
    return Effect.timeoutFail(effect, { duration: timeout, onTimeout: () => late(op, uri, subject) })
  }
  const late = (op: StorageOp, uri: string, subject: string): StorageError => {
    const cause = new Error(`${subject} took longer than ${Duration.format(timeout)}`)
    return new StorageError({ op, uri, reason: "Timeout", cause })
  }

  /** Limits the time for each 8 MiB of a body: a server that declares a huge body and sends nothing is not awaited. */
  const withProgress = <A, E>(
    { op, uri }: HttpRequest,
    read: (onBytes: (bytes: number) => void) => Effect.Effect<A, E>,
  ): Effect.Effect<A, E | StorageError> =>
    Effect.suspend(() => {
      let have = 0
      const watch: Effect.Effect<never, StorageError> = Effect.suspend(() => {
        const before = have
        return Effect.flatMap(
          Effect.sleep(timeout),
          () => have - before < TIMED ? Effect.fail(late(op, uri, "a part of the body")) : watch,
        )
      })
      return Effect.raceFirst(read((bytes) => have = bytes), watch)
    })

  const answerOf = (request: HttpRequest, url: string, response: HttpClientResponse): HttpAnswer => {
    const length = lengthOf(response)
    let unread = true
    return {
      url,
      status: response.status,
      header: (name) => response.headers[name],
      length,
      body: (max) => {
        unread = false
        const cut = <A>(bytes: Effect.Effect<A, unknown>) =>
          Effect.mapError(bytes, (error) => cutBody(request.op, request.uri, url, causeOf(error)))
        if (length === 0) return Effect.succeed(new Uint8Array())
        if (isCompressed(response)) {
          const cause = new Error(
            "the server compressed the file in spite of accept-encoding: identity",
          )
          return Effect.zipRight(
            discard(response),
            Effect.fail(new StorageError({ op: request.op, uri: request.uri, reason: "Unsupported", cause })),
          )
        }
        if (Math.min(max, length ?? max) > TIMED) {
          return withProgress(request, (onBytes) => cut(firstFailure(gather(response.stream, max, length, onBytes))))
        }
        // the length in the header is then also where the connection ends
        const bytes = length !== undefined && length <= max
          ? Effect.map(response.arrayBuffer, (buffer) => new Uint8Array(buffer))
          : firstFailure(gather(response.stream, max, length))
        return inTime(request, "the body", cut(bytes))
      },
      discard: Effect.suspend(() => {
        if (!unread) return Effect.void
        unread = false
        return discard(response)
      }),
    }
  }

  let bound: BoundHeaders | { readonly cause: unknown }
  try {
    bound = bindHeaders(options.headers, options.origin)
  } catch (cause) {
    bound = { cause }
  }
  /** Browsers do not show where a redirect leads: known after the first one. */
  let hidesRedirects = false

  const ask = (request: HttpRequest, url: string, own: RequestHeaders | undefined, follow: boolean) => {
    const { op, uri, method } = request
    const headers = {
      "accept-encoding": "identity",
      ...own,
      ...request.headers,
      // a server that the browser is redirected to would have to permit them
      ...(follow ? undefined : request.preconditions),
    }
    const sent = method === "GET" ? client.get(url, { headers }) : client.head(url, { headers })
    return withRedirects(follow ? "follow" : "manual", sent).pipe(
      // the client's spans would contain URLs with queries, and headers
      Effect.locally(currentTracerDisabledWhen, () => true),
      Effect.mapError((error) => transportFailure(op, uri, url, withoutHeaders(causeOf(error), own))),
    )
  }

  /** Sends a request and follows its redirects. */
  const answered = (
    request: HttpRequest,
    { headersFor, bind }: BoundHeaders,
  ): Effect.Effect<HttpAnswer, StorageError> =>
    Effect.gen(function* () {
      const { op, uri } = request
      const refuse = (reason: StorageError["reason"], message: string) =>
        Effect.fail(new StorageError({ op, uri, reason, cause: new Error(message) }))
      let url = request.url
      yield* bind(url)
      const visited = new Set<string>()
      while (true) {
        if (visited.has(url) || visited.size > MAX_REDIRECTS) {
          const how = visited.has(url) ? "back to an earlier URL" : `more than ${MAX_REDIRECTS} times`
          return yield* refuse("Unknown", `the server redirects without end: ${how}`)
        }
        visited.add(url)
        const own = headersFor(url)
        // without headers of the program the browser may follow by itself, as there is nothing to keep from others
        let response = yield* ask(request, url, own, hidesRedirects && own === undefined)
        if (response.status === 0) {
          // an "opaqueredirect" response: not followed, and without a Location header
          hidesRedirects = true
          if (own !== undefined) {
            const message =
              "the server redirects, and the browser hides whether the target is an origin that may receive " +
              "the option `headers`; use the URL that it redirects to"
            return yield* refuse("Denied", message)
          }
          response = yield* ask(request, url, own, true)
        }
        if (!isRedirect(response.status)) return answerOf(request, url, response)
        yield* discard(response)
        const { status, headers } = response
        const from = url
        url = yield* Effect.try({
          try: () => redirectTarget(op, uri, request.url, from, status, headers["location"]),
          catch: (error) => error as StorageError,
        })
      }
    })

  return (request) =>
    Effect.suspend(() => {
      const { op, uri } = request
      if ("cause" in bound) return Effect.fail(new StorageError({ op, uri, reason: "Unknown", cause: bound.cause }))
      return inTime(request, "the answer", answered(request, bound))
    })
}

/** Sends a request with this redirect mode of `fetch`; other clients follow no redirects by default. */
const withRedirects = <A, E>(redirect: "manual" | "follow", sent: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.serviceOption(FetchHttpClient.RequestInit),
    (init) =>
      Effect.provideService(sent, FetchHttpClient.RequestInit, {
        ...(init._tag === "Some" ? init.value : undefined),
        redirect,
      }),
  )

/** Discards a body: reads a short rest so that the connection can be reused, or closes the connection. */
const discard = (response: HttpClientResponse): Effect.Effect<void> =>
  // ignored inside of the timeout too: the runtime logs how the fiber that it starts ends, with the URL
  gather(response.stream, SHORT, undefined).pipe(firstFailure, Effect.ignore, Effect.timeout(PATIENCE), Effect.ignore)

/**
 * Sends a request and reads its response: with a time limit, no further than needed, and cancelled when the caller is
 * interrupted.
 *
 * @module
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { currentTracerDisabledWhen, type HttpClient } from "@effect/platform/HttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { withoutHeaders } from "../../../schema/errors/safe_fields.ts"
import { StorageError, type StorageOp } from "../../errors.ts"
import { bodyFailure, transportFailure } from "./errors.ts"
import { bindHeaders, type BoundHeaders, type RequestHeaders } from "./origin.ts"
import { isRedirect, MAX_REDIRECTS, redirectTarget } from "./redirect.ts"

/** Options of HTTP storage. */
export interface HttpOptions {
  /**
   * Headers such as `authorization`. They are sent only to the origins in `origin`: neither to group members on other
   * servers nor to the target of a redirect to another origin.
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The origins that receive `headers`, as URLs (`https://data.example`); only scheme, host and port are compared.
   * Default: the origin of the first URI that the program passes in. Origins that only a group refers to receive no
   * headers: set this option for them, and wherever a program opens URIs that it did not choose.
   */
  readonly origin?: string | URL | ReadonlyArray<string | URL>
  /** Time limit for the start of a response, and for each 8 MiB of its body. Default: 30 seconds. */
  readonly timeout?: Duration.DurationInput
}

/** A request. */
export interface HttpRequest {
  /** The storage call that sends the request, for error messages. */
  readonly op: StorageOp
  /** The URI of that call. */
  readonly uri: string
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE"
  readonly url: string
  readonly headers?: RequestHeaders
  /** The body of a PUT or POST. */
  readonly body?: Uint8Array
  /** Headers that make the server reject the request if the file has another version. */
  readonly preconditions?: RequestHeaders
}

/** A response whose body has not been read yet. */
export interface HttpResponse {
  /** URL of the response, after redirects. */
  readonly url: string
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** Length of the body in bytes; `undefined` if no header contains it, or if the body is compressed. */
  readonly length: number | undefined
  /** Reads up to `max` bytes of the body; if it is longer, the rest is discarded and the connection closed. */
  readonly body: (max: number) => Effect.Effect<Uint8Array, StorageError>
  /** Discards the body. */
  readonly discard: Effect.Effect<void>
}

/** Sends a request. */
export type Send = (request: HttpRequest) => Effect.Effect<HttpResponse, StorageError>

const DEFAULT_TIMEOUT = Duration.seconds(30)

/** Bytes of a body that must arrive within the time limit. */
const TIMED_CHUNK_SIZE = 8 << 20

/** Before the connection is closed, an unneeded body is read up to this size and for this time. */
const MAX_DISCARDED_SIZE = 1 << 14
const DISCARD_TIMEOUT = Duration.millis(200)

/** Returns the length in the Content-Length header. */
const lengthOf = (response: HttpClientResponse): number | undefined => {
  const { "content-length": length, "content-encoding": encoding } = response.headers
  // of a compressed body, the header contains the compressed length
  if (encoding !== undefined && encoding !== "identity") return undefined
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Whether the server compressed the file although the request specified identity encoding. */
const isCompressed = ({ status, headers }: HttpClientResponse): boolean => {
  const encoding = headers["content-encoding"] ?? "identity"
  // Deno does not decode responses to requests with an accept-encoding header; other runtimes do, and keep the
  // content-encoding header
  return "Deno" in globalThis && status === 200 && encoding !== "" && encoding.toLowerCase() !== "identity"
}

/**
 * Collects bytes in a growing buffer. The length in a header is trusted only after an eighth of it has arrived, so that
 * a false length does not allocate memory, and a large body is not copied repeatedly.
 */
const collect = (
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

/** Disables Effect's log of failed stream fibers: the client's errors contain the URL with its query. */
const unlogged = Effect.withUnhandledErrorLogLevel(Option.none())

/** Fails with the first failure only: closing a broken body fails as well. */
const firstFailure = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.catchAllCause(effect, (cause) => {
    const failure = Cause.failureOption(cause)
    return failure._tag === "Some" ? Effect.fail(failure.value) : Effect.failCause(cause)
  })

/** Returns the runtime's error, which the client's error wraps. */
const causeOf = (error: unknown): unknown => (error as { readonly cause?: unknown } | null)?.cause ?? error

/** Returns the headers that can contain credentials. */
const credentialsIn = (headers: RequestHeaders = {}): RequestHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /authorization|token|key|signature/i.test(name)))

/** Sends single requests, and reads their responses. */
interface Exchange {
  /** Sends a request to `url`, with headers of the program; `follow` lets a browser follow redirects. */
  readonly ask: (
    request: HttpRequest,
    url: string,
    own: RequestHeaders | undefined,
    follow: boolean,
  ) => Effect.Effect<HttpClientResponse, StorageError>
  readonly toResponse: (request: HttpRequest, url: string, response: HttpClientResponse) => HttpResponse
  /** Limits the time until the response starts. */
  readonly untilResponse: <A, E>(
    request: HttpRequest,
    effect: Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | StorageError>
}

const makeExchange = (client: HttpClient, limit: Duration.DurationInput | undefined): Exchange => {
  const timeout = Duration.decode(limit ?? DEFAULT_TIMEOUT)
  const inTime = <A, E>(
    { op, uri }: HttpRequest,
    subject: string,
    effect: Effect.Effect<A, E>,
    duration: Duration.Duration = timeout,
  ): Effect.Effect<A, E | StorageError> =>
    Effect.timeoutFail(effect, { duration, onTimeout: () => late(op, uri, subject, duration) })
  const late = (op: StorageOp, uri: string, subject: string, duration: Duration.Duration): StorageError => {
    const cause = new Error(`${subject} took longer than ${Duration.format(duration)}`)
    return new StorageError({ op, uri, reason: "Timeout", cause })
  }

  /**
   * Limits the time for each 8 MiB of a body, so that a server that declares a huge body and sends nothing causes a
   * timeout.
   */
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
          () => have - before < TIMED_CHUNK_SIZE ? Effect.fail(late(op, uri, "part of the body", timeout)) : watch,
        )
      })
      return Effect.raceFirst(read((bytes) => have = bytes), watch)
    })

  const toResponse = (request: HttpRequest, url: string, response: HttpClientResponse): HttpResponse => {
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
          Effect.mapError(bytes, (error) => bodyFailure(request.op, request.uri, url, causeOf(error)))
        if (length === 0) return Effect.succeed(new Uint8Array())
        if (isCompressed(response)) {
          const cause = new Error(
            "the server compressed the file despite accept-encoding: identity",
          )
          return Effect.zipRight(
            discard(response),
            Effect.fail(new StorageError({ op: request.op, uri: request.uri, reason: "Unsupported", cause })),
          )
        }
        if (Math.min(max, length ?? max) > TIMED_CHUNK_SIZE) {
          return withProgress(request, (onBytes) => cut(firstFailure(collect(response.stream, max, length, onBytes))))
        }
        // in this case the header also limits how many bytes are received
        const bytes = length !== undefined && length <= max
          ? Effect.map(response.arrayBuffer, (buffer) => new Uint8Array(buffer))
          : firstFailure(collect(response.stream, max, length))
        return inTime(request, "the body", cut(bytes))
      },
      discard: Effect.suspend(() => {
        if (!unread) return Effect.void
        unread = false
        return discard(response)
      }),
    }
  }

  const ask: Exchange["ask"] = (request, url, own, follow) => {
    const { op, uri, method, body } = request
    const headers = {
      "accept-encoding": "identity",
      ...own,
      ...request.headers,
      // the target of a redirect that the browser follows would have to allow these headers
      ...(follow ? undefined : request.preconditions),
    }
    const built = HttpClientRequest.make(method)(url, {
      headers,
      ...(body === undefined ? {} : { body: HttpBody.uint8Array(body) }),
    })
    return withRedirects(follow ? "follow" : "manual", client.execute(built)).pipe(
      // the client's spans would contain URLs with queries, and headers
      Effect.locally(currentTracerDisabledWhen, () => true),
      Effect.mapError((error) =>
        transportFailure(op, uri, url, withoutHeaders(causeOf(error), { ...own, ...credentialsIn(request.headers) }))
      ),
    )
  }

  const untilResponse: Exchange["untilResponse"] = (request, effect) => {
    // the response starts after the body of the request was sent
    const chunks = 1 + Math.floor((request.body?.length ?? 0) / TIMED_CHUNK_SIZE)
    return inTime(request, "the response", effect, Duration.times(timeout, chunks))
  }

  return { ask, toResponse, untilResponse }
}

/**
 * Creates a function that sends each request once, without following redirects and without headers of the program: the
 * caller adds the headers of each request. `timeout` is as in {@link HttpOptions}.
 */
export const makeSendOnce = (client: HttpClient, timeout?: Duration.DurationInput): Send => {
  const { ask, toResponse, untilResponse } = makeExchange(client, timeout)
  return (request) =>
    untilResponse(
      request,
      Effect.map(ask(request, request.url, undefined, false), (response) => toResponse(request, request.url, response)),
    )
}

/** Creates a function that sends requests through `client` and follows redirects. */
export const makeSend = (client: HttpClient, options: HttpOptions = {}): Send => {
  const { ask, toResponse, untilResponse } = makeExchange(client, options.timeout)
  let bound: BoundHeaders | { readonly cause: unknown }
  try {
    bound = bindHeaders(options.headers, options.origin)
  } catch (cause) {
    bound = { cause }
  }
  /** Whether the client hides redirect targets, as browsers do; set by the first redirect. */
  let hidesRedirects = false

  /** Sends a request and follows its redirects. */
  const sendFollowingRedirects = (
    request: HttpRequest,
    { headersFor, bind }: BoundHeaders,
  ): Effect.Effect<HttpResponse, StorageError> =>
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
          return yield* refuse("Unknown", `the server redirects endlessly: ${how}`)
        }
        visited.add(url)
        const own = headersFor(url)
        // without headers of the program, the browser may follow redirects itself: there is nothing to hide from other
        // origins
        let response = yield* ask(request, url, own, hidesRedirects && own === undefined)
        if (response.status === 0) {
          // an "opaqueredirect" response, which was not followed and has no Location header
          hidesRedirects = true
          if (own !== undefined) {
            const message =
              "the server redirects, and the browser hides whether the target is an origin that may receive " +
              "the option `headers`; use the URL that it redirects to"
            return yield* refuse("Denied", message)
          }
          response = yield* ask(request, url, own, true)
        }
        if (!isRedirect(response.status)) return toResponse(request, url, response)
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
      return untilResponse(request, sendFollowingRedirects(request, bound))
    })
}

/** Sends a request with this redirect mode of `fetch`; other clients do not follow redirects by default. */
const withRedirects = <A, E>(redirect: "manual" | "follow", sent: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.serviceOption(FetchHttpClient.RequestInit),
    (init) =>
      Effect.provideService(sent, FetchHttpClient.RequestInit, {
        ...(init._tag === "Some" ? init.value : undefined),
        redirect,
      }),
  )

/** Discards a body: reads a short remainder so that the connection can be reused, or closes the connection. */
const discard = (response: HttpClientResponse): Effect.Effect<void> =>
  // errors are also ignored inside the timeout: the runtime would log the failure of the timeout's fiber, with the URL
  collect(response.stream, MAX_DISCARDED_SIZE, undefined).pipe(
    firstFailure,
    Effect.ignore,
    Effect.timeout(DISCARD_TIMEOUT),
    Effect.ignore,
  )

/**
 * Sends signed requests to S3: finds the region of a bucket, corrects for the clock, and loads new credentials when the
 * server rejects expired ones.
 *
 * @module
 */
import { AwsV4Signer } from "aws4fetch"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { StorageError, type StorageOp } from "../../errors.ts"
import type { HttpRequest, HttpResponse, Send } from "../http/request.ts"
import type { AwsCredentials, AwsKeys } from "./credentials.ts"
import { type ErrorDocument, isRegion, readErrorDocument, s3Failure } from "./failure.ts"
import { makeEndpoint } from "./location.ts"
import { customerKeyOf, type S3Options } from "./options.ts"

/** Maximum size of an error document, in bytes. */
const MAX_ERROR_SIZE = 1 << 16

/** Region of requests to buckets whose region is not known. */
const DEFAULT_REGION = "us-east-1"

/** Maximum number of buckets whose regions are remembered. */
const MAX_BUCKETS = 1000

/** Minimum difference between the clocks that is corrected, in milliseconds. */
const MIN_SKEW = 60_000

/** Statuses that the reading functions handle themselves. */
const handled = new Set([200, 201, 202, 204, 206, 304, 412, 416])

/** Codes of responses with status 404 that mean that the object does not exist. */
const missing = new Set(["NoSuchKey", "NoSuchVersion", "NoSuchUpload", "NotFound"])

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** SHA-256 of an empty body. */
const EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/** Returns the SHA-256 of a body as bytes. */
export const sha256 = (body: Uint8Array): Promise<ArrayBuffer> => crypto.subtle.digest("SHA-256", body as BufferSource)

const md5Of = async (bytes: Uint8Array): Promise<string> => {
  const { md5 } = await import("@noble/hashes/legacy.js")
  return base64(md5(bytes))
}

/** Returns bytes in base64. */
export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Returns the MD5 of a body in base64, for the Content-MD5 header. */
export const contentMd5 = (body: Uint8Array): Effect.Effect<string> => Effect.promise(() => md5Of(body))

/** Returns the headers of the program's own encryption key, which every request for an encrypted object needs. */
const customerKeyHeaders = async (options: S3Options, prefix: string): Promise<Record<string, string>> => {
  const key = options.encryption === undefined ? undefined : customerKeyOf(options.encryption)
  if (key === undefined) return {}
  return {
    [`${prefix}-algorithm`]: "AES256",
    [`${prefix}-key`]: key,
    [`${prefix}-key-md5`]: await md5Of(Uint8Array.from(atob(key), (char) => char.charCodeAt(0))),
  }
}

/** How requests are sent. */
export interface S3Send {
  /**
   * Sends a request for an object whose URL `objectUrl` returned, with a query if needed. Fails for all statuses except
   * success, 304, 404 (of a key), 412 and 416.
   */
  readonly send: Send
  /** Headers of requests that name a source which is encrypted with the program's own key. */
  readonly sourceKeyHeaders: Effect.Effect<Record<string, string>>
}

/** Creates the function that sends requests; `sendOnce` sends a request as it is. */
export const makeS3Send = (sendOnce: Send, credentials: AwsCredentials, options: S3Options): S3Send => {
  const urlOf = makeEndpoint(options)
  const regions = new Map<string, string>()
  const signingKeys = new Map<string, ArrayBuffer>()
  let customerKey: Promise<Record<string, string>> | undefined
  let clockOffset = 0

  const bucketOf = (url: string): string => /^s3:\/\/([^/?]*)/.exec(url)![1]
  const regionOf = (bucket: string): string => regions.get(bucket) ?? options.region ?? DEFAULT_REGION
  const fail = (op: StorageOp, uri: string, reason: StorageError["reason"], cause: unknown) =>
    new StorageError({ op, uri, reason, cause })

  const signed = async (
    request: HttpRequest,
    url: string,
    region: string,
    keys: AwsKeys | undefined,
    now: number,
  ): Promise<Record<string, string>> => {
    customerKey ??= customerKeyHeaders(options, "x-amz-server-side-encryption-customer")
    // requests for the bucket have no object that is encrypted
    const isObject = /^s3:\/\/[^/?]*\/[^?]/.test(request.url)
    const headers: Record<string, string> = {
      ...(options.requesterPays ? { "x-amz-request-payer": "requester" } : {}),
      ...(isObject && request.method !== "DELETE" ? await customerKey : {}),
      ...request.headers,
      ...request.preconditions,
    }
    if (keys === undefined) return headers
    const { body } = request
    headers["x-amz-content-sha256"] = body === undefined || body.length === 0 ? EMPTY_HASH : hex(await sha256(body))
    const signer = new AwsV4Signer({
      method: request.method,
      url,
      headers,
      accessKeyId: keys.accessKeyId,
      secretAccessKey: Redacted.value(keys.secretAccessKey),
      sessionToken: keys.sessionToken === undefined ? undefined : Redacted.value(keys.sessionToken),
      service: "s3",
      region,
      cache: signingKeys,
      datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
    })
    const result = await signer.sign()
    // one entry a day and a key
    if (signingKeys.size > MAX_BUCKETS) signingKeys.clear()
    return Object.fromEntries(result.headers as Headers)
  }

  /** Reads the error document of a response. */
  const errorOf = (response: HttpResponse): Effect.Effect<ErrorDocument> =>
    Effect.matchEffect(response.body(MAX_ERROR_SIZE), {
      onFailure: () => Effect.succeed({ code: undefined, region: undefined }),
      onSuccess: (bytes) => Effect.succeed(readErrorDocument(bytes)),
    })

  /** Remembers the difference between the server's clock and this one; returns whether it changed much. */
  const correctClock = (response: HttpResponse, now: number): boolean => {
    const server = Date.parse(response.header("date") ?? "")
    if (Number.isNaN(server) || Math.abs(server - now) < MIN_SKEW) return false
    clockOffset += server - now
    return true
  }

  const rememberRegion = (bucket: string, region: string): void => {
    if (regions.size >= MAX_BUCKETS) regions.clear()
    regions.set(bucket, region)
  }

  /** Sends a request; `repeats` lists the corrections that were made already. */
  const attempt = (
    request: HttpRequest,
    repeats: ReadonlySet<string>,
  ): Effect.Effect<HttpResponse, StorageError> =>
    Effect.gen(function* () {
      const { op, uri } = request
      const bucket = bucketOf(request.url)
      const region = regionOf(bucket)
      const url = urlOf(request.url, region)
      const keys = yield* Effect.mapError(credentials.keys, (cause) => fail(op, uri, "Denied", cause))
      const now = (yield* Clock.currentTimeMillis) + clockOffset
      const headers = yield* Effect.tryPromise({
        try: () => signed(request, url, region, keys, now),
        catch: () => fail(op, uri, "Unknown", new Error("the request cannot be signed: check the form of the keys")),
      })
      const response = yield* sendOnce({ ...request, url, headers, preconditions: undefined })
      if (handled.has(response.status)) return response
      const hint = response.header("x-amz-bucket-region")
      const { code, region: named } = yield* errorOf(response)
      yield* response.discard
      const again = (reason: string) => attempt(request, new Set([...repeats, reason]))
      const other = hint !== undefined && isRegion(hint) ? hint : named
      if (other !== undefined && other !== region && !repeats.has("region")) {
        rememberRegion(bucket, other)
        return yield* again("region")
      }
      if (code === "RequestTimeTooSkewed" && !repeats.has("clock") && correctClock(response, now)) {
        return yield* again("clock")
      }
      const isExpired = code === "ExpiredToken" || code === "TokenRefreshRequired" || code === "InvalidToken"
      if (isExpired && !repeats.has("keys")) {
        yield* credentials.invalidate
        return yield* again("keys")
      }
      if (response.status === 404 && (code === undefined || missing.has(code))) return response
      return yield* Effect.fail(s3Failure(op, uri, response.status, code, response.header("retry-after")))
    })

  return {
    send: (request) => attempt(request, new Set()),
    sourceKeyHeaders: Effect.promise(() =>
      customerKeyHeaders(options, "x-amz-copy-source-server-side-encryption-customer")
    ),
  }
}

/**
 * Maps responses of a web server, and missing responses, to storage errors.
 *
 * @module
 */
import { NotFound, StorageError, type StorageOp, type StorageReason } from "../../errors.ts"
import { pageOrigin } from "./origin.ts"

/** An unexpected response; the cause of a {@link StorageError}. */
export class HttpFailure extends Error {
  override readonly name: string = "HttpFailure"
  /** HTTP status. */
  readonly status: number
  /** Minimum delay before a retry that the server requests, in milliseconds. */
  readonly retryAfter: number | undefined

  constructor(status: number, retryAfter?: number) {
    const wait = retryAfter === undefined ? "" : ` and requested a delay of ${Math.ceil(retryAfter / 1000)} s`
    super(`the server responded with status ${status}${wait}`)
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** Returns the delay of a Retry-After header, which contains seconds or a date, in milliseconds. */
export const retryAfterOf = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000
  const date = /^\s*[A-Za-z]{3}/.test(header) ? Date.parse(header) : NaN
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0)
}

const reasonOf = (status: number): StorageReason =>
  status === 401 || status === 403 || status === 407
    ? "Denied"
    : status === 408 || status === 504
    ? "Timeout"
    : status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505)
    ? "Unavailable"
    : "Unknown"

/** Whether a status means that the file does not exist. */
export const isMissing = (status: number): boolean => status === 404 || status === 410

/** Returns the error for an unexpected status. */
export const statusFailure = (
  op: StorageOp,
  uri: string,
  status: number,
  retryAfter?: string,
): NotFound | StorageError =>
  isMissing(status) ? new NotFound({ uri }) : new StorageError({
    op,
    uri,
    reason: reasonOf(status),
    cause: new HttpFailure(status, retryAfterOf(retryAfter, Date.now())),
  })

/**
 * Returns a hint about the CORS headers that a server must send to pages of `origin`: browsers do not report why they
 * block a response.
 */
export const corsHint = (url: string, origin: string | undefined = pageOrigin()): string =>
  origin === undefined || new URL(url).origin === origin
    ? ""
    : `; if the server is up, it does not allow pages of ${origin} to read it: it must send ` +
      `Access-Control-Allow-Origin: ${origin}, Access-Control-Allow-Headers: Range, and ` +
      "Access-Control-Expose-Headers: Content-Range, ETag"

const rootMessage = (cause: unknown): string => {
  let text = String(cause)
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at.message !== "") text = at.message
  }
  return text
}

/** Removes queries, user names and passwords from an error text of the runtime, which may quote `url`. */
const redacted = (text: string, url: string): string => {
  const { search } = new URL(url)
  const existing = search.length > 1 ? text.replaceAll(search, "") : text
  return existing.replace(/(https?:\/\/)[^\s/?#"'@]*@/gi, "$1").replace(/(https?:\/\/[^\s?"']*)\?[^\s"')]*/gi, "$1")
}

/**
 * Returns a redacted copy of the runtime's error. The client's errors also contain the request with its headers, which
 * is omitted.
 */
const redactedCause = (cause: unknown, url: string, depth = 0): unknown => {
  if (!(cause instanceof Error) || depth >= 5) return undefined
  const copy = new Error(redacted(cause.message, url), { cause: redactedCause(cause.cause, url, depth + 1) })
  copy.name = cause.name
  const { code } = cause as { readonly code?: unknown }
  return typeof code === "string" ? Object.assign(copy, { code }) : copy
}

/** Returns the error for a request without a response. */
export const transportFailure = (op: StorageOp, uri: string, url: string, cause: unknown): StorageError => {
  const text = redacted(rootMessage(cause), url)
  const code = String((cause as { readonly code?: unknown } | null)?.code ?? "")
  const quoted = redactedCause(cause, url)
  // the browser followed redirects itself
  if (/redirect/i.test(text.replace(/https?:\/\/\S*/gi, "") + code)) {
    const redirectError = new Error("the server redirects endlessly", { cause: quoted })
    return new StorageError({ op, uri, reason: "Unknown", cause: redirectError })
  }
  return new StorageError({
    op,
    uri,
    // Deno has no permission to access this host
    reason: cause instanceof Error && cause.name === "NotCapable" ? "Denied" : "Unavailable",
    cause: new Error(`no response: ${text}${corsHint(url)}`, { cause: quoted }),
  })
}

/** Returns the error for a body that was interrupted or could not be decoded; a retry may succeed. */
export const bodyFailure = (op: StorageOp, uri: string, url: string, cause: unknown): StorageError =>
  new StorageError({
    op,
    uri,
    reason: "Unavailable",
    cause: new Error(`the body was interrupted: ${redacted(rootMessage(cause), url)}`, {
      cause: redactedCause(cause, url),
    }),
  })

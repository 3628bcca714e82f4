/**
 * Resolves redirects, and rejects unsafe ones.
 *
 * Redirects are followed here and not by `fetch`, which would forward the program's headers: it removes only
 * `authorization`, and not in every runtime.
 *
 * @module
 */
import { StorageError, type StorageOp } from "../../errors.ts"

/** Statuses of a response that names another URL for the same request. */
const redirects = new Set([301, 302, 303, 307, 308])

/** Maximum number of consecutive redirects. */
export const MAX_REDIRECTS = 10

/** Whether a status means that the file is at the URL in the Location header. */
export const isRedirect = (status: number): boolean => redirects.has(status)

/**
 * Decodes a header as UTF-8: headers are received with one character per byte, and servers write UTF-8 into Location.
 */
const decodeHeader = (value: string): string => {
  // deno-lint-ignore no-control-regex
  if (!/[\x80-\xff]/.test(value) || /[^\x00-\xff]/.test(value)) return value
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(value, (char) => char.charCodeAt(0)))
  } catch {
    return value
  }
}

/**
 * Returns the URL of the next request after a redirect from `from` to `location`; `start` is the first URL of the
 * chain. Throws {@link StorageError}; its message contains only the host of a target, since paths and queries can be
 * signed.
 */
export const redirectTarget = (
  op: StorageOp,
  uri: string,
  start: string,
  from: string,
  status: number,
  location: string | undefined,
): string => {
  const refuse = (reason: StorageError["reason"], message: string): never => {
    throw new StorageError({ op, uri, reason, cause: new Error(message) })
  }
  if (location === undefined || location.trim() === "") {
    return refuse("Unknown", `the server redirects (status ${status}) without a Location`)
  }
  const base = new URL(from)
  // a relative location inherits the user name and password of its base
  const { username, password } = base
  base.username = base.password = ""
  let target: URL
  try {
    target = new URL(decodeHeader(location), base)
  } catch {
    return refuse("Unknown", `the server redirects (status ${status}) to an invalid Location`)
  }
  if (target.protocol !== "http:" && target.protocol !== "https:") {
    return refuse("Denied", `the server redirects to a ${target.protocol} URL; only http: and https: are followed`)
  }
  if (base.protocol === "https:" && target.protocol === "http:") {
    return refuse("Denied", `the server redirects from https: to http: (${target.host}), which is not followed`)
  }
  if (target.username !== "" || target.password !== "") {
    return refuse("Denied", `the server redirects to a URL with a user name or password (${target.host})`)
  }
  if (target.origin === base.origin && target.origin === new URL(start).origin) {
    target.username = username
    target.password = password
  }
  target.hash = ""
  return target.href
}

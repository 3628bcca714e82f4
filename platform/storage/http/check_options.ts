/**
 * Validates the options of HTTP storage.
 *
 * @module
 */
import { invalidOption } from "../../errors.ts"
import { checkOptionNames, durationOption } from "../../options.ts"
import { originOf } from "./origin.ts"
import type { HttpOptions } from "./request.ts"

const HTTP: ReadonlyArray<string> = ["headers", "origin", "timeout"] satisfies Array<keyof HttpOptions>

/** Checks the headers; errors do not contain their values. */
const checkHeaders = (headers: unknown): void => {
  if (headers === undefined) return
  const isRecord = typeof headers === "object" && headers !== null && !Array.isArray(headers) &&
    Object.values(headers).every((value) => typeof value === "string")
  if (!isRecord) throw invalidOption("", "headers", 'expected strings by name, such as { authorization: "Bearer …" }')
}

/** Checks the origins; errors do not contain them, since a URL can contain a signature. */
const checkOrigin = (origin: unknown): void => {
  if (origin === undefined) return
  for (const url of Array.isArray(origin) ? origin : [origin]) {
    const isUrl = (typeof url === "string" || url instanceof URL) && originOf(url) !== undefined
    if (!isUrl) throw invalidOption("", "origin", "expected http:// or https:// URLs")
  }
}

/** Checks the options of HTTP storage; `more` contains the names of options that the caller checks. */
export const checkHttpOptions = (options: HttpOptions, more: ReadonlyArray<string> = []): void => {
  checkOptionNames(options, [...HTTP, ...more])
  checkHeaders(options.headers)
  checkOrigin(options.origin)
  durationOption("timeout", options.timeout, 0)
}

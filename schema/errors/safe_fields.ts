/**
 * Removes credentials from the fields of errors, which inspected, logged or serialised errors show.
 *
 * @module
 */
import { MIN_SECRET_LENGTH, redactText, redactUri, secretsOf } from "./redact.ts"

/** Marks errors whose fields are safe. */
export const SAFE: unique symbol = Symbol("safe error")

/** Fields that contain one URI. */
const uriFields: ReadonlySet<string> = new Set(["uri", "source"])

/** Maximum depth of causes that are kept. */
const MAX_DEPTH = 8

type Redact = (text: string) => string

const isSafe = (value: object): boolean => SAFE in value

/** Returns whether neither an error nor its causes contain text that `redact` would change. */
const isClean = (error: Error, redact: Redact, depth: number): boolean => {
  if (isSafe(error)) return true
  if (depth > MAX_DEPTH) return false
  const clean = (value: unknown): boolean => {
    if (typeof value === "string") return redact(value) === value
    if (value instanceof Error) return isClean(value, redact, depth + 1)
    return value === null || (typeof value !== "object" && typeof value !== "function")
  }
  return [error.name, error.message, error.stack, ...Reflect.ownKeys(error).map((key) => Reflect.get(error, key))]
    .every(clean)
}

/** Properties of runtime errors that programs read. */
const codes = ["code", "errno", "syscall"] as const

/** Copies an error without credentials. All other properties except codes are dropped. */
const cleanCopy = (error: Error, redact: Redact, depth: number): Error => {
  const cause = error.cause === undefined || depth >= MAX_DEPTH ? undefined : safeCause(error.cause, redact, depth + 1)
  const copy = new Error(redact(error.message), cause === undefined ? undefined : { cause })
  const define = (key: string, value: unknown): void => {
    Object.defineProperty(copy, key, { value, enumerable: false, configurable: true, writable: true })
  }
  define("name", redact(String(error.name)))
  if (typeof error.stack === "string") define("stack", redact(error.stack))
  for (const key of codes) {
    const code = (error as { readonly [key in typeof codes[number]]?: unknown })[key]
    if (typeof code === "string") define(key, redact(code))
    if (typeof code === "number") define(key, code)
  }
  return copy
}

/** Returns whether an error is a parse error of Effect, which contains its issue as data. */
const isParseError = (error: Error): boolean => (error as { readonly _tag?: unknown })._tag === "ParseError"

/** Returns the cause of an error without credentials: the same value if it contains none. */
const safeCause = (cause: unknown, redact: Redact, depth = 0): unknown => {
  if (typeof cause === "string") return redact(cause)
  if (cause === null || (typeof cause !== "object" && typeof cause !== "function")) return cause
  try {
    if (cause instanceof Error) {
      if (isSafe(cause)) return cause
      const parsed = isParseError(cause) && redact(cause.message) === cause.message
      return parsed || isClean(cause, redact, depth) ? cause : cleanCopy(cause, redact, depth)
    }
    if (isPlainObject(cause)) return safeValue(cause, redact)
    const message = (cause as { readonly message?: unknown }).message
    return new Error(redact(typeof message === "string" ? message : String(cause)))
  } catch {
    // reading a property of the object throws
    return new Error("unknown")
  }
}

const isPlainObject = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Returns text, numbers, and lists and records of them without credentials; other objects are omitted. */
const safeValue = (value: unknown, redact: Redact, depth = 0): unknown => {
  if (typeof value === "string") return redact(value)
  if (typeof value !== "object" || value === null) return typeof value === "function" ? undefined : value
  if (value instanceof Error) return safeCause(value, redact, depth)
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return value.map((item) => safeValue(item, redact, depth + 1))
  if (!isPlainObject(value)) return undefined
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, safeValue(item, redact, depth + 1)]))
}

/** Returns a function that removes credentials from URLs, and replaces these secrets everywhere. */
const redactWith = (secrets: ReadonlyArray<string>): Redact => (text) =>
  secrets.reduce((shown, secret) => shown.replaceAll(secret, "…"), redactText(text))

/** Returns the cause of an error without the values of a request's headers: runtimes quote values that they reject. */
export const withoutHeaders = (cause: unknown, headers: Readonly<Record<string, string>> = {}): unknown => {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)])
  return safeCause(cause, redactWith(values.filter((value) => value.length >= MIN_SECRET_LENGTH)))
}

/** Returns the fields of an error without credentials. */
export const safeFields = (fields: object): object => {
  const entries = Object.entries(fields)
  const uris = entries.flatMap(([key, value]) => uriFields.has(key) && typeof value === "string" ? [value] : [])
  const redact = redactWith(uris.flatMap(secretsOf))
  return Object.fromEntries(entries.map(([key, value]) => [
    key,
    uriFields.has(key) && typeof value === "string"
      ? redactUri(value)
      : key === "cause"
      ? safeCause(value, redact)
      : safeValue(value, redact),
  ]))
}

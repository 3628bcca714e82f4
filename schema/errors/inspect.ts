/**
 * Prints values that contain credentials without them.
 *
 * @module
 */
import { redactUri } from "./redact.ts"

/** Methods that `console.log` calls in Node and Bun, and in Deno, instead of listing properties. */
const inspects = [Symbol.for("nodejs.util.inspect.custom"), Symbol.for("Deno.customInspect")] as const

type Inspect = (value: unknown, options: unknown) => string

/**
 * Lets `console.log`, `util.inspect`, `JSON.stringify` and template strings show `view(value)` in place of the value.
 * `holder` is the value itself, or the prototype of such values. The added properties are not enumerable.
 */
export const showRedacted = <A extends object>(holder: A, view: (value: A) => object, name?: string): A => {
  const define = (key: string | symbol, value: unknown): void => {
    Object.defineProperty(holder, key, { value, enumerable: false, configurable: true, writable: true })
  }
  const prefix = name === undefined ? "" : `${name} `
  define("toJSON", function (this: A) {
    return view(this)
  })
  define("toString", function (this: A) {
    const { uri } = view(this) as { readonly uri?: unknown }
    return `${name ?? "Object"}(${uri})`
  })
  // Node and Bun pass (depth, options, inspect), Deno passes (inspect, options)
  define(inspects[0], function (this: A, _: unknown, options: unknown, inspect?: Inspect) {
    return inspect === undefined ? view(this) : prefix + inspect(view(this), options)
  })
  define(inspects[1], function (this: A, inspect: Inspect, options: unknown) {
    return prefix + inspect(view(this), options)
  })
  return holder
}

/**
 * Wraps an entry of a listing so that printing it shows the URI without credentials. Costs nothing for URIs without
 * credentials.
 */
export const showEntry = <A extends { readonly uri: string }>(entry: A): A =>
  redactUri(entry.uri) === entry.uri ? entry : showRedacted(entry, (item) => ({ ...item, uri: redactUri(item.uri) }))

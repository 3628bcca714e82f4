/** All texts in which a value appears in programs, logs and terminals. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { inspect } from "node:util"

type Inspect = (value: unknown, options?: object) => string
const { Deno, Bun } = globalThis as { readonly Deno?: { inspect: Inspect }; readonly Bun?: { inspect: Inspect } }

const attempt = (show: () => unknown): string => {
  try {
    return String(show())
  } catch (error) {
    return String(error)
  }
}

/** Collects all values reachable from a value, through enumerable and other properties. */
const walk = (value: unknown, out: Array<string>, seen: Set<unknown>): void => {
  if (typeof value === "string") out.push(value)
  if (value === null || typeof value !== "object" || seen.has(value) || seen.size > 10_000) return
  seen.add(value)
  if (ArrayBuffer.isView(value)) return
  for (const key of Reflect.ownKeys(value)) walk(attemptValue(value, key), out, seen)
}

const attemptValue = (value: object, key: string | symbol): unknown => {
  try {
    return Reflect.get(value, key)
  } catch {
    return undefined
  }
}

/** Returns all forms in which an error is printed; `deep` adds all values that are reachable from its properties. */
export const shownForms = (error: unknown, deep = true): ReadonlyArray<string> => {
  const cause = Cause.fail(error)
  const out = [
    attempt(() => error),
    attempt(() => `${error}`),
    attempt(() => (error as Error).message),
    attempt(() => (error as Error).stack),
    attempt(() => JSON.stringify(error)),
    attempt(() => JSON.stringify((error as { toJSON?: () => unknown }).toJSON?.())),
    attempt(() => inspect(error, { depth: 20, maxStringLength: null })),
    attempt(() => inspect(error, { depth: 20, maxStringLength: null, showHidden: true })),
    attempt(() => Deno?.inspect(error, { depth: 20, strAbbreviateSize: 1e6 })),
    attempt(() => Bun?.inspect(error, { depth: 20 })),
    attempt(() => Cause.pretty(cause)),
    attempt(() => Cause.pretty(cause, { renderErrorCause: true })),
    attempt(() => Cause.prettyErrors(cause).map((error) => `${error.message}\n${error.stack}`).join()),
    attempt(() => JSON.stringify(cause)),
    attempt(() => inspect(Exit.fail(error), { depth: 20 })),
    attempt(() => JSON.stringify(Exit.fail(error))),
  ]
  if (deep) walk(error, out, new Set())
  return out
}

/**
 * Shortens the start of the bundled command line: the work of packages while they are loaded takes longer than a short
 * command.
 *
 * Errors record no stack: packages create errors while they are loaded, and for the positions in a stack V8 parses the
 * whole bundle again, which is a quarter of a short run. With `TESSERA_DEBUG=1` errors have stacks. The limit is an
 * accessor, because code that creates errors also sets it.
 *
 * Two globals are absent until {@link endStart}: effect reads them only for features that the command line does not
 * use, and the first read makes Deno load the modules of Node that they belong to, 99 in all.
 */
import { isGranted } from "../platform/host/permissions.ts"
import { isDebug } from "../src/cli/debug.ts"

interface Host {
  readonly Deno?: { readonly env: { readonly get: (name: string) => string | undefined } }
  readonly process?: { readonly env: Readonly<Record<string, string | undefined>> }
}

const host = globalThis as Host

/** Returns an environment variable. In Deno it is read without loading `node:process`. */
const environment = (name: string): string | undefined =>
  host.Deno === undefined
    ? host.process?.env[name]
    : isGranted({ name: "env", variable: name })
    ? host.Deno.env.get(name)
    : undefined

if (!isDebug(environment)) {
  Object.defineProperty(Error, "stackTraceLimit", { get: () => 0, set: () => {}, configurable: true })
}

const globals = globalThis as unknown as Record<string, unknown>

const hidden = ["process", "setImmediate"].map((name) => {
  const descriptor = Object.getOwnPropertyDescriptor(globals, name)
  delete globals[name]
  return [name, descriptor] as const
})

/** Restores the globals after everything is loaded. */
export const endStart = (): void => {
  for (const [name, descriptor] of hidden) {
    if (descriptor !== undefined) Object.defineProperty(globals, name, descriptor)
  }
}

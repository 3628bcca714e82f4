/**
 * The built-in modules of Deno, Bun and Node, loaded on first use: in Deno, loading one takes longer than reading a
 * small array, and browsers do not have them.
 *
 * @module
 */

interface Builtins {
  readonly "node:crypto": typeof import("node:crypto")
  readonly "node:fs": typeof import("node:fs")
  readonly "node:fs/promises": typeof import("node:fs/promises")
  readonly "node:module": typeof import("node:module")
  readonly "node:os": typeof import("node:os")
  readonly "node:path": typeof import("node:path")
  readonly "node:process": typeof import("node:process")
  readonly "node:tty": typeof import("node:tty")
  readonly "node:url": typeof import("node:url")
  readonly "node:worker_threads": typeof import("node:worker_threads")
  readonly "node:zlib": typeof import("node:zlib")
}

interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (name: string) => unknown }
}

/** Returns a loader for a built-in module; the loader throws if the runtime does not have the module. */
export const builtin = <Name extends keyof Builtins>(name: Name): () => Builtins[Name] => {
  let match: Builtins[Name] | undefined
  return () => {
    if (match !== undefined) return match
    match = (globalThis as Runtime).process?.getBuiltinModule?.(name) as Builtins[Name] | undefined
    if (match === undefined) {
      throw new TypeError(`${name} is not available; it requires Deno, Bun, or Node 20.16 or later`)
    }
    return match
  }
}

/** Whether the runtime has a built-in module. Loads the module in Node and Deno. */
export const hasBuiltins = (): boolean => typeof (globalThis as Runtime).process?.getBuiltinModule === "function"

/** Whether the runtime has a built-in module. Node and Deno load the module. */
export const isBuiltin = (name: keyof Builtins): boolean => {
  try {
    return builtin(name)() !== undefined
  } catch {
    return false
  }
}

/**
 * Spares a short run what packages do while they are loaded.
 *
 * Errors have no stack traces from here on. The command line prints messages only, and the packages make errors to remember
 * places: to find those, V8 parses the whole bundle again, which is a quarter of a short run. An accessor, since those who
 * make errors also set the limit.
 *
 * Two globals are away until {@link endStart}: effect looks at them, for nothing that the command line needs, and at the first
 * look Deno loads the modules of Node that they belong to, 99 in all.
 */
Object.defineProperty(Error, "stackTraceLimit", { get: () => 0, set: () => {}, configurable: true })

const globals = globalThis as unknown as Record<string, unknown>

const hidden = ["process", "setImmediate"].map((name) => {
  const descriptor = Object.getOwnPropertyDescriptor(globals, name)
  delete globals[name]
  return [name, descriptor] as const
})

/** Puts everything back that packages shall find later. */
export const endStart = (): void => {
  for (const [name, descriptor] of hidden) {
    if (descriptor !== undefined) Object.defineProperty(globals, name, descriptor)
  }
}

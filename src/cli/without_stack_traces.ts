/**
 * Errors without stack traces, from here on. The command line prints messages only, and the packages make errors while they
 * are loaded, to remember places: to find those, V8 parses the whole bundle again, which is a quarter of a short run.
 * An accessor, since those who make errors also set the limit.
 */
Object.defineProperty(Error, "stackTraceLimit", { get: () => 0, set: () => {}, configurable: true })

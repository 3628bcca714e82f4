/** Debugging of the command line. */
import * as Cause from "effect/Cause"

/** Name of the environment variable that enables stacks of unexpected errors. */
export const DEBUG_VARIABLE = "TESSERA_DEBUG"

/** Returns whether stacks of unexpected errors are printed. */
export const isDebug = (environment: (name: string) => string | undefined): boolean =>
  environment(DEBUG_VARIABLE) === "1"

/** Returns the stacks of an unexpected error, line by line. */
export const stackLines = (cause: Cause.Cause<unknown>): ReadonlyArray<string> => Cause.pretty(cause).split("\n")

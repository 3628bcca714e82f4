/** Debugging of the command line. */
import * as Cause from "effect/Cause"

/** The variable of the environment that makes defects print their stacks. */
export const DEBUG_VARIABLE = "TESSERA_DEBUG"

/** Returns whether defects print their stacks. */
export const isDebug = (environment: (name: string) => string | undefined): boolean =>
  environment(DEBUG_VARIABLE) === "1"

/** Returns the stacks of a defect, line by line. */
export const stackLines = (cause: Cause.Cause<unknown>): ReadonlyArray<string> => Cause.pretty(cause).split("\n")

/**
 * The options of storage decorators.
 *
 * @module
 */
import { invalidOption } from "../../errors.ts"

/** The option, which is a number of at least `min`, or else `fallback`. Throws `InvalidOption`. */
export const numberOption = (option: string, value: number | undefined, fallback: number, min = 0): number => {
  if (value === undefined) return fallback
  if (typeof value === "number" && value >= min) return value
  throw invalidOption("", option, `${String(value)} is invalid; expected a number of at least ${min}`, value)
}

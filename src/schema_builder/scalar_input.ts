/** Values in options of the schema builders. */
import { catchScalarError, ScalarError, type ScalarInput } from "../../schema/array/scalar.ts"

/**
 * Converts a user's value to the input of {@link parseScalar}.
 */
export const scalarInput = (value: unknown): ScalarInput => {
  if (!(value instanceof Date)) return value as ScalarInput
  if (Number.isNaN(value.getTime())) throw new ScalarError("an invalid Date is not a value")
  return value.toISOString()
}

/**
 * Runs a function that throws {@link ScalarError}; returns the reason of the error as text.
 */
export const problemOf = (part: string, run: () => void): string | undefined =>
  catchScalarError<string | undefined>(() => {
    run()
    return undefined
  }, (reason) => `${part}: ${reason}`)

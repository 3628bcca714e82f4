/**
 * The part of `@std/assert` that the tests use, over `node:assert/strict`. JSR is not accessible where this project is
 * built, so that the import map (Deno) and tsconfig paths (Bun) resolve `@std/assert` to this file. With access to JSR,
 * the real package can replace it.
 */
import assertStrict from "node:assert/strict"

export const assert: (condition: unknown, message?: string) => asserts condition = (condition, message) => {
  assertStrict.ok(condition, message)
}
export const assertEquals = <T>(actual: T, expected: T, message?: string): void => {
  assertStrict.deepStrictEqual(actual, expected, message)
}
export const assertNotEquals = <T>(actual: T, expected: T, message?: string): void => {
  assertStrict.notDeepStrictEqual(actual, expected, message)
}
export const assertStrictEquals = <T>(actual: T, expected: T, message?: string): void => {
  assertStrict.strictEqual(actual, expected, message)
}
export const assertMatch = (actual: string, expected: RegExp, message?: string): void => {
  assertStrict.match(actual, expected, message)
}
export const assertStringIncludes = (actual: string, expected: string, message?: string): void => {
  assertStrict.ok(
    actual.includes(expected),
    message ?? `expected ${JSON.stringify(actual)} to include ${JSON.stringify(expected)}`,
  )
}
/** Runs `fn`, which must throw an instance of `ErrorClass` whose message includes `includes`; returns the error. */
export const assertThrows = <E extends Error = Error>(
  fn: () => unknown,
  // deno-lint-ignore no-explicit-any
  ErrorClass?: new (...args: any[]) => E,
  includes?: string,
): E => {
  try {
    fn()
  } catch (error) {
    if (ErrorClass !== undefined) assertStrict.ok(error instanceof ErrorClass, `threw ${String(error)}`)
    if (includes !== undefined) assertStringIncludes((error as Error).message, includes)
    return error as E
  }
  return assertStrict.fail("expected the function to throw")
}

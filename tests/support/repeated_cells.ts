/**
 * Arrays with several cells at equal coordinates in one fragment, as engines write them if their checks are disabled.
 */
import { handleOf, openedOf } from "../../src/array/open/handle.ts"
import type { AnyTileArray } from "../../src/array/open/handle.ts"

/** Returns an open array that allows duplicates as an array that does not allow them, with the same fragments. */
export const withoutDuplicates = <A extends AnyTileArray>(array: A): A => {
  const opened = openedOf(array)
  return handleOf({ ...opened, schema: { ...opened.schema, allowsDuplicates: false } }) as AnyTileArray as A
}

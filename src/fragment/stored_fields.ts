/**
 * The fields whose cells a fragment stores.
 */
import { Since } from "../../schema/version/version.ts"
import { type Field, fieldsOf, zippedCoordinates } from "./field.ts"
import type { Fragment } from "./fragment.ts"

/** Returns the fields that a fragment stores. Up to format 4, all dimensions are one field. */
export const storedFields = (
  { schema, dense, version, hasTimestamps, hasDeleteMetadata }: Fragment,
): ReadonlyArray<Field> => {
  const { attributes, dimensions, timestamps, deleteTimes, deleteConditions } = fieldsOf(schema)
  return [
    ...dense ? [] : version >= Since.splitDimensions ? dimensions : [zippedCoordinates(schema)],
    ...attributes,
    ...hasTimestamps ? [timestamps] : [],
    ...hasDeleteMetadata ? [deleteTimes, deleteConditions] : [],
  ]
}

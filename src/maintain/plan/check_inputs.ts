/**
 * Checks that combining fragments does not change the results of reads.
 */
import { overlap } from "../../array/describe/non_empty_domain.ts"
import type { DeleteEntry } from "../../array/open/directory.ts"
import type { OpenedArray } from "../../array/open/open.ts"
import type { Range } from "../../../schema/array/range.ts"
import type { Fragment } from "../../fragment/fragment.ts"
import { axisOf } from "../../fragment/dense_tiles.ts"
import { readScalar, scalarBytes } from "../../../schema/array/scalar.ts"
import { spanOf } from "../directory/consolidated_name.ts"
import { droppedAttribute, keepsTimes, resultSchema } from "./result_schema.ts"

/** Expands a box to whole space tiles. */
const expanded = ({ schema }: OpenedArray, box: ReadonlyArray<Range>): ReadonlyArray<Range> =>
  box.map(({ low, high }, d) => {
    const dimension = schema.dimensions[d]
    const axis = axisOf(dimension)
    const first = BigInt(readScalar(dimension.type, low))
    const last = BigInt(readScalar(dimension.type, high))
    const size = low.byteLength
    const limit = BigInt(readScalar(dimension.type, dimension.domain, size))
    const start = axis.low + (first - axis.low) / axis.extent * axis.extent
    const end = axis.low + ((last - axis.low) / axis.extent + 1n) * axis.extent - 1n
    return {
      low: scalarBytes(dimension.type, start),
      high: scalarBytes(dimension.type, end < limit ? end : limit),
    }
  })

/**
 * Returns the boxes that the result covers. In dense arrays, this is one box that includes the cells between the
 * fragments.
 */
const coveredBoxes = (array: OpenedArray, inputs: ReadonlyArray<Fragment>, union: ReadonlyArray<Range>) =>
  array.schema.arrayType === "dense"
    ? [expanded(array, union)]
    : inputs.flatMap(({ nonEmptyDomain }) => nonEmptyDomain === undefined ? [] : [nonEmptyDomain])

/**
 * Returns why fragments cannot be combined, as a detail for an error; `undefined` if they can be. `others` are the
 * visible fragments that are not combined.
 */
export const inputsProblem = (
  array: OpenedArray,
  inputs: ReadonlyArray<Fragment>,
  others: ReadonlyArray<Fragment>,
  union: ReadonlyArray<Range>,
  purge: boolean,
  deletes: ReadonlyArray<DeleteEntry>,
): string | undefined => {
  const { schema } = array
  const dense = schema.arrayType === "dense"
  const [start, end] = spanOf(inputs.map(({ name }) => name))
  const hasTimes = keepsTimes(schema)
  const lost = inputs.find(({ hasTimestamps, name }) =>
    !hasTimestamps && name.start < name.end && deletes.some(({ time }) => name.start <= time && time < name.end)
  )
  if (lost !== undefined) {
    return `a delete is in the middle of the fragment ${lost.name.name}, whose cells have no times`
  }
  const dropped = purge || !hasTimes ? undefined : droppedAttribute(resultSchema(array, inputs, purge), inputs)
  if (dropped !== undefined) {
    return `the attribute ${JSON.stringify(dropped[0])} of the fragment ${dropped[1]} was dropped before the last of ` +
      "the fragments was written, and its values at earlier times would be lost; set purgeDeleted to lose them"
  }
  // if cells with equal coordinates have no order, other fragments do not matter
  if (!dense && schema.allowsDuplicates) return undefined
  const boxes = coveredBoxes(array, inputs, union)
  for (const other of others) {
    const { nonEmptyDomain } = other
    if (nonEmptyDomain === undefined || other.name.start > end) continue
    if (!boxes.some((box) => overlap(schema.dimensions, box, nonEmptyDomain))) continue
    const name = other.name.name
    if (dense) return `the fragment ${name} overlaps the result, which would cover its cells; combine both`
    if (purge) return `the fragment ${name} may contain older versions of purged cells; combine both`
    if (!hasTimes && other.name.end >= start) return `the fragment ${name} is in between; combine both`
    const ties = inputs.some((input) => input.name.start <= other.name.end && other.name.start <= input.name.end)
    if (hasTimes && ties) return `the fragment ${name} has the time of another one; combine both`
  }
  return undefined
}

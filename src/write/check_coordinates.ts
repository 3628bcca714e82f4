/**
 * Whether coordinates lie in the domain and the current domain.
 */
import type { ArraySchema } from "../../schema/array_schema.ts"
import { type Datatype, isFloat, sizeOf, storageOf, viewAs } from "../../schema/datatype.ts"
import type { Range } from "../../schema/range.ts"
import { readScalar } from "../../schema/scalar.ts"
import { WriteError } from "../array/errors.ts"
import { compareSlices } from "../kernel/match_ranges.ts"
import { firstHalvesOutside, firstOutside } from "../kernel/outside.ts"
import { coordinateText } from "./coordinate_text.ts"
import type { WriteColumn } from "./write_column.ts"

/** Checks the coordinates of one dimension. Throws {@link WriteError}. */
export const checkCoordinates = (schema: ArraySchema, column: WriteColumn): void => {
  const { field, values, offsets } = column
  const d = schema.dimensions.findIndex((dimension) => dimension.name === field.name)
  const { type, domain } = schema.dimensions[d]
  const current = schema.currentDomain.empty ? undefined : schema.currentDomain.ranges[d]
  if (offsets !== undefined) return checkStrings(column, offsets, current)
  const size = sizeOf(type)
  const whole = { low: domain.subarray(0, size), high: domain.subarray(size, 2 * size) }
  for (const [what, range] of [["domain", whole], ["current domain", current]] as const) {
    if (range === undefined) continue
    const cell = outside(column, range)
    if (cell < 0) continue
    throw new WriteError({
      field: field.name,
      cell,
      reason: Number.isNaN(viewAs(type, values)[cell])
        ? "NaN is no coordinate"
        : outsideText(field.type, values.subarray(cell * size, (cell + 1) * size), what, range),
    })
  }
}

const outsideText = (type: Datatype, coordinate: Uint8Array, what: string, { low, high }: Range): string => {
  const text = (bytes: Uint8Array): string => coordinateText(type, bytes)
  return `${text(coordinate)} lies outside the ${what}, from ${text(low)} to ${text(high)}`
}

/** Values that are looked at together. */
const BLOCK = 4096

const outside = ({ field: { type }, values }: WriteColumn, { low, high }: Range): number => {
  const view = viewAs(type, values)
  if (sizeOf(type) === 8 && !isFloat(type)) {
    const words = (bytes: Uint8Array): Int32Array => new Int32Array(bytes.slice().buffer)
    const cells = new Int32Array(view.buffer, view.byteOffset, 2 * view.length)
    return firstHalvesOutside(cells, storageOf(type) === "int64", words(low), words(high))
  }
  const from = readScalar(type, low) as number
  const to = readScalar(type, high) as number
  if (view instanceof Float64Array) return firstOutside(view, view.length, from, to)
  const block = new Float64Array(BLOCK)
  for (let start = 0; start < view.length; start += BLOCK) {
    const part = view.subarray(start, start + BLOCK) as Int32Array
    block.set(part)
    const cell = firstOutside(block, part.length, from, to)
    if (cell >= 0) return start + cell
  }
  return -1
}

/** Strings have no domain, but may have a current one. */
const checkStrings = ({ field, values }: WriteColumn, offsets: Uint32Array, current: Range | undefined): void => {
  if (current === undefined) return
  const { low, high } = current
  for (let i = 0; i < offsets.length - 1; i++) {
    const from = offsets[i]
    const to = offsets[i + 1]
    if (
      compareSlices(values, from, to, low, 0, low.length) >= 0 &&
      compareSlices(values, from, to, high, 0, high.length) <= 0
    ) continue
    const reason = outsideText(field.type, values.subarray(from, to), "current domain", current)
    throw new WriteError({ field: field.name, cell: i, reason })
  }
}

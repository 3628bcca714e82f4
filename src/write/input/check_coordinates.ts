/**
 * Checks that coordinates are inside the domain and the current domain.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { type Datatype, isFloat, sizeOf, storageOf, viewAs } from "../../../schema/array/datatype.ts"
import type { Range } from "../../../schema/array/range.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { WriteError } from "../../array/open/errors.ts"
import { compareSlices } from "../../kernel/match/match_ranges.ts"
import { firstHalvesOutside, firstOutside } from "../../kernel/outside.ts"
import { findInParts, type Steps } from "../../kernel/steps.ts"
import { coordinateText } from "./coordinate_text.ts"
import type { WriteColumn } from "./write_column.ts"

/** Checks the coordinates of one dimension. Throws {@link WriteError}. */
export function* checkCoordinates(schema: ArraySchema, column: WriteColumn): Steps<void> {
  const { field, values, offsets } = column
  if (field.file.kind !== "dimension") return
  const d = field.file.index
  const { type, domain } = schema.dimensions[d]
  const current = schema.currentDomain.empty ? undefined : schema.currentDomain.ranges[d]
  if (offsets !== undefined) return yield* checkStrings(column, offsets, current)
  const size = sizeOf(type)
  const whole = { low: domain.subarray(0, size), high: domain.subarray(size, 2 * size) }
  for (const [limit, range] of [["domain", whole], ["current domain", current]] as const) {
    if (range === undefined) continue
    const cell = yield* outside(column, range)
    if (cell < 0) continue
    throw new WriteError({
      field: field.name,
      cell,
      reason: "OutOfBounds",
      detail: Number.isNaN(viewAs(type, values)[cell])
        ? "NaN is not a coordinate"
        : outsideText(field.type, values.subarray(cell * size, (cell + 1) * size), limit, range),
    })
  }
}

const outsideText = (type: Datatype, coordinate: Uint8Array, limit: string, { low, high }: Range): string => {
  const text = (bytes: Uint8Array): string => coordinateText(type, bytes)
  return `${text(coordinate)} is outside the ${limit}, from ${text(low)} to ${text(high)}`
}

/** Number of values per block. */
const BLOCK_VALUES = 4096

function* outside({ field: { type }, values }: WriteColumn, { low, high }: Range): Steps<number> {
  const view = viewAs(type, values)
  if (sizeOf(type) === 8 && !isFloat(type)) {
    const words = (bytes: Uint8Array): Int32Array => new Int32Array(bytes.slice().buffer)
    const cells = new Int32Array(view.buffer, view.byteOffset, 2 * view.length)
    const [first, last, signed] = [words(low), words(high), storageOf(type) === "int64"]
    return yield* findInParts(
      view.length,
      (from, to) => firstHalvesOutside(cells, signed, first, last, from, to),
    )
  }
  const from = readScalar(type, low) as number
  const to = readScalar(type, high) as number
  const block = new Float64Array(BLOCK_VALUES)
  return yield* findInParts(view.length, (start, end) => {
    for (let at = start; at < end; at += BLOCK_VALUES) {
      const part = view.subarray(at, Math.min(end, at + BLOCK_VALUES))
      if (!(part instanceof Float64Array)) block.set(part as Int32Array)
      const cell = firstOutside(part instanceof Float64Array ? part : block, part.length, from, to)
      if (cell >= 0) return at + cell
    }
    return -1
  })
}

/** Checks that strings are inside the current domain, if any. Strings have no domain. */
function* checkStrings(
  { field, values }: WriteColumn,
  offsets: Uint32Array,
  current: Range | undefined,
): Steps<void> {
  if (current === undefined) return
  const { low, high } = current
  const outside = yield* findInParts(offsets.length - 1, (start, end) => {
    for (let i = start; i < end; i++) {
      const from = offsets[i]
      const to = offsets[i + 1]
      if (
        compareSlices(values, from, to, low, 0, low.length) < 0 ||
        compareSlices(values, from, to, high, 0, high.length) > 0
      ) return i
    }
    return -1
  })
  if (outside < 0) return
  const detail = outsideText(
    field.type,
    values.subarray(offsets[outside], offsets[outside + 1]),
    "current domain",
    current,
  )
  throw new WriteError({ field: field.name, cell: outside, reason: "OutOfBounds", detail })
}

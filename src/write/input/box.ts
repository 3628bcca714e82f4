/**
 * Validates the box of a dense write.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { sizeOf } from "../../../schema/array/datatype.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import type { Range } from "../../../schema/array/range.ts"
import {
  catchScalarError,
  parseScalar,
  readScalar,
  scalarBytes,
  ScalarError,
  type ScalarInput,
} from "../../../schema/array/scalar.ts"
import { WriteError, type WriteReason } from "../../array/open/errors.ts"

/** A box of whole-number ranges, both ends inclusive, by dimension. */
export type Box = ReadonlyArray<{ readonly low: bigint; readonly high: bigint }>

/** Converts a value to the form that datatypes accept. Throws {@link ScalarError}. */
const coordinate = (input: unknown): ScalarInput => {
  if (!(input instanceof Date)) return input as ScalarInput
  if (Number.isNaN(input.getTime())) throw new ScalarError("an invalid Date is not a bound of a box")
  return input.toISOString()
}

/** Returns both ends of the input for one dimension. Throws {@link ScalarError}. */
const endsOf = (input: unknown): readonly [unknown, unknown] => {
  if (!Array.isArray(input)) return [input, input]
  if (input.length === 2) return [input[0], input[1]]
  throw new ScalarError(`a range is a pair [low, high]; here are ${input.length} values`)
}

const bound = (type: Dimension["type"], bytes: Uint8Array, at = 0): bigint => BigInt(readScalar(type, bytes, at))

/** Parses a box; dimensions without an entry are selected whole. Throws {@link WriteError}. */
export const boxOf = (schema: ArraySchema, input: unknown): Box => {
  const { dimensions, currentDomain } = schema
  const refuse = (reason: WriteReason, field: string, detail: string): never => {
    throw new WriteError({ field, reason, detail })
  }
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return refuse("WrongType", "", "a box is an object of ranges by dimension name: { x: [1, 5] }")
  }
  const ends = input as Readonly<Record<string, unknown>>
  const names = dimensions.map((d) => d.name)
  for (const name of Object.keys(ends)) {
    if (names.includes(name)) continue
    refuse(
      "UnknownName",
      name,
      `there is no such dimension; the array has ${names.map((n) => JSON.stringify(n)).join(", ")}`,
    )
  }
  return dimensions.map(({ name, type, domain }, d) => {
    const current = currentDomain.empty ? undefined : currentDomain.ranges[d]
    const first = current === undefined ? bound(type, domain) : bound(type, current.low)
    const last = current === undefined ? bound(type, domain, sizeOf(type)) : bound(type, current.high)
    if (!Object.hasOwn(ends, name) || ends[name] === undefined) return { low: first, high: last }
    return catchScalarError(() => {
      const [low, high] = endsOf(ends[name]).map((end) => BigInt(parseScalar(type, coordinate(end))))
      if (low > high) refuse("InvalidRange", name, `the range ends at ${high}, before it starts at ${low}`)
      if (low < first || high > last) {
        const limit = current === undefined ? "domain" : "current domain"
        refuse("OutOfBounds", name, `[${low}, ${high}] is not inside the ${limit} [${first}, ${last}]`)
      }
      return { low, high }
    }, (reason) => refuse("InvalidRange", name, reason))
  })
}

/** Returns the number of cells in a box. Throws {@link WriteError} if it exceeds 2⁵³. */
export const cellsOfBox = (box: Box): number => {
  const cells = box.reduce((n, { low, high }) => n * (high - low + 1n), 1n)
  if (cells > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new WriteError({ field: "", reason: "TooLarge", detail: `a box of ${cells} cells; write it in parts` })
  }
  return Number(cells)
}

/** Returns a box as raw ranges. */
export const rangesOfBox = ({ dimensions }: ArraySchema, box: Box): ReadonlyArray<Range> =>
  dimensions.map(({ type }, d) => {
    const raw = (value: bigint): Uint8Array => scalarBytes(type, sizeOf(type) === 8 ? value : Number(value))
    return { low: raw(box[d].low), high: raw(box[d].high) }
  })

/**
 * Parses `--range` and `--select` with the schema of the array.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { VAR } from "../../../schema/array/cell_val_num.ts"
import { isDatetime, isTemporal } from "../../../schema/array/datatype.ts"
import { parseDatetime, parseTime } from "../../../schema/array/datetime.ts"
import type { Dimension } from "../../../schema/array/dimension.ts"
import type { Bound, RegionInput } from "../../query/selection/selection.ts"
import { UsageError } from "./usage_error.ts"

type Pair = readonly [low: Bound, high: Bound]

/** A dimension, or one of its labels. */
type Named = Pick<Dimension, "name" | "type" | "cellValNum">

const fail = (text: string, reason: string): never => {
  throw new UsageError({ detail: `--range ${JSON.stringify(text)}: ${reason}` })
}

const isBound = (value: unknown): value is Bound =>
  value === null || typeof value === "number" || typeof value === "string" ||
  (typeof value === "object" && typeof (value as { hex?: unknown }).hex === "string")

const example = (dimension: Named): string => `${dimension.name}=["lo","hi"]`

const jsonRange = (dimension: Named, text: string, value: string): Pair => {
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch {
    return fail(text, `invalid JSON range; write ${example(dimension)}`)
  }
  if (isBound(parsed)) return [parsed, parsed]
  if (Array.isArray(parsed) && parsed.length === 2 && parsed.every(isBound)) return [parsed[0], parsed[1]]
  return fail(text, `a range in JSON is a list of two values; write ${example(dimension)}`)
}

type Style = "count" | "date" | undefined

/** Returns the form of a value of a date or time dimension: a count, a date, or invalid text. */
const styleOf = (dimension: Named, text: string): Style => {
  if (/^[+-]?\d+$/.test(text.trim())) return "count"
  const parsed = (isDatetime(dimension.type) ? parseDatetime : parseTime)(dimension.type, text.trim())
  return typeof parsed === "bigint" ? "date" : undefined
}

/**
 * Parses a range of dates. Dates contain colons themselves: the separator is the colon with valid values on both sides.
 */
const dateRange = (dimension: Named, text: string, value: string): Pair => {
  const pairs: Array<Pair> = []
  if (styleOf(dimension, value) !== undefined) pairs.push([value, value])
  for (let at = value.indexOf(":"); at >= 0; at = value.indexOf(":", at + 1)) {
    const [low, high] = [value.slice(0, at), value.slice(at + 1)]
    const [a, b] = [low, high].map((side) => side === "" ? "open" : styleOf(dimension, side))
    if (a === undefined || b === undefined || (a !== b && a !== "open" && b !== "open")) continue
    // LO:HI with counts takes precedence
    if (a === "count" && b === "count") return [low, high]
    pairs.push([low === "" ? null : low, high === "" ? null : high])
  }
  if (pairs.length === 1) return pairs[0]
  return fail(
    text,
    pairs.length === 0
      ? `this is neither a value nor a range of ${dimension.type}; write a date such as 2024-02-29, or ${
        example(dimension)
      }`
      : `this can be read in ${pairs.length} ways; write ${example(dimension)}`,
  )
}

const rangeOf = (dimension: Named, text: string, value: string): Pair => {
  if (value.startsWith("[") || value.startsWith('"') || value.startsWith("{")) return jsonRange(dimension, text, value)
  if (isTemporal(dimension.type)) return dateRange(dimension, text, value)
  const colon = value.indexOf(":")
  if (colon < 0) return [value, value]
  if (value.indexOf(":", colon + 1) >= 0) return fail(text, `there are several colons; write ${example(dimension)}`)
  const [low, high] = [value.slice(0, colon), value.slice(colon + 1)]
  return [low === "" ? null : low, high === "" ? null : high]
}

/**
 * Returns the dimension or label whose name starts a text. Names may contain any character, so the longest match is
 * returned.
 */
const dimensionOf = (schema: ArraySchema, text: string): Named => {
  const all: ReadonlyArray<Named> = [...schema.dimensions, ...schema.dimensionLabels]
  const fitting = all.filter((d) => text.startsWith(`${d.name}=`))
  if (fitting.length > 0) return fitting.reduce((a, b) => b.name.length > a.name.length ? b : a)
  const existing = all.map((d) => JSON.stringify(d.name)).join(", ")
  const equals = text.indexOf("=")
  return equals < 0
    ? fail(text, 'a range is DIM=LO:HI, DIM=VALUE or DIM=["lo","hi"]')
    : fail(text, `there is no dimension ${JSON.stringify(text.slice(0, equals))}; the array has ${existing}`)
}

/** Parses all `--range` options. Throws {@link UsageError}. */
export const parseRanges = (schema: ArraySchema, texts: ReadonlyArray<string>): RegionInput => {
  const ranges = new Map<string, Array<Pair>>()
  for (const text of texts) {
    const dimension = dimensionOf(schema, text)
    const pair = rangeOf(dimension, text, text.slice(dimension.name.length + 1))
    const numeric = dimension.cellValNum !== VAR
    if (numeric && pair.some((bound) => typeof bound === "string" && bound.trim() === "")) {
      return fail(text, `there is no value; the dimension is of type ${dimension.type}`)
    }
    const list = ranges.get(dimension.name)
    if (list === undefined) ranges.set(dimension.name, [pair])
    else list.push(pair)
  }
  return Object.fromEntries(ranges)
}

/**
 * Parses the names in `--select` or another option. Names may contain commas: the longest sequence of parts that is a
 * name is one name.
 */
export const parseSelect = (
  names: ReadonlySet<string>,
  texts: ReadonlyArray<string>,
  option = "select",
): ReadonlyArray<string> | undefined => {
  if (texts.length === 0) return undefined
  const out: Array<string> = []
  for (const text of texts) {
    const parts = text.split(",")
    for (let from = 0; from < parts.length;) {
      let to = parts.length
      while (to > from + 1 && !names.has(parts.slice(from, to).join(","))) to--
      const name = parts.slice(from, to).join(",")
      out.push(names.has(name) ? name : name.trim())
      from = to
    }
  }
  const twice = out.find((name, i) => out.indexOf(name) !== i)
  if (twice !== undefined) throw new UsageError({ detail: `--${option}: ${JSON.stringify(twice)} is named twice` })
  return out
}

/**
 * Options of columns: converts `--types`, `--tile`, `--domain`, `--filter` and `--columns` from text to the library's
 * input.
 */
import { type Datatype, datatypes } from "../../../schema/array/datatype.ts"
import type { Filter } from "../../../schema/array/filter.ts"
import * as Filters from "../../schema_builder/filter.ts"
import type { CsvType } from "../../transfer/csv/csv_types.ts"
import type { Request } from "./arguments.ts"
import { UsageError } from "./usage_error.ts"

const fail = (option: string, text: string, reason: string): never => {
  throw new UsageError({ detail: `--${option} ${JSON.stringify(text)}: ${reason}` })
}

/** Returns the names in an option, which are separated by commas. */
export const namesOf = (request: Request, option: string): ReadonlyArray<string> | undefined => {
  const texts = request.texts(option)
  return texts.length === 0 ? undefined : texts.flatMap((text) => text.split(",")).map((name) => name.trim())
}

/** Parses `NAME=VALUE`; names may contain `=`. Throws {@link UsageError}. */
export const pairOf = (option: string, text: string): readonly [name: string, value: string] => {
  const at = text.lastIndexOf("=")
  return at > 0 && at < text.length - 1
    ? [text.slice(0, at), text.slice(at + 1)]
    : fail(option, text, "write COLUMN=VALUE")
}

/** Short names of datatypes. */
const short: Readonly<Record<string, Datatype>> = {
  ascii: "string_ascii",
  bool: "bool",
  boolean: "bool",
  date: "datetime_day",
  datetime: "datetime_ms",
  double: "float64",
  float: "float64",
  int: "int64",
  string: "string_utf8",
  text: "string_utf8",
  utf8: "string_utf8",
}

/** Returns a datatype by its name or short name. Throws {@link UsageError}. */
export const datatypeOf = (option: string, text: string, type: string): Datatype =>
  Object.hasOwn(short, type) ? short[type] : datatypes.find((datatype) => datatype === type) ??
    fail(
      option,
      text,
      `${JSON.stringify(type)} is not a datatype; there are ${[...Object.keys(short), ...datatypes].join(", ")}`,
    )

/** The datatype and nullability of a column. */
export interface AttributeType {
  readonly type: Datatype
  readonly isNullable: boolean
}

/** Parses `a=int32,b=ascii?`. Throws {@link UsageError}. */
export const attributeTypesOf = (request: Request, option: string): Readonly<Record<string, AttributeType>> =>
  Object.fromEntries(
    request.texts(option).flatMap((text) => text.split(",")).map((text) => {
      const [name, written] = pairOf(option, text)
      const isNullable = written.endsWith("?")
      return [name.trim(), { type: datatypeOf(option, text, isNullable ? written.slice(0, -1) : written), isNullable }]
    }),
  )

/** Parses `--types a=int32,b=ascii?`. Throws {@link UsageError}. */
export const typesOf = (request: Request): Readonly<Record<string, CsvType>> =>
  Object.fromEntries(
    Object.entries(attributeTypesOf(request, "types")).map((
      [name, { type, isNullable }],
    ) => [name, `${type}${isNullable ? "?" : ""}` as CsvType]),
  )

/** Parses `--tile a=10,b=5`. Throws {@link UsageError}. */
export const tileOptions = (request: Request): Readonly<Record<string, string>> =>
  Object.fromEntries(request.texts("tile").flatMap((text) => text.split(",")).map((text) => pairOf("tile", text)))

/** Parses `--domain a=LOW:HIGH`, or `a=["low","high"]`. Throws {@link UsageError}. */
export const domainsOf = (
  request: Request,
  option = "domain",
): Readonly<Record<string, readonly [unknown, unknown]>> =>
  Object.fromEntries(
    request.texts(option).map((text) => {
      const equals = text.indexOf("=")
      const [name, value] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)]
      const advice = `write DIM=LOW:HIGH, or DIM=["low","high"] for values with a colon`
      if (equals < 1) return fail(option, text, advice)
      if (value.startsWith("[")) {
        try {
          const ends: unknown = JSON.parse(value)
          if (Array.isArray(ends) && ends.length === 2) return [name, [ends[0], ends[1]]]
        } catch {
          // invalid JSON is reported below
        }
        return fail(option, text, advice)
      }
      const ends = value.split(":")
      return ends.length === 2 && !ends.includes("") ? [name, [ends[0], ends[1]]] : fail(option, text, advice)
    }),
  )

const levelled: Readonly<Record<string, (options?: { readonly level?: number }) => Filter>> = {
  bzip2: Filters.bzip2,
  gzip: Filters.gzip,
  lz4: Filters.lz4,
  zstd: Filters.zstd,
}

const plain: Readonly<Record<string, () => Filter>> = {
  bit_width_reduction: Filters.bit_width_reduction,
  bitshuffle: Filters.bitshuffle,
  byteshuffle: Filters.byteshuffle,
  checksum_md5: Filters.checksum_md5,
  checksum_sha256: Filters.checksum_sha256,
  delta: Filters.delta,
  dictionary: Filters.dictionary,
  double_delta: Filters.double_delta,
  noop: Filters.noop,
  positive_delta: Filters.positive_delta,
  rle: Filters.rle,
  scale_float: Filters.scale_float,
  xor: Filters.xor,
}

const filterOf = (option: string, text: string): Filter => {
  const [name, level, ...more] = text.trim().split(":")
  if (more.length === 0) {
    if (level === undefined && Object.hasOwn(plain, name)) return plain[name]()
    if (Object.hasOwn(levelled, name)) {
      if (level === undefined) return levelled[name]()
      if (/^-?\d{1,3}$/.test(level)) return levelled[name]({ level: Number(level) })
    }
  }
  const all = [...Object.keys(levelled).map((name) => `${name}[:LEVEL]`), ...Object.keys(plain), "none"].join(", ")
  return fail("filter", option, `${JSON.stringify(text)} is not a filter; there are ${all}`)
}

/** Parses `--filter bitshuffle,zstd:5`, and `--filter a=rle` for single columns. Throws {@link UsageError}. */
export const filtersOf = (
  request: Request,
): {
  readonly filters?: ReadonlyArray<Filter>
  readonly columnFilters: Readonly<Record<string, ReadonlyArray<Filter>>>
} => {
  let filters: ReadonlyArray<Filter> | undefined
  const columnFilters: Record<string, ReadonlyArray<Filter>> = {}
  for (const text of request.texts("filter")) {
    const [name, list] = text.includes("=") ? pairOf("filter", text) : [undefined, text]
    const values = list === "none" ? [] : list.split(",").map((part) => filterOf(text, part))
    if (name === undefined) filters = values
    else columnFilters[name] = values
  }
  return { ...(filters === undefined ? {} : { filters }), columnFilters }
}

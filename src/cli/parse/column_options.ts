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

/** Names, separated by commas. */
export const namesOf = (request: Request, option: string): ReadonlyArray<string> | undefined => {
  const texts = request.texts(option)
  return texts.length === 0 ? undefined : texts.flatMap((text) => text.split(",")).map((name) => name.trim())
}

/** Parses `NAME=VALUE`; names may contain the sign. */
const pairOf = (option: string, text: string): readonly [name: string, value: string] => {
  const at = text.lastIndexOf("=")
  return at > 0 && at < text.length - 1
    ? [text.slice(0, at), text.slice(at + 1)]
    : fail(option, text, "write COLUMN=VALUE")
}

/** What datatypes may be called, too. */
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

/** `--types a=int32,b=ascii?`. Throws {@link UsageError}. */
export const typesOf = (request: Request): Readonly<Record<string, CsvType>> =>
  Object.fromEntries(
    request.texts("types").flatMap((text) => text.split(",")).map((text) => {
      const [name, written] = pairOf("types", text)
      const [type, mark] = written.endsWith("?") ? [written.slice(0, -1), "?"] : [written, ""]
      const match = Object.hasOwn(short, type) ? short[type] : datatypes.find((datatype) => datatype === type)
      if (match === undefined) {
        return fail(
          "types",
          text,
          `${JSON.stringify(type)} is no datatype; there are ${[...Object.keys(short), ...datatypes].join(", ")}`,
        )
      }
      return [name.trim(), `${match}${mark}` as CsvType]
    }),
  )

/** `--tile a=10,b=5`. Throws {@link UsageError}. */
export const tileOptions = (request: Request): Readonly<Record<string, string>> =>
  Object.fromEntries(request.texts("tile").flatMap((text) => text.split(",")).map((text) => pairOf("tile", text)))

/** `--domain a=LOW:HIGH`, or `a=["low","high"]`. Throws {@link UsageError}. */
export const domainsOf = (request: Request): Readonly<Record<string, readonly [unknown, unknown]>> =>
  Object.fromEntries(
    request.texts("domain").map((text) => {
      const equals = text.indexOf("=")
      const [name, value] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)]
      const advice = `write DIM=LOW:HIGH, or DIM=["low","high"] for values with a colon`
      if (equals < 1) return fail("domain", text, advice)
      if (value.startsWith("[")) {
        try {
          const ends: unknown = JSON.parse(value)
          if (Array.isArray(ends) && ends.length === 2) return [name, [ends[0], ends[1]]]
        } catch {
          // told below
        }
        return fail("domain", text, advice)
      }
      const ends = value.split(":")
      return ends.length === 2 && !ends.includes("") ? [name, [ends[0], ends[1]]] : fail("domain", text, advice)
    }),
  )

const levelled: Readonly<Record<string, (level?: number) => Filter>> = {
  bzip2: Filters.bzip2,
  gzip: Filters.gzip,
  lz4: Filters.lz4,
  zstd: Filters.zstd,
}

const plain: Readonly<Record<string, Filter>> = {
  bit_width_reduction: Filters.bitWidthReduction(),
  bitshuffle: Filters.bitShuffle,
  byteshuffle: Filters.byteShuffle,
  checksum_md5: Filters.checksumMd5,
  checksum_sha256: Filters.checksumSha256,
  delta: Filters.delta(),
  dictionary: Filters.dictionary,
  double_delta: Filters.doubleDelta(),
  positive_delta: Filters.positiveDelta(),
  rle: Filters.rle,
  xor: Filters.xor,
}

const filterOf = (option: string, text: string): Filter => {
  const [name, level, ...more] = text.trim().split(":")
  if (more.length === 0) {
    if (level === undefined && Object.hasOwn(plain, name)) return plain[name]
    if (Object.hasOwn(levelled, name)) {
      if (level === undefined) return levelled[name]()
      if (/^-?\d{1,3}$/.test(level)) return levelled[name](Number(level))
    }
  }
  const all = [...Object.keys(levelled).map((name) => `${name}[:LEVEL]`), ...Object.keys(plain), "none"].join(", ")
  return fail("filter", option, `${JSON.stringify(text)} is no filter; there are ${all}`)
}

/** `--filter bitshuffle,zstd:5`, and `--filter a=rle` for single columns. Throws {@link UsageError}. */
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

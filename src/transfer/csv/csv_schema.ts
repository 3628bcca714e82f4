/**
 * Derives the schema of an array from CSV columns.
 */
import { shownValue } from "../../../platform/errors.ts"
import type { Refuse } from "../../array/open/open_options.ts"
import { type Datatype, isTemporal, sizeOf, storageOf } from "../../../schema/array/datatype.ts"
import type { Filter } from "../../../schema/array/filter.ts"
import { dense, sparse } from "../../schema_builder/array_schema.ts"
import { type Attribute, nullable, of as attributeOf } from "../../schema_builder/attribute.ts"
import { ascii, type Dimension, of as dimensionOf } from "../../schema_builder/dimension.ts"
import { SchemaError } from "../../schema_builder/schema_error.ts"
import type { ArraySchema, CellOrder } from "../../schema_builder/schema_value.ts"
import type { ColumnType } from "./csv_types.ts"

/** Options of the schema. */
export interface CsvSchemaOptions {
  /** Array type. Default: `dense`. */
  readonly arrayType?: "dense" | "sparse"
  /**
   * Columns that become dimensions, in the order of the dimensions. Default for dense arrays: one dimension `row`,
   * which numbers the rows from 0 on.
   */
  readonly dims?: ReadonlyArray<string>
  /** Tile extents by dimension. Default for dense arrays: such that a tile has about 10,000 cells. */
  readonly tile?: Readonly<Record<string, number | bigint | string>>
  /** Domains by dimension, both ends inclusive. Default: the largest domain of the datatype. */
  readonly domain?: Readonly<Record<string, readonly [low: unknown, high: unknown]>>
  /** Filters of attributes and coordinates. Default: Zstandard. */
  readonly filters?: ReadonlyArray<Filter>
  /** Filters of single columns, in place of `filters`. */
  readonly columnFilters?: Readonly<Record<string, ReadonlyArray<Filter>>>
  /** Sparse arrays: order of the cells in a tile. Default: `row-major`. */
  readonly order?: CellOrder
  /** Sparse arrays: number of cells of a tile. Default: 10,000. */
  readonly capacity?: number
  /** Sparse arrays: keeps all rows with equal coordinates. Default: false. */
  readonly allowsDuplicates?: boolean
}

/** Name of the dimension that numbers the rows of dense arrays. */
export const ROW_DIMENSION = "row"

/** Default number of cells in a tile of a dense array. */
const DEFAULT_TILE_CELLS = 10_000

/** Returns the largest domain of a datatype, and its tile extent. Tiles start at multiples of their extent. */
const wholeDomain = (
  type: Datatype,
  tile: bigint | undefined,
  from: bigint | undefined,
): { readonly domain: readonly [bigint, bigint]; readonly tile: bigint | undefined } => {
  const bits = BigInt(8 * sizeOf(type))
  const signed = !storageOf(type).startsWith("u")
  const end = signed ? 2n ** (bits - 1n) : 2n ** bits
  // exclude the smallest count of datetimes, which is NaT
  const start = isTemporal(type) ? -(end / 2n) : signed ? -end : 0n
  if (tile === undefined) {
    // the length of a signed domain exceeds the maximum tile extent
    return { domain: [from ?? start, end - 2n], tile: signed ? 2n ** (bits - 2n) : undefined }
  }
  const low = from ?? start / tile * tile
  const high = (end - low) / tile * tile + low - 1n
  return { domain: [low, low === start && high === end - 1n ? high - tile : high], tile }
}

const MAX_FLOAT_BOUND = { float32: 2 ** 126, float64: 2 ** 1022 } as const

/** Returns the default tile extent, limited to the length of the domain. */
const limitExtent = ({ domain }: Dimension, length: bigint | undefined): bigint | undefined => {
  if (domain === null || length === undefined) return length
  const cells = BigInt(domain[1]) - BigInt(domain[0]) + 1n
  return cells > 0n && cells < length ? cells : length
}

const dimensionOfColumn = (
  name: string,
  type: Datatype,
  options: CsvSchemaOptions,
  filters: ReadonlyArray<Filter>,
  side: bigint | undefined,
  refuse: Refuse,
): Dimension => {
  const { tile, domain } = options
  const definedOptions = tile !== undefined && Object.hasOwn(tile, name) ? tile[name] : undefined
  if (type === "string_utf8" || type === "string_ascii" || type === "char") {
    if (definedOptions !== undefined) refuse("tile", `${name}: text dimensions have no tile extent`, definedOptions)
    return ascii({ filters })
  }
  const item = domain !== undefined && Object.hasOwn(domain, name) ? domain[name] : undefined
  const make = (ends: readonly [unknown, unknown], length: unknown): Dimension =>
    dimensionOf(type as "int64", ends as never, {
      filters,
      ...(length === undefined ? {} : { tile: length as bigint }),
    })
  if (type === "float32" || type === "float64") {
    return make(
      item ?? [-MAX_FLOAT_BOUND[type], MAX_FLOAT_BOUND[type]],
      definedOptions === undefined ? undefined : Number(definedOptions),
    )
  }
  if (type === "bool" || type === "blob") return refuse("dims", `${name}: ${type} is not a datatype of coordinates`)
  let length: bigint | undefined
  try {
    length = definedOptions === undefined ? side : BigInt(definedOptions)
  } catch {
    return refuse(
      "tile",
      `${name}: ${shownValue(definedOptions)} is invalid; expected a whole number above 0`,
      definedOptions,
    )
  }
  if (item !== undefined) {
    return make(item, definedOptions === undefined ? limitExtent(make(item, undefined), length) : length)
  }
  const whole = wholeDomain(type, length, name === ROW_DIMENSION ? 0n : undefined)
  return make(whole.domain, whole.tile)
}

/** Returns the schema for columns of these types. `refuse` rejects an option. Throws {@link SchemaError}. */
export const csvSchema = (
  columns: ReadonlyMap<string, ColumnType>,
  options: CsvSchemaOptions,
  refuse: Refuse,
): ArraySchema => {
  const { arrayType = "dense", dims = [], columnFilters = {}, order, capacity, allowsDuplicates } = options
  const filters = options.filters ?? [{ type: "zstd", level: -1 }]
  const filtersOf = (name: string): ReadonlyArray<Filter> =>
    Object.hasOwn(columnFilters, name) ? columnFilters[name] : filters
  const names = dims.length > 0
    ? dims
    : arrayType === "dense"
    ? [ROW_DIMENSION]
    : refuse("dims", "specify the columns that contain coordinates", undefined, { accepted: [...columns.keys()] })
  if (dims.length === 0 && columns.has(ROW_DIMENSION)) {
    const detail = "a column has the name of the dimension that numbers the rows; set dims, or rename the column"
    throw new SchemaError({ field: ROW_DIMENSION, reason: "Duplicate", detail })
  }
  const dimensionNames = new Set(names)
  const quoted = (all: Iterable<string>): string => [...all].map((name) => JSON.stringify(name)).join(", ")
  for (const option of ["tile", "domain"] as const) {
    for (const name of Object.keys(options[option] ?? {})) {
      if (!dimensionNames.has(name)) {
        refuse(option, `${name}: it is not a dimension; the dimensions are ${quoted(names)}`, name, { accepted: names })
      }
    }
  }
  const columnNames = [...columns.keys()]
  const noColumn = (option: string, name: string): never => {
    const detail = `${name}: there is no such column; there are ${quoted(columnNames)}`
    return refuse(option, detail, name, { accepted: columnNames })
  }
  for (const name of Object.keys(columnFilters)) if (!columns.has(name)) noColumn("columnFilters", name)
  const side = arrayType === "dense" ? BigInt(Math.round(DEFAULT_TILE_CELLS ** (1 / names.length))) : undefined
  const dimensions = Object.fromEntries(names.map((name): [string, Dimension] => {
    const type = dims.length === 0 ? "int64" : columns.get(name)?.type ?? noColumn("dims", name)
    return [name, dimensionOfColumn(name, type, options, dims.length === 0 ? [] : filtersOf(name), side, refuse)]
  }))
  const attrs = Object.fromEntries(
    [...columns].filter(([name]) => !dimensionNames.has(name)).map(
      ([name, { type, nullable: empty }]): [string, Attribute] => {
        const attribute: Attribute = attributeOf(type, { filters: filtersOf(name) })
        return [name, empty ? nullable(attribute) : attribute]
      },
    ),
  )
  const input = <A extends object>(some: A): Partial<A> =>
    Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) as Partial<A>
  if (arrayType === "sparse") {
    return sparse({ dims: dimensions, attrs, ...input({ order, capacity, allowsDuplicates }) })
  }
  return dense({ dims: dimensions, attrs, ...input({ order: order as "row-major", capacity }) })
}

/**
 * Dimensions of a schema: a datatype, an inclusive domain, and a space tile extent.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const day = Dim.datetime("day", ["2024-01-01", new Date("2024-12-31")], { tile: 7n })
 * assertEquals(day.type, "datetime_day")
 * assertEquals(day.domain, [19723n, 20088n])
 * ```
 *
 * Format: `array_schema.md`, "Dimension".
 *
 * @module
 */
import type { Datatype } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { parseScalar, type Scalar, ScalarError } from "../../schema/array/scalar.ts"
import type { CoordinateOf, DatetimeType, DimensionType, TimeType, ValueOf } from "./datatype_values.ts"
import { pipelineOf, problemOf, scalarInput } from "./builder_input.ts"

export type { CoordinateOf, DatetimeType, DimensionType, TimeType, ValueOf } from "./datatype_values.ts"

/** An axis of an array, without its name, which is a key of the schema's `dims`. */
export interface Dimension<T extends DimensionType = DimensionType> {
  /** The datatype of the coordinates. */
  readonly type: T
  /** The lowest and the highest coordinate; `null` for text, which has no domain. */
  readonly domain: readonly [low: ValueOf<T>, high: ValueOf<T>] | null
  /** The space tile extent; `null` for text, and for the default: the whole domain, or no tiles with Hilbert order. */
  readonly tile: ValueOf<T> | null
  /** The filter pipeline of the coordinates; if empty, the schema's `coordsFilters` apply. */
  readonly filters: FilterPipeline
  /** The reason why the dimension is invalid; the schema reports it with the name. */
  readonly problem?: string
}

/** The options of a dimension. */
export interface DimensionOptions<T extends DimensionType> {
  /** The space tile extent. Default: the whole domain. */
  readonly tile?: T extends DatetimeType | TimeType ? number | bigint : CoordinateOf<T>
  /** The filters of the coordinates. Default: the schema's `coordsFilters`. */
  readonly filters?: ReadonlyArray<Filter>
}

/** The lowest and the highest coordinate, both inclusive. */
export type DomainOf<T extends DimensionType> = readonly [low: CoordinateOf<T>, high: CoordinateOf<T>]

/**
 * Creates a dimension of a datatype, by its name, with a domain.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.of("int32", [0, 99], { tile: 10 }).type, Dim.int32([0, 99]).type)
 * ```
 */
export const of = <T extends Exclude<DimensionType, "string_ascii">>(
  type: T,
  domain: DomainOf<T>,
  options: DimensionOptions<T> = {},
): Dimension<T> => {
  let bounds: [Scalar, Scalar] | null = null
  let tile: Scalar | null = null
  const problem = problemOf("domain", () => {
    if (!Array.isArray(domain) || domain.length !== 2) throw new ScalarError("a domain must be a pair [low, high]")
    bounds = [parseScalar(type, scalarInput(domain[0])), parseScalar(type, scalarInput(domain[1]))]
  }) ?? problemOf("tile", () => {
    if (options.tile !== undefined) tile = parseScalar(type, scalarInput(options.tile))
  })
  return {
    type,
    domain: bounds as Dimension<T>["domain"],
    tile: tile as Dimension<T>["tile"],
    filters: pipelineOf(options.filters ?? []),
    ...(problem === undefined ? {} : { problem }),
  }
}

/** Creates a dimension of one datatype. */
export type MakeDimension<T extends DimensionType> = (
  domain: DomainOf<T>,
  options?: DimensionOptions<T>,
) => Dimension<T>

const maker = <T extends Exclude<DimensionType, "string_ascii">>(type: T): MakeDimension<T> => (domain, options) =>
  of(type, domain, options)

/**
 * Creates a dimension of integers from −128 to 127.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.int8([0, 99], { tile: 10 }).domain, [0, 99])
 * ```
 */
export const int8: MakeDimension<"int8"> = maker("int8")
/**
 * Creates a dimension of integers from 0 to 255.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.uint8([0, 99], { tile: 10 }).domain, [0, 99])
 * ```
 */
export const uint8: MakeDimension<"uint8"> = maker("uint8")
/**
 * Creates a dimension of integers from −32,768 to 32,767.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.int16([0, 99], { tile: 10 }).domain, [0, 99])
 * ```
 */
export const int16: MakeDimension<"int16"> = maker("int16")
/**
 * Creates a dimension of integers from 0 to 65,535.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.uint16([0, 99], { tile: 10 }).domain, [0, 99])
 * ```
 */
export const uint16: MakeDimension<"uint16"> = maker("uint16")
/**
 * Creates a dimension of integers from −2³¹ to 2³¹ − 1.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.int32([0, 99], { tile: 10 }).domain, [0, 99])
 * ```
 */
export const int32: MakeDimension<"int32"> = maker("int32")
/**
 * Creates a dimension of integers from 0 to 2³² − 1.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.uint32([0, 99], { tile: 10 }).domain, [0, 99])
 * ```
 */
export const uint32: MakeDimension<"uint32"> = maker("uint32")
/**
 * Creates a dimension of integers from −2⁶³ to 2⁶³ − 1; bounds above 2⁵³ as bigint.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.int64([0, 9007199254740993n], { tile: 1000 }).domain, [0n, 9007199254740993n])
 * ```
 */
export const int64: MakeDimension<"int64"> = maker("int64")
/**
 * Creates a dimension of integers from 0 to 2⁶⁴ − 1; bounds above 2⁵³ as bigint.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.uint64([0, 9007199254740993n], { tile: 1000 }).domain, [0n, 9007199254740993n])
 * ```
 */
export const uint64: MakeDimension<"uint64"> = maker("uint64")
/**
 * Creates a dimension of single-precision floats; sparse arrays only.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.float32([-90, 90], { tile: 10 }).tile, 10)
 * ```
 */
export const float32: MakeDimension<"float32"> = maker("float32")
/**
 * Creates a dimension of double-precision floats; sparse arrays only.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.float64([-90, 90], { tile: 10 }).tile, 10)
 * ```
 */
export const float64: MakeDimension<"float64"> = maker("float64")

/**
 * Creates a dimension of counts of a unit since 1970; bounds as Date, ISO text or count.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const day = Dim.datetime("day", ["2024-01-01", new Date("2024-12-31")], { tile: 30 })
 * assertEquals(day.domain, [19723n, 20088n])
 * ```
 */
export const datetime = <U extends DatetimeType extends `datetime_${infer Unit}` ? Unit : never>(
  unit: U,
  domain: DomainOf<Extract<Datatype, `datetime_${U}`>>,
  options?: DimensionOptions<Extract<Datatype, `datetime_${U}`>>,
): Dimension<Extract<Datatype, `datetime_${U}`>> =>
  of(`datetime_${unit}` as Extract<Datatype, `datetime_${U}`>, domain, options)

/**
 * Creates a dimension of counts of a unit since midnight; bounds as text (`"12:30:00"`) or count.
 *
 * ```ts
 * import { Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.time("sec", ["00:00:00", "23:59:59"]).domain, [0n, 86399n])
 * ```
 */
export const time = <U extends TimeType extends `time_${infer Unit}` ? Unit : never>(
  unit: U,
  domain: DomainOf<Extract<Datatype, `time_${U}`>>,
  options?: DimensionOptions<Extract<Datatype, `time_${U}`>>,
): Dimension<Extract<Datatype, `time_${U}`>> => of(`time_${unit}` as Extract<Datatype, `time_${U}`>, domain, options)

/**
 * Creates a dimension of ASCII text of any length; sparse arrays only. It has no domain and no tiles.
 *
 * ```ts
 * import { Dim, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Dim.ascii({ filters: [Filter.dictionary(), Filter.zstd()] }).domain, null)
 * ```
 */
export const ascii = (options: Pick<DimensionOptions<"string_ascii">, "filters"> = {}): Dimension<"string_ascii"> => ({
  type: "string_ascii",
  domain: null,
  tile: null,
  filters: pipelineOf(options.filters ?? []),
})

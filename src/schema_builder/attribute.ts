/**
 * Attributes of a schema: a datatype and the filters of the cells, refined by further functions.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const flag = Attr.nullable(Attr.uint8({ filters: [Filter.rle()] }))
 * assertEquals([flag.type, flag.nullable, flag.cellValNum], ["uint8", true, 1])
 *
 * const rgb = Attr.fill(Attr.multiValue(Attr.uint8({ filters: [Filter.zstd()] }), 3), [255, 255, 255])
 * assertEquals([rgb.cellValNum, [...rgb.fillValue]], [3, [255, 255, 255]])
 *
 * assertEquals(Attr.utf8().cellValNum, "var") // text and bytes are var-sized by default
 * ```
 *
 * Format: `array_schema.md`, "Attribute".
 *
 * @module
 */
import { cellSize, defaultCellFill, VAR } from "../../schema/array/cell_val_num.ts"
import type { DataOrder } from "../../schema/array/data_order.ts"
import { type Datatype, sizeOf } from "../../schema/array/datatype.ts"
import type { Filter } from "../../schema/array/filter.ts"
import type { FilterPipeline } from "../../schema/array/filter_pipeline.ts"
import { isText, parseScalar, parseText, scalarBytes, ScalarError } from "../../schema/array/scalar.ts"
import type { DatetimeType, TimeType } from "./datatype_values.ts"
import { pipelineOf, problemOf, scalarInput } from "./builder_input.ts"

export type { DatetimeType, TimeType } from "./datatype_values.ts"

/** A value in every cell, without its name, which is a key of the schema's `attrs`. */
export interface Attribute<
  T extends Datatype = Datatype,
  N extends boolean = boolean,
  C extends number | "var" = number | "var",
  E extends string = string,
> {
  /** The datatype of the values. */
  readonly type: T
  /** Whether cells may be null. */
  readonly nullable: N
  /** The number of values in a cell; `"var"` for var-sized cells. */
  readonly cellValNum: C
  /** The filter pipeline of the cells. */
  readonly filters: FilterPipeline
  /** The value of unwritten cells: the bytes of a whole cell. */
  readonly fillValue: Uint8Array
  /** For nullable attributes, the validity of unwritten cells: 0 if they are null. */
  readonly fillValueValidity: number
  /** The order of the values along the only dimension of a dense array. */
  readonly order: DataOrder
  /** Name of the enumeration, if the cells are codes of its values; `""` for other attributes. */
  readonly enumeration: E
  /** The reason why the attribute is invalid; the schema reports it with the name. */
  readonly problem?: string
}

const varSizedByDefault: ReadonlyArray<Datatype> = [
  "char",
  "string_ascii",
  "string_utf8",
  "string_utf16",
  "string_utf32",
  "string_ucs2",
  "string_ucs4",
  "any",
  "blob",
  "geom_wkb",
  "geom_wkt",
]

const cellFill = (type: Datatype, cellValNum: number | "var"): Uint8Array =>
  (defaultCellFill(type, cellValNum === "var" ? VAR : cellValNum) ?? new Uint8Array(0)).slice()

/** The options of an attribute. */
export interface AttributeOptions {
  /** The filters of the cells, in the order of application. Default: no filters. */
  readonly filters?: ReadonlyArray<Filter>
  /** Whether cells may be null. Default: false. */
  readonly nullable?: boolean
}

/** Whether cells may be null, by the options of the attribute. */
export type NullableOf<O extends AttributeOptions> = O extends { readonly nullable: infer N extends boolean } ? N
  : false

const OPTIONS: ReadonlyArray<string> = ["filters", "nullable"] satisfies ReadonlyArray<keyof AttributeOptions>

/** Returns the reason why options are invalid; programs without types may pass anything. */
const optionsProblem = (options: AttributeOptions): string | undefined => {
  const isObject = typeof options === "object" && options !== null
  if (!isObject || "type" in options) return "options: filters are an option: { filters: [Filter.zstd()] }"
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined) return `options: ${unknown} is not an option; there are ${OPTIONS.join(", ")}`
  const { filters, nullable } = options
  if (filters !== undefined && !Array.isArray(filters)) return "filters: expected a list of filters"
  return nullable === undefined || typeof nullable === "boolean" ? undefined : "nullable: expected true or false"
}

const make = <T extends Datatype, C extends number | "var", O extends AttributeOptions>(
  type: T,
  cellValNum: C,
  options: O | undefined,
): Attribute<T, NullableOf<O>, C, ""> => {
  const problem = optionsProblem(options ?? {})
  const { filters = [], nullable = false }: AttributeOptions = problem === undefined ? options ?? {} : {}
  return {
    type,
    nullable: nullable as NullableOf<O>,
    cellValNum,
    filters: pipelineOf(filters),
    fillValue: cellFill(type, cellValNum),
    fillValueValidity: 0,
    order: "unordered",
    enumeration: "",
    ...(problem === undefined ? {} : { problem }),
  }
}

/** The default number of values in a cell of a datatype: text and bytes are var-sized. */
export type DefaultCellValNum<T extends Datatype> = T extends
  | "char"
  | `string_${string}`
  | "any"
  | "blob"
  | "geom_wkb"
  | "geom_wkt" ? "var"
  : 1

/** Creates an attribute of one datatype. */
export type MakeAttribute<T extends Datatype> = <const O extends AttributeOptions = Readonly<Record<never, never>>>(
  options?: O,
) => Attribute<T, NullableOf<O>, DefaultCellValNum<T>, "">

/**
 * Creates an attribute of a datatype, by its name.
 *
 * ```ts
 * import { Attr } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.of("datetime_day").type, Attr.datetime("day").type)
 * ```
 */
export const of = <T extends Datatype, const O extends AttributeOptions = Readonly<Record<never, never>>>(
  type: T,
  options?: O,
): Attribute<T, NullableOf<O>, DefaultCellValNum<T>, ""> =>
  make(type, (varSizedByDefault.includes(type) ? "var" : 1) as DefaultCellValNum<T>, options)

const maker = <T extends Datatype>(type: T): MakeAttribute<T> => (options) => of(type, options)

/**
 * Creates an attribute of integers from −128 to 127.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.int8({ filters: [Filter.zstd()] }).type, "int8") // read and written as Int8Array
 * ```
 */
export const int8: MakeAttribute<"int8"> = maker("int8")
/**
 * Creates an attribute of integers from 0 to 255.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.uint8({ filters: [Filter.zstd()] }).type, "uint8") // read and written as Uint8Array
 * ```
 */
export const uint8: MakeAttribute<"uint8"> = maker("uint8")
/**
 * Creates an attribute of integers from −32,768 to 32,767.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.int16({ filters: [Filter.zstd()] }).type, "int16") // read and written as Int16Array
 * ```
 */
export const int16: MakeAttribute<"int16"> = maker("int16")
/**
 * Creates an attribute of integers from 0 to 65,535.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.uint16({ filters: [Filter.zstd()] }).type, "uint16") // read and written as Uint16Array
 * ```
 */
export const uint16: MakeAttribute<"uint16"> = maker("uint16")
/**
 * Creates an attribute of integers from −2³¹ to 2³¹ − 1.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.int32({ filters: [Filter.zstd()] }).type, "int32") // read and written as Int32Array
 * ```
 */
export const int32: MakeAttribute<"int32"> = maker("int32")
/**
 * Creates an attribute of integers from 0 to 2³² − 1.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.uint32({ filters: [Filter.zstd()] }).type, "uint32") // read and written as Uint32Array
 * ```
 */
export const uint32: MakeAttribute<"uint32"> = maker("uint32")
/**
 * Creates an attribute of integers from −2⁶³ to 2⁶³ − 1, as bigint.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.int64({ filters: [Filter.zstd()] }).type, "int64") // read and written as BigInt64Array
 * ```
 */
export const int64: MakeAttribute<"int64"> = maker("int64")
/**
 * Creates an attribute of integers from 0 to 2⁶⁴ − 1, as bigint.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.uint64({ filters: [Filter.zstd()] }).type, "uint64") // read and written as BigUint64Array
 * ```
 */
export const uint64: MakeAttribute<"uint64"> = maker("uint64")
/**
 * Creates an attribute of single-precision floats.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float32({ filters: [Filter.zstd()] }).type, "float32") // read and written as Float32Array
 * ```
 */
export const float32: MakeAttribute<"float32"> = maker("float32")
/**
 * Creates an attribute of double-precision floats.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.float64({ filters: [Filter.zstd()] }).type, "float64") // read and written as Float64Array
 * ```
 */
export const float64: MakeAttribute<"float64"> = maker("float64")
/**
 * Creates an attribute of booleans: 0 for false, 1 for true.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.bool({ filters: [Filter.zstd()] }).type, "bool") // read and written as Uint8Array
 * ```
 */
export const bool: MakeAttribute<"bool"> = maker("bool")
/**
 * Creates an attribute of text with one byte per character, like in C (NumPy's `S`). Var-sized.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.char({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["char", "var"])
 * ```
 */
export const char: MakeAttribute<"char"> = maker("char")
/**
 * Creates an attribute of ASCII text, var-sized.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.ascii({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["string_ascii", "var"])
 * ```
 */
export const ascii: MakeAttribute<"string_ascii"> = maker("string_ascii")
/**
 * Creates an attribute of UTF-8 text, var-sized.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.utf8({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["string_utf8", "var"])
 * ```
 */
export const utf8: MakeAttribute<"string_utf8"> = maker("string_utf8")
/**
 * Creates an attribute of UTF-16 text, var-sized; columns contain code units.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.utf16({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["string_utf16", "var"])
 * ```
 */
export const utf16: MakeAttribute<"string_utf16"> = maker("string_utf16")
/**
 * Creates an attribute of UTF-32 text, var-sized; columns contain code points.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.utf32({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["string_utf32", "var"])
 * ```
 */
export const utf32: MakeAttribute<"string_utf32"> = maker("string_utf32")
/**
 * Creates an attribute of UCS-2 text, var-sized.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.ucs2({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["string_ucs2", "var"])
 * ```
 */
export const ucs2: MakeAttribute<"string_ucs2"> = maker("string_ucs2")
/**
 * Creates an attribute of UCS-4 text, var-sized.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.ucs4({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["string_ucs4", "var"])
 * ```
 */
export const ucs4: MakeAttribute<"string_ucs4"> = maker("string_ucs4")
/**
 * Creates an attribute of bytes without a defined meaning; always var-sized.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.any({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["any", "var"])
 * ```
 */
export const any: MakeAttribute<"any"> = maker("any")
/**
 * Creates an attribute of bytes, var-sized.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.blob({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["blob", "var"])
 * ```
 */
export const blob: MakeAttribute<"blob"> = maker("blob")
/**
 * Creates an attribute of geometries as well-known binary, var-sized.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.geomWkb({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["geom_wkb", "var"])
 * ```
 */
export const geomWkb: MakeAttribute<"geom_wkb"> = maker("geom_wkb")
/**
 * Creates an attribute of geometries as well-known text, var-sized.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const attribute = Attr.geomWkt({ filters: [Filter.zstd()] })
 * assertEquals([attribute.type, attribute.cellValNum], ["geom_wkt", "var"])
 * ```
 */
export const geomWkt: MakeAttribute<"geom_wkt"> = maker("geom_wkt")

/**
 * Creates an attribute of counts of a unit since 1970, as bigint: `Attr.datetime("ns")`.
 *
 * ```ts
 * import { Attr, Filter } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.datetime("ns", { filters: [Filter.double_delta(), Filter.zstd()] }).type, "datetime_ns")
 * ```
 */
export const datetime = <
  U extends DatetimeType extends `datetime_${infer Unit}` ? Unit : never,
  const O extends AttributeOptions = Readonly<Record<never, never>>,
>(
  unit: U,
  options?: O,
): Attribute<Extract<Datatype, `datetime_${U}`>, NullableOf<O>, 1, ""> =>
  make(`datetime_${unit}` as Extract<Datatype, `datetime_${U}`>, 1, options)

/**
 * Creates an attribute of counts of a unit since midnight, as bigint: `Attr.time("sec")`.
 *
 * ```ts
 * import { Attr } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.time("sec").type, "time_sec")
 * ```
 */
export const time = <
  U extends TimeType extends `time_${infer Unit}` ? Unit : never,
  const O extends AttributeOptions = Readonly<Record<never, never>>,
>(
  unit: U,
  options?: O,
): Attribute<Extract<Datatype, `time_${U}`>, NullableOf<O>, 1, ""> =>
  make(`time_${unit}` as Extract<Datatype, `time_${U}`>, 1, options)

/**
 * Makes an attribute nullable. Unwritten cells are null.
 *
 * ```ts
 * import { Attr } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.nullable(Attr.int32()).nullable, true)
 * ```
 */
export const nullable = <T extends Datatype, C extends number | "var", E extends string>(
  attribute: Attribute<T, boolean, C, E>,
): Attribute<T, true, C, E> => ({ ...attribute, nullable: true })

/**
 * Sets the number of values per cell. Resets the fill value to the default.
 *
 * ```ts
 * import { Attr } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.multiValue(Attr.uint8(), 3).cellValNum, 3) // red, green and blue
 * ```
 */
export const multiValue = <T extends Datatype, N extends boolean, const C extends number, E extends string>(
  attribute: Attribute<T, N, number | "var", E>,
  count: C,
): Attribute<T, N, C, E> => {
  const isValid = Number.isInteger(count) && count >= 1 && count < VAR
  const problem = isValid && defaultCellFill(attribute.type, count) !== undefined
    ? attribute.problem
    : `cellValNum: ${count} is not a valid number of values per cell; for var-sized cells use Attr.varSized`
  const fillValue = cellFill(attribute.type, problem === undefined ? count : 1)
  return { ...attribute, cellValNum: count, fillValue, ...(problem === undefined ? {} : { problem }) }
}

/**
 * Makes the cells var-sized. Resets the fill value to the default.
 *
 * ```ts
 * import { Attr } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.varSized(Attr.float64()).cellValNum, "var")
 * ```
 */
export const varSized = <T extends Datatype, N extends boolean, E extends string>(
  attribute: Attribute<T, N, number | "var", E>,
): Attribute<T, N, "var", E> => ({ ...attribute, cellValNum: "var", fillValue: cellFill(attribute.type, "var") })

/** The accepted forms of a fill value: one value, the values of a cell, a text, or the raw bytes of a cell. */
export type FillInput = number | bigint | string | Date | Uint8Array | ReadonlyArray<number | bigint | string | Date>

const fillBytes = (type: Datatype, cellValNum: number | "var", input: FillInput): Uint8Array => {
  if (input instanceof Uint8Array) return input.slice()
  if (typeof input === "string" && isText(type)) return parseText(type, input)
  const many: ReadonlyArray<number | bigint | string | Date> = Array.isArray(input)
    ? input
    : Array.from({ length: cellValNum === "var" ? 1 : cellValNum }, () => input as number)
  const size = sizeOf(type)
  const out = new Uint8Array(many.length * size)
  many.forEach((value, i) => out.set(scalarBytes(type, parseScalar(type, scalarInput(value))), i * size))
  return out
}

/**
 * Sets the value of unwritten cells. A single value is used for all values of a cell. Unwritten cells of a nullable
 * attribute stay null, unless `valid` is true.
 *
 * ```ts
 * import { Attr } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals([...Attr.fill(Attr.uint8(), 7).fillValue], [7])
 * assertEquals(Attr.fill(Attr.nullable(Attr.uint8()), 7, { valid: true }).fillValueValidity, 1)
 * ```
 */
export const fill = <T extends Datatype, N extends boolean, C extends number | "var", E extends string>(
  attribute: Attribute<T, N, C, E>,
  value: FillInput,
  options: { readonly valid?: boolean } = {},
): Attribute<T, N, C, E> => {
  const { type, cellValNum } = attribute
  let fillValue = attribute.fillValue
  const problem = attribute.problem ?? problemOf("fill value", () => {
    const bytes = fillBytes(type, cellValNum, value)
    const size = cellSize(type, cellValNum === "var" ? VAR : cellValNum)
    if (cellValNum === "var" ? bytes.length === 0 || bytes.length % size !== 0 : bytes.length !== size) {
      const cells = cellValNum === "var" ? `at least one value of ${size} bytes` : `a cell of ${size} bytes`
      throw new ScalarError(`${bytes.length} bytes are not ${cells}`)
    }
    fillValue = bytes
  })
  return {
    ...attribute,
    fillValue,
    fillValueValidity: options.valid === true ? 1 : 0,
    ...(problem === undefined ? {} : { problem }),
  }
}

/**
 * Makes the cells codes of an enumeration's values; the name refers to the schema's `enumerations`. Only for integers.
 *
 * ```ts
 * import { ArraySchema, Attr, Dim } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * const schema = ArraySchema.sparse({
 *   dims: { x: Dim.int32([0, 9]) },
 *   attrs: { color: Attr.enumerated(Attr.uint8(), "colors") },
 *   enumerations: { colors: ["red", "green"] },
 * })
 * assertEquals(schema.attrs.color.enumeration, "colors")
 * ```
 */
export const enumerated = <T extends Datatype, N extends boolean, C extends number | "var", const E extends string>(
  attribute: Attribute<T, N, C>,
  enumeration: E,
): Attribute<T, N, C, E> => ({ ...attribute, enumeration })

/**
 * Declares the values increasing or decreasing: for dense arrays of one dimension.
 *
 * ```ts
 * import { Attr } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 *
 * assertEquals(Attr.ordered(Attr.float64(), "increasing").order, "increasing")
 * ```
 */
export const ordered = <T extends Datatype, N extends boolean, C extends number | "var", E extends string>(
  attribute: Attribute<T, N, C, E>,
  order: "increasing" | "decreasing",
): Attribute<T, N, C, E> => ({ ...attribute, order })

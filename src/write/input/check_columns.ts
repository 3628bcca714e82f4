/**
 * Validates the columns of a write before anything is written: names, lengths, types, offsets, nulls, and values
 * outside a field's range.
 */
import type { ArraySchema } from "../../../schema/array/array_schema.ts"
import { isFloat, isInteger, sizeOf, viewAs } from "../../../schema/array/datatype.ts"
import type { DataOrder } from "../../../schema/array/data_order.ts"
import { WriteError, type WriteReason } from "../../array/open/errors.ts"
import { coordinateWordsSteps } from "../../fragment/cell_order.ts"
import { type Field, fieldsOf } from "../../fragment/field.ts"
import { firstAbove } from "../../kernel/outside.ts"
import { compareCells } from "../../kernel/sort/sort_cells.ts"
import { COPY_STEP, findInParts, finish, inParts, STEP, type Steps } from "../../kernel/steps.ts"
import { checkCoordinates } from "./check_coordinates.ts"
import { type RawColumn, rawColumn } from "./column_input.ts"
import type { WriteColumn } from "./write_column.ts"
import { withCodes, type WrittenEnumerations } from "./written_enumerations.ts"

/** Validated columns. */
export interface CheckedColumns {
  /** Number of cells of each column. */
  readonly cells: number
  /** Only for sparse arrays; in schema order. */
  readonly dimensions: ReadonlyArray<WriteColumn>
  /** In schema order. */
  readonly attributes: ReadonlyArray<WriteColumn>
}

/** Rules in addition to the schema's. */
export interface CheckOptions {
  /** The enumerations by name; codes of other enumerations are not checked. */
  readonly enumerations?: WrittenEnumerations
  /**
   * Accepts the invalid values that engines accept, for cells copied from an array: bytes above 127 in ASCII text,
   * bools other than 0 and 1, NaN before `scale_float`. Default: they are rejected.
   */
  readonly anyValue?: boolean
}

const listed = (names: Iterable<string>): string => [...names].map((name) => JSON.stringify(name)).join(", ")

/**
 * Validates the columns of a write, by name: all attributes, and in sparse arrays all dimensions. `cells` is the
 * required number of cells (those of a box); without it, the first column determines the number. UTF-8 text is not
 * validated, as in the engine; ASCII text is. Throws {@link WriteError}.
 */
export const checkColumns = (...input: Parameters<typeof checkColumnsSteps>): CheckedColumns =>
  finish(checkColumnsSteps(...input))

/** Like {@link checkColumns}, in steps. */
export function* checkColumnsSteps(
  schema: ArraySchema,
  columns: Readonly<Record<string, unknown>>,
  cells: number | undefined,
  options: CheckOptions = {},
): Steps<CheckedColumns> {
  checkNamed(columns)
  const { attributes, dimensions } = fieldsOf(schema)
  const sparse = schema.arrayType === "sparse"
  const requested = sparse ? [...dimensions, ...attributes] : attributes
  const names = new Set(requested.map((field) => field.name))
  for (const name of Object.keys(columns)) {
    if (columns[name] === undefined || names.has(name)) continue
    const dense = !sparse && dimensions.some((d) => d.name === name)
    const detail = dense
      ? "the box determines the cells of dense arrays; omit the coordinates"
      : `the array has no such field; it has ${listed(names)}`
    throw new WriteError({ field: name, reason: "UnknownName", detail })
  }
  let length = cells
  const checked: Array<WriteColumn> = []
  for (const field of requested) {
    const input = Object.hasOwn(columns, field.name) ? columns[field.name] : undefined
    if (input === undefined) {
      throw new WriteError({
        field: field.name,
        reason: "Missing",
        detail: "the column is missing; a write requires the cells of all fields",
      })
    }
    const raw = yield* rawColumn(field, yield* withCodes(field, input, options.enumerations))
    if (length === undefined) length = raw.cells
    else if (raw.cells !== length) {
      const others = cells === undefined ? `${requested[0].name} has ${length}` : `${length} are to be written`
      throw new WriteError({
        field: field.name,
        reason: "WrongLength",
        detail: `it has ${raw.cells} cells, but ${others}`,
      })
    }
    checked.push(yield* checkColumn(schema, field, raw, options))
  }
  return {
    cells: length ?? 0,
    dimensions: sparse ? checked.slice(0, dimensions.length) : [],
    attributes: sparse ? checked.slice(dimensions.length) : checked,
  }
}

/** Checks that columns are an object. Throws {@link WriteError}. */
export const checkNamed = (columns: unknown): void => {
  if (typeof columns === "object" && columns !== null) return
  const detail = `the columns are ${columns}; give them by the names of their fields: { a: … }`
  throw new WriteError({ field: "", reason: "WrongType", detail })
}

function* checkColumn(
  schema: ArraySchema,
  field: Field,
  raw: RawColumn,
  options: CheckOptions,
): Steps<WriteColumn> {
  const { values, offsets } = raw
  const fail = (reason: WriteReason, cell: number, detail: string): WriteError =>
    new WriteError({ field: field.name, cell, reason, detail })
  const validity = yield* checkValidity(field, raw)
  const column: WriteColumn = { field, values, offsets, validity }
  const isNull = (cell: number): boolean => validity !== undefined && validity[cell] === 0
  const strict = options.anyValue !== true
  if (strict && field.type === "bool") {
    const cell = yield* firstWrong(column, 1, isNull)
    if (cell >= 0) throw fail("InvalidValue", cell, "a bool is 0 or 1")
  }
  if (strict && field.type === "string_ascii") {
    const cell = yield* firstWrong(column, 127, isNull)
    if (cell >= 0) {
      throw fail("InvalidValue", cell, "it contains characters that are not ASCII, which string_ascii does not support")
    }
  }
  if (strict && isFloat(field.type) && field.filters.filters.some(({ type }) => type === "scale_float")) {
    const cell = yield* firstNaN(column, isNull)
    if (cell >= 0) {
      throw fail("InvalidValue", cell, "the filter scale_float cannot scale NaN to an integer")
    }
  }
  if (field.file.kind === "dimension") yield* checkCoordinates(schema, column)
  if (field.file.kind === "attribute") yield* checkOrder(column, schema.attributes[field.file.index].order)
  const size = field.enumeration === undefined ? undefined : options.enumerations?.get(field.enumeration)?.size
  if (size !== undefined) yield* checkCodes(column, size, isNull)
  return column
}

/** Returns the index of the first byte above a maximum; −1 if there is no such byte. */
const firstByteAbove = (bytes: Uint8Array, max: number): Steps<number> =>
  findInParts(bytes.length, (from, to) => firstAbove(bytes, max, from, to), 8 * STEP)

/** Checks that validity consists of ones and zeros, and is missing for fields that are not nullable. */
function* checkValidity(field: Field, { cells, validity }: RawColumn): Steps<Uint8Array | undefined> {
  if (validity === undefined) {
    if (!field.nullable) return undefined
    const ones = new Uint8Array(cells)
    yield* inParts(cells, (from, to) => ones.fill(1, from, to), COPY_STEP)
    return ones
  }
  if (validity.length !== cells) {
    const detail = `validity has ${validity.length} entries for ${cells} cells`
    throw new WriteError({ field: field.name, reason: "WrongLength", detail })
  }
  const cell = yield* firstByteAbove(validity, 1)
  if (cell >= 0) {
    throw new WriteError({
      field: field.name,
      cell,
      reason: "InvalidValue",
      detail: `validity is 0 or 1, not ${validity[cell]}`,
    })
  }
  if (field.nullable) return validity
  const missing = validity.indexOf(0)
  if (missing >= 0) {
    throw new WriteError({
      field: field.name,
      cell: missing,
      reason: "NullValue",
      detail: "the cell is null, and the field is not nullable",
    })
  }
  return undefined
}

/** Returns the first non-null cell with a byte above a maximum; −1 if there is no such cell. */
function* firstWrong(
  { field, values, offsets, validity }: WriteColumn,
  max: number,
  isNull: (cell: number) => boolean,
): Steps<number> {
  const first = yield* firstByteAbove(values, max)
  if (first < 0) return -1
  const cells = offsets === undefined ? values.byteLength / field.cellSize : offsets.length - 1
  const start = (cell: number): number => offsets === undefined ? cell * field.cellSize : offsets[cell]
  return yield* findInParts(cells, (from, to) => {
    for (let cell = from; cell < to; cell++) {
      if (start(cell + 1) <= first || (validity !== undefined && isNull(cell))) continue
      if (firstAbove(values, max, start(cell), start(cell + 1)) >= 0) return cell
    }
    return -1
  })
}

/** Checks that dimension labels are increasing or decreasing; equal neighbours are allowed. */
function* checkOrder({ field, values, offsets }: WriteColumn, order: DataOrder): Steps<void> {
  if (order === "unordered") return
  const words = yield* coordinateWordsSteps([{ values: viewAs(field.type, values), offsets }])
  const sign = order === "increasing" ? 1 : -1
  for (let cell = 1; cell < words[0].length; cell++) {
    if (cell % STEP === 0) yield
    if (sign * compareCells(words, cell - 1, cell) <= 0) continue
    const detail = `it is ${sign === 1 ? "less" : "greater"} than the cell before; the values are ${order}`
    throw new WriteError({ field: field.name, cell, reason: "OutOfOrder", detail })
  }
}

/**
 * Returns the first non-null cell with a NaN; −1 if there is no such cell. The filter itself accepts NaN, since fill
 * values may be NaN.
 */
function* firstNaN(
  { field, values, offsets }: WriteColumn,
  isNull: (cell: number) => boolean,
): Steps<number> {
  const numbers = viewAs(field.type, values)
  const size = sizeOf(field.type)
  for (let i = 0, cell = 0; i < numbers.length; i++) {
    if (i % STEP === STEP - 1) yield
    if (!Number.isNaN(numbers[i])) continue
    if (offsets === undefined) cell = Math.floor(i * size / field.cellSize)
    else while (offsets[cell + 1] <= i * size) cell++
    if (!isNull(cell)) return cell
  }
  return -1
}

/** Checks codes of an enumeration with `size` values. Enumerated cells have one value. */
function* checkCodes(
  { field, values }: WriteColumn,
  size: number,
  isNull: (cell: number) => boolean,
): Steps<void> {
  if (!isInteger(field.type) || field.cellValNum !== 1) return
  const codes = viewAs(field.type, values)
  const end = sizeOf(field.type) === 8 ? BigInt(size) : size
  const cell = yield* findInParts(codes.length, (from, to) => {
    for (let i = from; i < to; i++) if (!(codes[i] >= 0 && codes[i] < end) && !isNull(i)) return i
    return -1
  })
  if (cell >= 0) {
    const detail = `${codes[cell]} is not a code of the enumeration ${field.enumeration}, which has ${size} values`
    throw new WriteError({ field: field.name, cell, reason: "InvalidValue", detail })
  }
}

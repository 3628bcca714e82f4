/**
 * The `out` option: caller's memory for the columns of a result.
 */
import { arrayOf, type TypedArray } from "../../../schema/array/datatype.ts"
import { invalidOption } from "../../../platform/errors.ts"
import type { Field } from "../../fragment/field.ts"
import type { Column } from "../column/column.ts"
import type { ColumnBuffer } from "../column/typed_columns.ts"

/** Memory for the cells of one field, exactly as long as the column. */
export interface ColumnTarget {
  readonly values: TypedArray
  readonly validity: Uint8Array | undefined
}

const shown = (input: unknown): string =>
  typeof input === "object" && input !== null ? input.constructor?.name ?? "an object" : String(input)

const targetOf = (uri: string, field: Field, input: ColumnBuffer, cells: number): ColumnTarget => {
  const refuse = (detail: string, value: unknown): never => {
    throw invalidOption(uri, "out", `${field.name}: ${detail}`, value)
  }
  if (field.var) {
    return refuse("var-sized cells cannot be read into existing memory; omit the field", input)
  }
  const make = arrayOf(field.type)
  const { values, validity } = ArrayBuffer.isView(input) ? { values: input, validity: undefined } : Object(input)
  if (!(values instanceof make)) {
    return refuse(
      `${field.type} is read into a ${(make as unknown as { name: string }).name}, not into ${shown(values)}`,
      values,
    )
  }
  if (field.nullable !== (validity !== undefined)) {
    return refuse(
      field.nullable
        ? "the field is nullable; pass { values, validity }"
        : "the field is not nullable; pass the values only",
      input,
    )
  }
  const length = cells * field.cellSize / make.BYTES_PER_ELEMENT
  const array = values as TypedArray
  if (array.length < length) {
    return refuse(`the result has ${length} values, there is room for ${array.length}`, values)
  }
  if (validity === undefined) return { values: array.subarray(0, length) as TypedArray, validity }
  if (!(validity instanceof Uint8Array)) {
    return refuse(`validity is read into a Uint8Array, not into ${shown(validity)}`, validity)
  }
  if (validity.length < cells) {
    return refuse(`the result has ${cells} cells, validity has room for ${validity.length}`, validity)
  }
  return { values: array.subarray(0, length) as TypedArray, validity: validity.subarray(0, cells) }
}

/** Returns the targets by field. Throws `InvalidOption`. */
export const targetsFor = (
  uri: string,
  fields: ReadonlyArray<Field>,
  out: Readonly<Record<string, ColumnBuffer | undefined>>,
  cells: number,
): ReadonlyMap<string, ColumnTarget> => {
  const targets = new Map<string, ColumnTarget>()
  for (const [name, input] of Object.entries(out)) {
    if (input === undefined) continue
    const field = fields.find((f) => f.name === name)
    if (field === undefined) {
      const names = fields.map((one) => one.name)
      const detail = `${name}: the result has no such field; select it`
      throw invalidOption(uri, "out", detail, undefined, { accepted: names, nearestTo: name })
    }
    targets.set(name, targetOf(uri, field, input, cells))
  }
  return targets
}

/** Returns whether cells can be copied directly into a target: as whole, aligned units. */
export const takesUnits = ({ values }: ColumnTarget, cellSize: number): boolean =>
  values.byteOffset % (cellSize % 4 === 0 ? 4 : cellSize % 2 === 0 ? 2 : 1) === 0

/** Returns the column in the memory of its target. Copies the column if it is in other memory. */
export const copyIntoTarget = (column: Column, target: ColumnTarget | undefined): Column => {
  if (target === undefined || column.values === target.values) return column
  // copy bytes, not numbers: a NaN that passes through a number may lose bits
  const { values, validity } = target
  const { buffer, byteOffset, byteLength } = column.values
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength).set(
    new Uint8Array(buffer, byteOffset, byteLength),
  )
  if (validity !== undefined) validity.set(column.validity!)
  return { ...column, values, ...(validity === undefined ? {} : { validity }) }
}

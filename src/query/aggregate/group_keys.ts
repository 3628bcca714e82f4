/**
 * Group keys: the distinct cells of a field, numbered in order of appearance. Enumerated cells are represented by their
 * values.
 */
import { sizeOf, viewAs } from "../../../schema/array/datatype.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import { isText } from "../../../schema/array/scalar.ts"
import type { Field } from "../../fragment/field.ts"
import { CellNumbers, NO_NUMBER } from "../../kernel/match/number_cells.ts"
import { keyWords } from "../../kernel/sort/order_key.ts"
import { sortCells } from "../../kernel/sort/sort_cells.ts"
import { stringRanks } from "../../kernel/sort/string_rank.ts"
import type { Column } from "../column/column.ts"
import { permute } from "../column/permute.ts"
import { enumerationColumn } from "../column/resolve_enumeration.ts"

/** Returns why a field cannot be a group key; `undefined` if it can. */
export const keyProblem = ({ type, cellValNum, var: isVar }: Field): string | undefined =>
  isText(type) || (!isVar && cellValNum === 1) ? undefined : `cells of ${type} with several values cannot be group keys`

/** The keys of one field. */
export class GroupKeys {
  readonly field: Field
  /** Values of the enumeration; only for enumerated fields. */
  readonly #values: Column | undefined
  readonly #kinds = new CellNumbers()

  constructor(field: Field, enumeration: Enumeration | undefined) {
    this.field = field
    this.#values = enumeration === undefined ? undefined : enumerationColumn(enumeration)
  }

  /**
   * Returns the key number of each cell for which the mask is 1; null cells and invalid codes have no key. Returns
   * `undefined` if there are more than `max` keys, or keys of more than `maxBytes` bytes.
   */
  numbersOf(column: Column, mask: Uint8Array | undefined, max: number, maxBytes: number): Uint32Array | undefined {
    const { length, validity } = column
    const out = new Uint32Array(length)
    let valid = mask
    if (validity !== undefined) {
      valid = validity.slice()
      if (mask !== undefined) { for (let i = 0; i < length; i++) valid[i] &= mask[i] }
    }
    if (this.#values !== undefined) {
      const { values } = column
      const count = this.#values.length
      for (let i = 0; i < length; i++) {
        const code = valid === undefined || valid[i] === 1 ? Number(values[i]) : -1
        out[i] = code >= 0 && code < count ? code : NO_NUMBER
      }
      return out
    }
    const { type, cellValNum, offsets } = column
    const values = normalizeFloats(column.values)
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    const places = offsets === undefined
      ? { offsets, size: sizeOf(type) * (cellValNum as number) }
      : { offsets, unit: sizeOf(type) }
    return this.#kinds.add(bytes, places, valid, out, max, maxBytes) ? out : undefined
  }

  /** Returns the keys with the given numbers as a column; the missing key is null. */
  columnOf(numbers: Uint32Array): Column {
    const all = this.#all()
    const { nullable, name } = this.field
    const order = numbers.map((number) => number === NO_NUMBER ? 0 : number)
    const column = all.length === 0 ? { ...all, length: order.length } : permute(all, order)
    if (!nullable && !numbers.includes(NO_NUMBER)) return { ...column, name }
    return { ...column, name, validity: Uint8Array.from(numbers, (number) => number === NO_NUMBER ? 0 : 1) }
  }

  /**
   * Returns sort words for key numbers. Keys are ordered by value, codes by number; NaN follows the other values, and
   * the missing key is last.
   */
  wordsOf(numbers: Uint32Array): Uint32Array {
    if (this.#values !== undefined) return numbers
    const { bytes, starts, count } = this.#kinds
    const { type } = this.field
    const words = isText(type) ? [stringRanks(bytes, Uint32Array.from(starts))] : keyWords(viewAs(type, bytes))
    const ranks = new Uint32Array(count)
    sortCells(words, count).forEach((number, rank) => ranks[number] = rank)
    return numbers.map((number) => number === NO_NUMBER ? NO_NUMBER : ranks[number])
  }

  #all(): Column {
    if (this.#values !== undefined) return this.#values
    const { name, type, cellValNum, var: isVar } = this.field
    const [bytes, starts, length] = [this.#kinds.bytes, this.#kinds.starts, this.#kinds.count]
    const base = { name, type, length, values: viewAs(type, bytes) }
    return isVar
      ? { ...base, cellValNum: "var", offsets: Uint32Array.from(starts, (at) => at / sizeOf(type)) }
      : { ...base, cellValNum }
  }
}

/** Replaces −0 by 0 and every NaN by the same NaN, so that equal floats have equal bytes. */
const normalizeFloats = (values: Column["values"]): Column["values"] =>
  values instanceof Float32Array || values instanceof Float64Array
    ? values.map((value) => value === 0 ? 0 : value === value ? value : NaN)
    : values

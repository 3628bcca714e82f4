/**
 * Cells that wait: columns that are appended to until there are enough of them.
 */
import type { Field } from "../fragment/field.ts"
import { appendStarts } from "../kernel/append_var.ts"
import type { WriteColumn } from "./write_column.ts"

/** Room for so many bytes, twice as much as there was if that is more. */
const grown = (old: Uint8Array, used: number, need: number): Uint8Array => {
  if (need <= old.length) return old
  const larger = new Uint8Array(Math.max(need, 2 * old.length))
  larger.set(old.subarray(0, used))
  return larger
}

/** The waiting cells of one field. */
export class ColumnBuffer {
  readonly #field: Field
  #cells = 0
  #bytes = 0
  #values: Uint8Array = new Uint8Array(0)
  #offsets = new Uint32Array(1)
  #validity: Uint8Array = new Uint8Array(0)

  constructor(field: Field) {
    this.#field = field
  }

  /** How many cells wait. */
  get cells(): number {
    return this.#cells
  }

  /** Bytes that they take. */
  get bytes(): number {
    return this.#bytes + this.#cells * ((this.#field.var ? 4 : 0) + (this.#field.nullable ? 1 : 0))
  }

  /** Appends a copy of the cells `from … to − 1`. */
  append({ values, offsets, validity }: WriteColumn, from: number, to: number): void {
    const { cellSize } = this.#field
    const cells = this.#cells + to - from
    const [start, end] = offsets === undefined ? [from * cellSize, to * cellSize] : [offsets[from], offsets[to]]
    const bytes = this.#bytes + end - start
    this.#values = grown(this.#values, this.#bytes, bytes)
    this.#values.set(values.subarray(start, end), this.#bytes)
    if (offsets !== undefined) {
      if (cells + 1 > this.#offsets.length) {
        const larger = new Uint32Array(Math.max(cells + 1, 2 * this.#offsets.length))
        larger.set(this.#offsets.subarray(0, this.#cells + 1))
        this.#offsets = larger
      }
      appendStarts(this.#offsets, this.#cells, this.#bytes, offsets.subarray(from, to + 1), undefined)
    }
    if (validity !== undefined) {
      this.#validity = grown(this.#validity, this.#cells, cells)
      this.#validity.set(validity.subarray(from, to), this.#cells)
    }
    this.#cells = cells
    this.#bytes = bytes
  }

  /** The cells that wait; a view that is good until more are appended. */
  get column(): WriteColumn {
    const field = this.#field
    return {
      field,
      values: this.#values.subarray(0, this.#bytes),
      offsets: field.var ? this.#offsets.subarray(0, this.#cells + 1) : undefined,
      validity: field.nullable ? this.#validity.subarray(0, this.#cells) : undefined,
    }
  }

  /** Forgets the cells, and keeps the memory for the next ones. */
  clear(): void {
    this.#cells = 0
    this.#bytes = 0
  }
}

/**
 * Buffers cells: columns that grow until there are enough cells to write.
 */
import type { Field } from "../../fragment/field.ts"
import { appendStarts } from "../../kernel/copy/append_var.ts"
import { copyInParts, inParts, type Steps } from "../../kernel/steps.ts"
import type { WriteColumn } from "./write_column.ts"

/** Grows a buffer to the required size, at least to twice its size. */
function* grown(old: Uint8Array, used: number, need: number): Steps<Uint8Array> {
  if (need <= old.length) return old
  const larger = new Uint8Array(Math.max(need, 2 * old.length))
  yield* copyInParts(larger, old.subarray(0, used), 0)
  return larger
}

/** The buffered cells of one field. */
export class PendingColumn {
  readonly #field: Field
  #cells = 0
  #bytes = 0
  #values: Uint8Array = new Uint8Array(0)
  #offsets = new Uint32Array(1)
  #validity: Uint8Array = new Uint8Array(0)

  constructor(field: Field) {
    this.#field = field
  }

  /** Number of buffered cells. */
  get cells(): number {
    return this.#cells
  }

  /** Size of the buffered cells in bytes. */
  get bytes(): number {
    return this.#bytes + this.#cells * ((this.#field.var ? 4 : 0) + (this.#field.nullable ? 1 : 0))
  }

  /** Appends a copy of the cells `from … to − 1`. The cells become part of the column with the last step. */
  *append({ values, offsets, validity }: WriteColumn, from: number, to: number): Steps<void> {
    const { cellSize } = this.#field
    const cells = this.#cells + to - from
    const [start, end] = offsets === undefined ? [from * cellSize, to * cellSize] : [offsets[from], offsets[to]]
    const bytes = this.#bytes + end - start
    this.#values = yield* grown(this.#values, this.#bytes, bytes)
    yield* copyInParts(this.#values, values.subarray(start, end), this.#bytes)
    if (offsets !== undefined) {
      if (cells + 1 > this.#offsets.length) {
        const larger = new Uint32Array(Math.max(cells + 1, 2 * this.#offsets.length))
        const starts = this.#offsets
        yield* inParts(this.#cells + 1, (first, last) => larger.set(starts.subarray(first, last), first))
        this.#offsets = larger
      }
      let total = this.#bytes
      yield* inParts(to - from, (first, last) => {
        const part = offsets.subarray(from + first, from + last + 1)
        total = appendStarts(this.#offsets, this.#cells + first, total, part, undefined)
      })
    }
    if (validity !== undefined) {
      this.#validity = yield* grown(this.#validity, this.#cells, cells)
      yield* copyInParts(this.#validity, validity.subarray(from, to), this.#cells)
    }
    this.#cells = cells
    this.#bytes = bytes
  }

  /** The buffered cells: a view that is valid until more cells are appended. */
  get column(): WriteColumn {
    const field = this.#field
    return {
      field,
      values: this.#values.subarray(0, this.#bytes),
      offsets: field.var ? this.#offsets.subarray(0, this.#cells + 1) : undefined,
      validity: field.nullable ? this.#validity.subarray(0, this.#cells) : undefined,
    }
  }

  /** Drops the cells; the memory is reused. */
  clear(): void {
    this.#cells = 0
    this.#bytes = 0
  }
}

/** Appends the cells `from … to − 1` of each column to its buffer. */
export function* appendAll(
  buffers: ReadonlyArray<PendingColumn>,
  columns: ReadonlyArray<WriteColumn>,
  from: number,
  to: number,
): Steps<void> {
  for (const [i, buffer] of buffers.entries()) {
    yield* buffer.append(columns[i], from, to)
    yield
  }
}

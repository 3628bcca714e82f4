/**
 * Tests cells for membership in sets, block by block: `out[i]` becomes 1 if cell `from + i` is a member. Sets are
 * sorted tables, so that a cell takes O(log n) comparisons for any input.
 */
import type { ByteCells, Halves } from "./compare_value.ts"
import { compareBytes, compareSlices } from "./match_ranges.ts"

/** Returns the members as a table for {@link numbersIn}, without NaN, which equals no number. */
export const numberTable = (members: Float64Array): Float64Array => members.filter((m) => m === m).sort()

/** Tests numbers; −0 equals 0. */
export const numbersIn = (cells: Float64Array, table: Float64Array, out: Uint8Array): void => {
  const last = table.length - 1
  for (let i = 0; i < out.length; i++) {
    const cell = cells[i]
    let from = 0
    let to = last
    while (from < to) {
      const middle = (from + to + 1) >>> 1
      if (table[middle] <= cell) from = middle
      else to = middle - 1
    }
    out[i] = last >= 0 && table[from] === cell ? 1 : 0
  }
}

const TOP = 1 << 31

/** Tests 64-bit integers, starting with cell `from`; `table` is ascending and has halves like the cells. */
export const halvesIn = (cells: Halves, from: number, table: Int32Array, out: Uint8Array): void => {
  const { words } = cells
  const flip = cells.signed ? 0 : TOP
  const last = (table.length >>> 1) - 1
  for (let i = 0, k = 2 * from; i < out.length; i++, k += 2) {
    const high = words[k + 1]
    const low = words[k]
    const h = high ^ flip
    const l = low ^ TOP
    let first = 0
    let to = last
    while (first < to) {
      const middle = (first + to + 1) >>> 1
      const m = table[2 * middle + 1] ^ flip
      if (m < h || (m === h && (table[2 * middle] ^ TOP) <= l)) first = middle
      else to = middle - 1
    }
    out[i] = last >= 0 && table[2 * first] === low && table[2 * first + 1] === high ? 1 : 0
  }
}

/** Concatenated members, ascending: member `m` is `bytes[starts[m]] … bytes[starts[m + 1] − 1]`. */
export interface ByteTable {
  readonly bytes: Uint8Array
  readonly starts: Float64Array
}

/** Returns the members as a table for {@link byteCellsIn}. */
export const byteTable = (members: ReadonlyArray<Uint8Array>): ByteTable => {
  const sorted = [...members].sort(compareBytes)
  const starts = new Float64Array(sorted.length + 1)
  for (let m = 0; m < sorted.length; m++) starts[m + 1] = starts[m] + sorted[m].length
  const bytes = new Uint8Array(starts[sorted.length])
  for (let m = 0; m < sorted.length; m++) bytes.set(sorted[m], starts[m])
  return { bytes, starts }
}

/** Tests cells that are bytes, starting with cell `from`. */
export const byteCellsIn = (cells: ByteCells, from: number, table: ByteTable, out: Uint8Array): void => {
  const { bytes, offsets, unit } = cells
  const { bytes: members, starts } = table
  const count = starts.length - 1
  for (let i = 0, cell = from; i < out.length; i++, cell++) {
    const start = (offsets === undefined ? cell : offsets[cell]) * unit
    const end = offsets === undefined ? start + unit : offsets[cell + 1] * unit
    let first = 0
    let to = count
    let isMember = 0
    while (first < to) {
      const middle = (first + to) >>> 1
      const c = compareSlices(bytes, start, end, members, starts[middle], starts[middle + 1])
      if (c === 0) {
        isMember = 1
        break
      }
      if (c > 0) first = middle + 1
      else to = middle
    }
    out[i] = isMember
  }
}

/**
 * Copies of cells. Cells are copied as units of one, two or four bytes, not as numbers of their type: JavaScript may
 * change the bits of a NaN.
 */

import { finish, inParts, STEP, type Steps } from "../steps.ts"

/** Cells as units: a cell consists of `perCell` units. */
export interface Units {
  readonly array: Uint8Array | Uint16Array | Uint32Array
  readonly perCell: number
}

/** Returns `bytes` as the largest units that divide cells of `cellSize` bytes, copied only if they are not aligned. */
export const unitsOf = (bytes: Uint8Array, cellSize: number): Units => {
  const size = cellSize % 4 === 0 ? 4 : cellSize % 2 === 0 ? 2 : 1
  if (size === 1) return { array: bytes, perCell: cellSize }
  const source = bytes.byteOffset % size === 0 ? bytes : bytes.slice()
  const length = Math.floor(source.byteLength / size)
  return {
    array: size === 4
      ? new Uint32Array(source.buffer, source.byteOffset, length)
      : new Uint16Array(source.buffer, source.byteOffset, length),
    perCell: cellSize / size,
  }
}

/**
 * Copies the cells `from … to − 1` of the result: cell `i` is cell `positions[i]` of the tile `tileOf[i]`. Cells of
 * tiles that are `undefined` are unchanged (the caller filled them).
 */
export const gatherFixed = (
  out: Units,
  tiles: ReadonlyArray<Units | undefined>,
  tileOf: Uint32Array,
  positions: Uint32Array,
): Steps<void> =>
  inParts(tileOf.length, (from, to) => {
    for (let i = from; i < to;) {
      const tile = tileOf[i]
      let end = i + 1
      while (end < to && tileOf[end] === tile) end++
      const source = tiles[tile]
      if (source !== undefined) copyCells(out, i, source, positions, i, end)
      i = end
    }
  })

/**
 * Copies the cells at `positions[start … end − 1]` to `out` from cell `at`, adjacent cells in one call. `source` starts
 * at position `base`.
 */
export const copyCells = (
  out: Units,
  at: number,
  source: Units,
  positions: Uint32Array,
  start = 0,
  end: number = positions.length,
  base = 0,
): void => {
  const k = out.perCell
  const target = out.array
  const from = source.array
  for (let i = start; i < end;) {
    const first = positions[i]
    let run = 1
    while (i + run < end && positions[i + run] === first + run) run++
    const to = (at + i - start) * k
    const begin = (first - base) * k
    if (run * k > 16) target.set(from.subarray(begin, begin + run * k), to)
    else for (let r = 0; r < run * k; r++) target[to + r] = from[begin + r]
    i += run
  }
}

/** Copies the cells at `positions` of `source`, in any order, to the start of `out`. */
export const permuteCells = (out: Units, source: Units, positions: Uint32Array): void =>
  finish(permuteCellsSteps(out, source, positions))

/** Copies cells like {@link permuteCells}, in steps. */
export const permuteCellsSteps = (out: Units, source: Units, positions: Uint32Array): Steps<void> =>
  inParts(
    positions.length,
    (from, to) => permutePart(out, source, positions, from, to),
    Math.max(1, Math.floor(STEP / Math.max(1, out.perCell / 2))),
  )

const permutePart = (out: Units, source: Units, positions: Uint32Array, start: number, end: number): void => {
  const k = out.perCell
  const target = out.array
  const from = source.array
  if (k === 1) { for (let i = start; i < end; i++) target[i] = from[positions[i]] }
  else if (k === 2) {
    for (let i = start; i < end; i++) {
      const p = 2 * positions[i]
      target[2 * i] = from[p]
      target[2 * i + 1] = from[p + 1]
    }
  } else {
    for (let i = start, to = k * start; i < end; i++) {
      const p = k * positions[i]
      for (let r = 0; r < k; r++) target[to++] = from[p + r]
    }
  }
}

/** A tile of var-sized values: cell `i` is `bytes[offsets[i]] … bytes[offsets[i + 1] − 1]`. */
export interface VarCells {
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
}

/**
 * Returns the starts of gathered var-sized cells and the end of the last; `fill` is the cell size of `undefined` tiles.
 */
export function* varStarts(
  tiles: ReadonlyArray<VarCells | undefined>,
  tileOf: Uint32Array,
  positions: Uint32Array,
  fill: number,
): Steps<Uint32Array> {
  const n = tileOf.length
  const out = new Uint32Array(n + 1)
  yield* inParts(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const offsets = tiles[tileOf[i]]?.offsets
      out[i + 1] = out[i] + (offsets === undefined ? fill : offsets[positions[i] + 1] - offsets[positions[i]])
    }
  })
  return out
}

/** The number of var-sized cells gathered between two yields: cells may be long. */
const VAR_STEP_CELLS = 1 << 12

/** Copies gathered var-sized cells to `out`, cell `i` to `starts[i]`. */
export const gatherVar = (
  out: Uint8Array,
  starts: Uint32Array,
  tiles: ReadonlyArray<VarCells | undefined>,
  tileOf: Uint32Array,
  positions: Uint32Array,
  fill: Uint8Array,
): Steps<void> =>
  inParts(tileOf.length, (start, stop) => {
    for (let i = start; i < stop; i++) {
      const tile = tiles[tileOf[i]]
      let at = starts[i]
      if (tile === undefined) {
        out.set(fill, at)
        continue
      }
      const end = tile.offsets[positions[i] + 1]
      let from = tile.offsets[positions[i]]
      if (end - from > 32) out.set(tile.bytes.subarray(from, end), at)
      else while (from < end) out[at++] = tile.bytes[from++]
    }
  }, VAR_STEP_CELLS)

/**
 * Concatenates var-sized cells in any order: cell `p` has `unit` bytes for each of `offsets[p] … offsets[p + 1] − 1`.
 */
export const permuteVar = (
  out: Uint8Array,
  bytes: Uint8Array,
  offsets: Uint32Array,
  unit: number,
  positions: Uint32Array,
): void => finish(permuteVarSteps(out, bytes, offsets, unit, positions))

/** Concatenates cells like {@link permuteVar}, in steps. */
export function* permuteVarSteps(
  out: Uint8Array,
  bytes: Uint8Array,
  offsets: Uint32Array,
  unit: number,
  positions: Uint32Array,
): Steps<void> {
  const n = positions.length
  for (let i = 0, at = 0; i < n;) {
    // a step ends after `STEP` cells or `VAR_STEP` bytes
    const end = Math.min(n, i + STEP)
    const full = at + VAR_STEP_SIZE
    while (i < end && at < full) {
      const part = Math.min(end, i + 256)
      at = permuteVarPart(out, at, bytes, offsets, unit, positions, i, part)
      i = part
    }
    if (i < n) yield
  }
}

/** Number of bytes of var-sized cells copied between two yields. */
const VAR_STEP_SIZE = 1 << 20

const permuteVarPart = (
  out: Uint8Array,
  at: number,
  bytes: Uint8Array,
  offsets: Uint32Array,
  unit: number,
  positions: Uint32Array,
  start: number,
  stop: number,
): number => {
  for (let i = start; i < stop; i++) {
    const end = offsets[positions[i] + 1] * unit
    let from = offsets[positions[i]] * unit
    if (end - from > 32) {
      out.set(bytes.subarray(from, end), at)
      at += end - from
    } else while (from < end) out[at++] = bytes[from++]
  }
  return at
}

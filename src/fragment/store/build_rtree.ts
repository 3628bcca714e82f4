/**
 * Builds R-trees from the MBRs of tiles.
 */
import { arrayOf } from "../../../schema/array/datatype.ts"
import type { MbrColumn, MbrLevel, RTree } from "../../../schema/fragment/rtree.ts"
import type { Range } from "../../../schema/array/range.ts"
import { GrowingBytes, GrowingNumbers } from "../../kernel/copy/growing.ts"
import { compareSlices } from "../../kernel/match/match_ranges.ts"
import type { Field } from "../field.ts"

/** The number of entries of a node, as in the engine. */
const FANOUT = 10

/** Records the bounds of one dimension, tile by tile. */
export class BoundsRecord {
  readonly #field: Field
  readonly #bytes = new GrowingBytes()
  readonly #ends = new GrowingNumbers()

  constructor(field: Field) {
    this.#field = field
    this.#ends.push(0)
  }

  /** Appends the lowest and the highest coordinate of a tile, raw. */
  add(low: Uint8Array, high: Uint8Array): void {
    for (const bound of [low, high]) {
      this.#bytes.append(bound)
      if (this.#field.var) this.#ends.push(this.#bytes.length)
    }
  }

  /** All bounds as a column. */
  get column(): MbrColumn {
    const bytes = this.#bytes.all.slice()
    return this.#field.var
      ? { kind: "var", bytes, offsets: Uint32Array.from(this.#ends.all) }
      : { kind: "fixed", values: new (arrayOf(this.#field.type))(bytes.buffer) }
  }
}

/** Returns the parent level: each rectangle contains {@link FANOUT} rectangles of the level. */
const parentOf = ({ count, dimensions }: MbrLevel): MbrLevel => {
  const parents = Math.ceil(count / FANOUT)
  return { count: parents, dimensions: dimensions.map((column) => parentColumn(column, count, parents)) }
}

const parentColumn = (column: MbrColumn, count: number, parents: number): MbrColumn => {
  // the bounds of the level that each rectangle takes: low and high alternately
  const chosen = new Uint32Array(2 * parents)
  const isLess = comparison(column)
  for (let p = 0; p < parents; p++) {
    let low = 2 * FANOUT * p
    let high = low + 1
    for (let i = FANOUT * p + 1; i < Math.min(count, FANOUT * (p + 1)); i++) {
      if (isLess(2 * i, low)) low = 2 * i
      if (isLess(high, 2 * i + 1)) high = 2 * i + 1
    }
    chosen[2 * p] = low
    chosen[2 * p + 1] = high
  }
  if (column.kind === "fixed") {
    const values = column.values.slice(0, chosen.length)
    chosen.forEach((from, to) => values[to] = column.values[from])
    return { kind: "fixed", values }
  }
  const { bytes, offsets } = column
  const ends = new Uint32Array(chosen.length + 1)
  chosen.forEach((from, to) => ends[to + 1] = ends[to] + offsets[from + 1] - offsets[from])
  const out = new Uint8Array(ends[chosen.length])
  chosen.forEach((from, to) => out.set(bytes.subarray(offsets[from], offsets[from + 1]), ends[to]))
  return { kind: "var", bytes: out, offsets: ends }
}

const comparison = (column: MbrColumn): (a: number, b: number) => boolean => {
  if (column.kind === "fixed") {
    const { values } = column
    return (a, b) => values[a] < values[b]
  }
  const { bytes, offsets } = column
  return (a, b) => compareSlices(bytes, offsets[a], offsets[a + 1], bytes, offsets[b], offsets[b + 1]) < 0
}

/** Returns the tree over the MBRs of all tiles; without levels if there are no tiles, as in dense fragments. */
export const buildRTree = (leaves: MbrLevel): RTree => {
  if (leaves.count === 0) return { fanout: FANOUT, levels: [] }
  const levels = [leaves]
  // the engine's own arithmetic: an inexact logarithm adds a level
  const height = leaves.count === 1 ? 1 : Math.ceil(Math.log(leaves.count) / Math.log(FANOUT)) + 1
  while (levels.length < height) levels.unshift(parentOf(levels[0]))
  return { fanout: FANOUT, levels }
}

/** Returns the bounding box of a tree with levels: a range per dimension. */
export const rootOf = ({ levels }: RTree): ReadonlyArray<Range> =>
  levels[0].dimensions.map((column) => {
    if (column.kind === "var") {
      const { bytes, offsets } = column
      return { low: bytes.slice(0, offsets[1]), high: bytes.slice(offsets[1], offsets[2]) }
    }
    const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: size } = column.values
    const raw = new Uint8Array(buffer, byteOffset, byteLength).slice()
    return { low: raw.subarray(0, size), high: raw.subarray(size, 2 * size) }
  })

/**
 * Decides from a tile's metadata whether it may contain cells that satisfy a condition, without reading the tile.
 */
import { type Datatype, isFloat, sizeOf } from "../../../schema/array/datatype.ts"
import { readScalar } from "../../../schema/array/scalar.ts"
import { compareBytes } from "../../kernel/match/match_ranges.ts"
import type { Predicate } from "../../condition/predicate.ts"

/** Metadata of the cells of one field in a tile. */
export interface KnownCells {
  readonly type: Datatype
  /** True if cells are compared as bytes. */
  readonly text: boolean
  /** Smallest and largest non-null value in stored form; `undefined` if unknown. */
  readonly bounds: { readonly low: Uint8Array; readonly high: Uint8Array } | undefined
  /** Numbers of null cells and of all cells. */
  readonly nulls: number
  readonly cells: number
}

/**
 * Returns false if no cell of a tile can satisfy the condition. `lookup` returns the metadata of a field in the tile,
 * or `undefined` if there is no metadata.
 */
export const mayMatch = (node: Predicate, lookup: (field: string) => KnownCells | undefined): boolean => {
  if (node.kind === "expression") {
    if (node.op === "and") return node.children.every((child) => mayMatch(child, lookup))
    return node.op === "not" || node.children.some((child) => mayMatch(child, lookup))
  }
  if (node.kind === "value" && (node.op === "always_true" || node.op === "always_false")) {
    return node.op === "always_true"
  }
  const knownCells = lookup(node.field)
  if (knownCells === undefined) return true
  if (node.kind === "null") return node.op === "eq" ? knownCells.nulls > 0 : knownCells.nulls < knownCells.cells
  if (knownCells.nulls === knownCells.cells) return false
  const { bounds } = knownCells
  if (bounds === undefined) return true
  const compared = (value: Uint8Array): readonly [low: number, high: number] | undefined => {
    if (knownCells.text) return [compareBytes(bounds.low, value), compareBytes(bounds.high, value)]
    if (value.byteLength !== sizeOf(knownCells.type)) return undefined
    const [low, high, requested] = [bounds.low, bounds.high, value].map((bytes) => readScalar(knownCells.type, bytes))
    return requested !== requested ? undefined : [order(low, requested), order(high, requested)]
  }
  const within = (value: Uint8Array): boolean => {
    const sides = compared(value)
    return sides === undefined || (sides[0] <= 0 && sides[1] >= 0)
  }
  switch (node.op) {
    case "in":
      return membersOf(node).some(within)
    case "not_in":
      return true
    case "eq":
      return within(node.value)
    case "ne": {
      const sides = compared(node.value)
      // NaN is unequal to everything
      return sides === undefined || isFloat(knownCells.type) || sides[0] !== 0 || sides[1] !== 0
    }
    default: {
      const sides = compared(node.value)
      if (sides === undefined) return true
      const [low, high] = sides
      return node.op === "lt" ? low < 0 : node.op === "le" ? low <= 0 : node.op === "gt" ? high > 0 : high >= 0
    }
  }
}

const order = (a: number | bigint, b: number | bigint): number => a < b ? -1 : a > b ? 1 : 0

const membersOf = (
  { value, offsets = new Float64Array(0) }: { readonly value: Uint8Array; readonly offsets?: Float64Array },
): ReadonlyArray<Uint8Array> =>
  Array.from(offsets, (at, k) => value.subarray(at, k + 1 < offsets.length ? offsets[k + 1] : value.byteLength))

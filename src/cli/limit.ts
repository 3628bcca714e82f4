/**
 * `--limit` of dense reads: the smallest box that holds the first cells, so that the rest is not read.
 */
import { readScalar } from "../../schema/scalar.ts"
import { nonEmptyDomain } from "../array/non_empty_domain.ts"
import type { OpenedArray } from "../array/open.ts"
import type { Bound, Outside, RangesInput } from "../query/selection.ts"
import { parseSelection } from "../query/selection.ts"

type Box = ReadonlyArray<ReadonlyArray<readonly [bigint, bigint]>>

const lengthOf = (ranges: Box[number]): bigint => ranges.reduce((sum, [low, high]) => sum + high - low + 1n, 0n)

/** The first `count` values of ranges. */
const firstOf = (ranges: Box[number], count: bigint): Box[number] => {
  const out: Array<readonly [bigint, bigint]> = []
  for (const [low, high] of ranges) {
    if (count <= 0n) break
    const length = high - low + 1n
    out.push([low, length <= count ? high : low + count - 1n])
    count -= length
  }
  return out
}

/** The first values of each dimension, slowest first, that hold the first `limit` cells. */
export const firstCells = (box: Box, slowestFirst: ReadonlyArray<number>, limit: bigint): Box => {
  const out = [...box]
  let left = limit
  for (let i = 0; i < slowestFirst.length; i++) {
    const inner = slowestFirst.slice(i + 1).reduce((product, d) => product * lengthOf(box[d]), 1n)
    if (inner === 0n) break
    const needed = (left + inner - 1n) / inner
    if (needed >= lengthOf(box[slowestFirst[i]])) break
    out[slowestFirst[i]] = firstOf(box[slowestFirst[i]], needed)
    // more than one slice: what lies inside is needed as a whole
    if (needed > 1n) break
    left = limit
  }
  return out
}

/** What a dense read with a limit reads. */
export interface LimitedBox {
  readonly ranges: RangesInput
  /** Cells along each dimension of what was asked for. */
  readonly shape: ReadonlyArray<number>
}

/** Narrows the ranges of a dense read to its first `limit` cells. Throws SelectionError. */
export const limitDense = (
  array: OpenedArray,
  ranges: RangesInput,
  outside: Outside,
  order: "row" | "col",
  limit: number,
): LimitedBox | undefined => {
  const written = nonEmptyDomain(array)
  const box: Box = parseSelection(array.uri, array.schema, ranges, outside).map((selection, d) => {
    if (selection.kind === "string") return []
    if (selection.ranges !== undefined) return selection.ranges.map((r) => [BigInt(r.low), BigInt(r.high)] as const)
    if (written === undefined) return []
    const { type } = selection.dimension
    return [[BigInt(readScalar(type, written[d].low)), BigInt(readScalar(type, written[d].high))] as const]
  })
  if (box.some((r) => r.length === 0)) return undefined
  const slowest = box.map((_, d) => order === "row" ? d : box.length - 1 - d)
  const first = firstCells(box, slowest, BigInt(Math.max(1, limit)))
  return {
    ranges: Object.fromEntries(
      first.map((r, d) => [
        array.schema.dimensions[d].name,
        r.map(([low, high]): readonly [Bound, Bound] => [low, high]),
      ]),
    ),
    shape: box.map((r) => Number(lengthOf(r))),
  }
}

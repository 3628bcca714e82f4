/**
 * The `limit` option of dense reads: computes the smallest box that contains the first cells. Cells outside are not
 * read.
 */
import { lengthOf, type WholeRanges } from "./axis_plan.ts"

/** Returns the first `count` values of ranges. */
const firstOf = (ranges: WholeRanges, count: bigint): WholeRanges => {
  const out: Array<WholeRanges[number]> = []
  for (const { low, high } of ranges) {
    if (count <= 0n) break
    const length = high - low + 1n
    out.push({ low, high: length <= count ? high : low + count - 1n })
    count -= length
  }
  return out
}

/** Returns the first values of each dimension, slowest first, such that the box contains the first `limit` cells. */
export const firstBox = (
  box: ReadonlyArray<WholeRanges>,
  slowestFirst: ReadonlyArray<number>,
  limit: bigint,
): ReadonlyArray<WholeRanges> => {
  const out = [...box]
  for (let i = 0; i < slowestFirst.length; i++) {
    const d = slowestFirst[i]
    const inner = slowestFirst.slice(i + 1).reduce((product, d) => product * lengthOf(box[d]), 1n)
    if (inner === 0n) break
    const needed = (limit + inner - 1n) / inner
    if (needed >= lengthOf(box[d])) break
    out[d] = firstOf(box[d], needed)
    // if several slices are needed, all faster dimensions are needed whole
    if (needed > 1n) break
  }
  return out
}

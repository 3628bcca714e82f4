/**
 * Detects cells that are in two fragments of one write with the same time: neither is newer, and engines disagree on
 * the result.
 */
import * as Effect from "effect/Effect"
import { turnIfDue } from "../../../platform/host/event_loop_turns.ts"
import { WriteError } from "../../array/open/errors.ts"
import { hashCells } from "../../kernel/match/hash_cells.ts"
import { HashSet } from "../../kernel/match/hash_set.ts"
import { cellCoordinatesText } from "../input/coordinate_text.ts"
import type { WriteOrder } from "./global_order_sort.ts"
import type { Box } from "../input/box.ts"
import type { WriteColumn } from "../input/write_column.ts"

/** Minimum memory for the hashes of cells, in bytes. */
const MIN_MEMORY = 2 ** 26

/** Number of cells between two turns of the event loop. */
const CELLS_PER_TURN = 1 << 15

const REPEATED_CELLS_ADVICE =
  "omit at, so that each fragment has its own timestamp and the later cell replaces the earlier one; or pass each cell once"

/** Fails for cells of an earlier fragment, and records the new cells. */
export type RefuseRepeated = (
  dimensions: ReadonlyArray<WriteColumn>,
  cells: WriteOrder,
) => Effect.Effect<void, WriteError>

/**
 * Detects cells of earlier fragments of the write by 64-bit hashes. Uses at most `memory` bytes or 64 MiB, whichever is
 * larger, which suffices for one cell per 11 to 21 bytes. Two different cells may have the same hash, so that a cell is
 * rejected wrongly; the probability is n² ÷ 2⁶⁵ for n cells: 0.00002 for 25 million.
 */
export const refuseRepeated = (uri: string, memory: number): RefuseRepeated => {
  const existing = new HashSet(Math.max(memory, MIN_MEMORY))
  const seeds = crypto.getRandomValues(new Uint32Array(2))
  const seed = [seeds[0], seeds[1]] as const
  const high = new Uint32Array(CELLS_PER_TURN)
  const low = new Uint32Array(CELLS_PER_TURN)
  return (dimensions, { cells, permutation }) =>
    Effect.gen(function* () {
      const columns = dimensions.map(({ field, values, offsets }) => ({ values, offsets, size: field.cellSize }))
      let first = Infinity
      for (let from = 0; from < cells; from += CELLS_PER_TURN) {
        const count = Math.min(CELLS_PER_TURN, cells - from)
        hashCells(columns, permutation?.subarray(from, from + count), from, count, seed, high, low)
        for (let i = 0; i < count; i++) {
          const added = existing.add(high[i], low[i])
          if (added === "new") continue
          if (added === "full") {
            const detail = "the write has too many cells with one timestamp to ensure that no cell is in two of its " +
              "fragments; omit at, pass the cells in global order, or allow more memory"
            return yield* Effect.fail(new WriteError({ uri, field: "", reason: "TooLarge", detail }))
          }
          // find the first duplicate in input order
          first = Math.min(first, permutation === undefined ? from + i : permutation[from + i])
        }
        yield* turnIfDue
      }
      if (first === Infinity) return
      const detail =
        `the coordinates ${cellCoordinatesText(dimensions, first)} were given before, and are in another fragment of ` +
        `this write, with the same timestamp; ${REPEATED_CELLS_ADVICE}`
      return yield* Effect.fail(new WriteError({ uri, field: "", cell: first, reason: "Duplicate", detail }))
    })
}

/** Returns a cell of `box` that another box contains too, as its row-major number in `box`. */
export const sharedCell = (others: ReadonlyArray<Box>, box: Box): number | undefined => {
  const other = others.find((other) => other.every(({ low, high }, d) => low <= box[d].high && box[d].low <= high))
  if (other === undefined) return undefined
  return Number(box.reduce((at, { low, high }, d) => {
    const first = other[d].low > low ? other[d].low : low
    return at * (high - low + 1n) + first - low
  }, 0n))
}

/** Returns the error for a dense cell that an earlier box of the write contains. */
export const repeatedInBoxes = (uri: string, dimensions: ReadonlyArray<WriteColumn>, cell: number): WriteError =>
  new WriteError({
    uri,
    field: "",
    cell,
    reason: "Duplicate",
    detail:
      `the coordinates ${
        cellCoordinatesText(dimensions, cell)
      } were given before, and are in another fragment of this ` +
      `write, with the same timestamp; ${REPEATED_CELLS_ADVICE}`,
  })

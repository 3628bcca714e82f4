/**
 * Columns to write: validated cells as bytes, and their division into tiles.
 */
import type { Field } from "../../fragment/field.ts"
import type { FieldTile } from "../../fragment/field_tiles.ts"
import { permuteCellsSteps, permuteVarSteps, unitsOf } from "../../kernel/copy/gather.ts"
import { finish, inParts, type Steps } from "../../kernel/steps.ts"

/** The validated cells of one field, as one large tile. */
export interface WriteColumn extends FieldTile {
  readonly field: Field
}

/** Returns the number of cells. */
export const cellsOf = ({ field, values, offsets }: WriteColumn): number =>
  offsets === undefined ? values.byteLength / field.cellSize : offsets.length - 1

/** Returns the size of the buffers in bytes. */
export const tileBytes = ({ values, offsets, validity }: FieldTile): number =>
  values.length + (offsets?.byteLength ?? 0) + (validity?.length ?? 0)

/**
 * Returns the tile of the cells `order[from] … order[to − 1]`. Without an order, returns the cells `from … to − 1` as
 * views with new offsets.
 */
export const gatherTile = (...input: Parameters<typeof gatherTileSteps>): FieldTile => finish(gatherTileSteps(...input))

/** Like {@link gatherTile}, in steps. */
export function* gatherTileSteps(
  column: WriteColumn,
  order: Uint32Array | undefined,
  from: number,
  to: number,
): Steps<FieldTile> {
  const { field, values, offsets, validity } = column
  if (order === undefined) {
    if (offsets === undefined) {
      return {
        values: values.subarray(from * field.cellSize, to * field.cellSize),
        offsets,
        validity: validity?.subarray(from, to),
      }
    }
    const first = offsets[from]
    const starts = new Uint32Array(to - from + 1)
    yield* inParts(starts.length, (start, end) => {
      starts.set(offsets.subarray(from + start, from + end), start)
      if (first !== 0) { for (let i = start; i < end; i++) starts[i] -= first }
    })
    return { values: values.subarray(first, offsets[to]), offsets: starts, validity: validity?.subarray(from, to) }
  }
  const chosen = order.subarray(from, to)
  return {
    ...(offsets === undefined
      ? { values: yield* gatherCells(values, field.cellSize, chosen), offsets }
      : yield* gatherStrings(values, offsets, chosen)),
    validity: validity === undefined ? undefined : yield* gatherCells(validity, 1, chosen),
  }
}

function* gatherCells(cells: Uint8Array, size: number, chosen: Uint32Array): Steps<Uint8Array> {
  const out = new Uint8Array(chosen.length * size)
  yield* permuteCellsSteps(unitsOf(out, size), unitsOf(cells, size), chosen)
  return out
}

function* gatherStrings(
  bytes: Uint8Array,
  offsets: Uint32Array,
  chosen: Uint32Array,
): Steps<{ readonly values: Uint8Array; readonly offsets: Uint32Array }> {
  const n = chosen.length
  const starts = new Uint32Array(n + 1)
  let end = 0
  yield* inParts(n, (from, to) => {
    for (let i = from; i < to; i++) {
      const cell = chosen[i]
      starts[i + 1] = end += offsets[cell + 1] - offsets[cell]
    }
  })
  const values = new Uint8Array(end)
  yield* permuteVarSteps(values, bytes, offsets, 1, chosen)
  return { values, offsets: starts }
}

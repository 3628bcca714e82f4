/**
 * Maps codes of enumerated attributes to the values of their enumeration.
 */
import * as Effect from "effect/Effect"
import { cellSize, VAR } from "../../../schema/array/cell_val_num.ts"
import { viewAs } from "../../../schema/array/datatype.ts"
import type { Enumeration } from "../../../schema/array/enumeration.ts"
import { ResultTooLarge } from "../../array/open/errors.ts"
import type { Column } from "./column.ts"
import { attemptAllocation } from "../options/read_error.ts"
import { DEFAULT_READ_MEMORY } from "../options/read_options.ts"
import { MAX_VALUE_BYTES } from "../../tile/var_cells.ts"

/** Returns the positions of an enumeration's values in its data: `count + 1` byte offsets. */
const positionsOf = (enumeration: Enumeration): Float64Array => {
  const { type, cellValNum, data, offsets } = enumeration
  if (cellValNum !== VAR) {
    const size = cellSize(type, cellValNum)
    return Float64Array.from({ length: Math.floor(data.byteLength / size) + 1 }, (_, i) => i * size)
  }
  const starts = offsets ?? new Float64Array(0)
  const out = new Float64Array(starts.length + 1)
  out.set(starts)
  out[starts.length] = data.byteLength
  return out
}

/**
 * Returns the values of an enumeration as a column: cell i is the value of code i.
 *
 * ```ts
 * import { Cells, layerDefault, TileArray } from "@tessera/array"
 * import { assertEquals } from "@std/assert"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.flatMap(TileArray.open("tests/support/quakes"), (quakes) => TileArray.enumerations(quakes, ["scales"]))
 * const [scales] = await Effect.runPromise(Effect.provide(program, layerDefault))
 * assertEquals(Cells.texts(Cells.enumerationColumn(scales)), ["mw", "ml"])
 * ```
 */
export const enumerationColumn = (enumeration: Enumeration): Column => {
  const { name, type, cellValNum, data } = enumeration
  const positions = positionsOf(enumeration)
  const base = { name, type, length: positions.length - 1, values: viewAs(type, data) }
  if (cellValNum !== VAR) return { ...base, cellValNum }
  const size = cellSize(type, VAR)
  return { ...base, cellValNum: "var", offsets: Uint32Array.from(positions, (at) => at / size) }
}

/** Returns the codes of a column as numbers; −1 for null and for codes outside the enumeration. */
const codesOf = (column: Column, count: number): Int32Array => {
  const { values, validity, length } = column
  const out = new Int32Array(length)
  for (let i = 0; i < length; i++) {
    const code = Number(values[i])
    out[i] = (validity !== undefined && validity[i] === 0) || !(code >= 0 && code < count) ? -1 : code
  }
  return out
}

/**
 * Replaces the codes of a column by their values. A code outside the enumeration (negative, or too large) becomes null;
 * fill values are usually such codes. Fails with ResultTooLarge if the values need more than `maxBytes`; `uri` is the
 * array's URI for that error.
 */
export const resolveEnumeration = (
  column: Column,
  enumeration: Enumeration,
  maxBytes: number = DEFAULT_READ_MEMORY,
  uri = "",
): Effect.Effect<Column, ResultTooLarge> =>
  Effect.suspend(() => {
    const positions = positionsOf(enumeration)
    const { type, cellValNum } = enumeration
    const { length } = column
    const fixed = cellValNum === VAR ? 0 : cellSize(type, cellValNum)
    const perCell = cellValNum === VAR ? 5 : fixed + 1
    // the list of codes takes four more bytes per cell
    return Effect.flatMap(
      attemptAllocation(uri, length * (perCell + 4), () => codesOf(column, positions.length - 1)),
      (codes) => {
        let bytes = fixed * length
        if (cellValNum === VAR) { for (const c of codes) if (c >= 0) bytes += positions[c + 1] - positions[c] }
        const needed = bytes + length * (perCell - fixed)
        if (needed > maxBytes || (cellValNum === VAR && bytes > MAX_VALUE_BYTES)) {
          const limit = Math.min(maxBytes, MAX_VALUE_BYTES)
          const reason = `the values of ${JSON.stringify(column.name)} need ${needed} bytes, more than the limit of ` +
            `${limit}; resolve fewer cells at once, or raise maxBytes`
          return Effect.fail(new ResultTooLarge({ uri, needed, limit, detail: reason }))
        }
        return attemptAllocation(uri, needed, () => valuesOf(column, enumeration, positions, codes, bytes))
      },
    )
  })

/** Returns the column of the codes' values, which take `needed` bytes. */
const valuesOf = (
  column: Column,
  enumeration: Enumeration,
  positions: Float64Array,
  codes: Int32Array,
  needed: number,
): Column => {
  const { type, cellValNum, data } = enumeration
  const { length } = column
  const size = cellSize(type, VAR)
  const fixed = cellValNum === VAR ? 0 : cellSize(type, cellValNum)
  const validity = new Uint8Array(length)
  const bytes = new Uint8Array(needed)
  const offsets = cellValNum === VAR ? new Uint32Array(length + 1) : undefined
  let at = 0
  for (let i = 0; i < length; i++) {
    const code = codes[i]
    if (code >= 0) {
      validity[i] = 1
      const value = data.subarray(positions[code], positions[code + 1])
      bytes.set(value, at)
      at += value.byteLength
    } else at += fixed
    if (offsets !== undefined) offsets[i + 1] = at / size
  }
  const base = { name: column.name, type, length, values: viewAs(type, bytes), validity }
  return offsets === undefined ? { ...base, cellValNum } : { ...base, cellValNum: "var", offsets }
}

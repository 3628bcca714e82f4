import { FormatError } from "../../schema/errors/format_error.ts"

/** Maximum size of the var-sized values of a tile or column, in bytes: positions are 32-bit. */
export const MAX_VALUE_BYTES = 0xffffffff

/**
 * Converts the start offsets of a tile of var-sized values (u64 each, relative to the tile) to `cells + 1` positions.
 * Checks that they are ascending, inside the tile's `size` bytes, and multiples of the value size `unit`.
 */
export const tilePositions = (
  offsets: Uint8Array,
  cells: number,
  size: number,
  unit: number,
  uri: string,
  version: number,
): Uint32Array => {
  const fail = (at: number, reason: string): FormatError =>
    new FormatError({ uri, path: `offsets.${at}`, offset: 8 * at, version, detail: reason })
  if (offsets.byteLength !== 8 * cells) {
    throw new FormatError({
      uri,
      path: "offsets",
      offset: 0,
      version,
      detail: `${offsets.byteLength} bytes of offsets for ${cells} cells`,
    })
  }
  if (size > MAX_VALUE_BYTES) throw fail(0, `a tile of ${size} bytes`)
  if (size % unit !== 0) throw fail(0, `a tile of ${size} bytes, not a multiple of the value size ${unit}`)
  const out = new Uint32Array(cells + 1)
  if (!copyPositions(offsets, size, unit, out)) {
    const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength)
    for (let i = 0, last = 0; i < cells; i++) {
      const low = view.getUint32(8 * i, true)
      if (view.getUint32(8 * i + 4, true) !== 0 || low < last || low > size) {
        throw fail(i, `a cell starts at ${view.getBigUint64(8 * i, true)}, after ${last} and in ${size} bytes`)
      }
      if (low % unit !== 0) throw fail(i, `a cell starts at ${low}, inside a value of ${unit} bytes`)
      last = low
    }
  }
  out[cells] = size
  return out
}

/** Copies u64 offsets to `out`; returns false if one is descending, outside the tile, or inside a value. */
const copyPositions = (offsets: Uint8Array, size: number, unit: number, out: Uint32Array): boolean => {
  const cells = out.length - 1
  // copy unaligned offsets, since they are read as 32-bit halves
  const aligned = offsets.byteOffset % 4 === 0 ? offsets : offsets.slice()
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, 2 * cells)
  let high = 0
  let falls = 0
  let last = 0
  for (let i = 0; i < cells; i++) {
    const low = words[2 * i]
    high |= words[2 * i + 1]
    falls |= low < last ? 1 : 0
    out[i] = last = low
  }
  if (high !== 0 || falls !== 0 || last > size) return false
  if (unit > 1) { for (let i = 0; i < cells; i++) if (out[i] % unit !== 0) return false }
  return true
}

import { FormatError } from "../../schema/errors.ts"

/**
 * The cells of a tile of var-sized values: start offsets as they lie in the file (u64 each, relative to the tile) become
 * `cells + 1` positions. Checked: they never fall, lie inside the tile's `size` bytes, and between values of `unit` bytes.
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
    new FormatError({ uri, path: `offsets.${at}`, offset: 8 * at, version, reason })
  if (offsets.byteLength !== 8 * cells) {
    throw new FormatError({
      uri,
      path: "offsets",
      offset: 0,
      version,
      reason: `${offsets.byteLength} bytes of offsets for ${cells} cells`,
    })
  }
  if (size > 0xffffffff) throw fail(0, `a tile of ${size} bytes`)
  if (size % unit !== 0) throw fail(0, `a tile of ${size} bytes, which are not whole values of ${unit}`)
  const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength)
  const out = new Uint32Array(cells + 1)
  let last = 0
  for (let i = 0; i < cells; i++) {
    const low = view.getUint32(8 * i, true)
    if (view.getUint32(8 * i + 4, true) !== 0 || low < last || low > size) {
      throw fail(i, `a cell starts at ${view.getBigUint64(8 * i, true)}, after ${last} and in ${size} bytes`)
    }
    if (low % unit !== 0) throw fail(i, `a cell starts at ${low}, inside a value of ${unit} bytes`)
    out[i] = last = low
  }
  out[cells] = size
  return out
}

/**
 * Bytes as machine words. All platforms that run JavaScript today are little-endian, like the format.
 *
 * @module
 */
/** Returns `bytes` as u32, copied only if they are not aligned. Trailing bytes of an incomplete word are ignored. */
export const asUint32 = (bytes: Uint8Array): Uint32Array => {
  const source = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Uint32Array(source.buffer, source.byteOffset, source.byteLength >>> 2)
}

/** Returns `bytes` as u16, copied only if they are not aligned. Trailing bytes of an incomplete word are ignored. */
export const asUint16 = (bytes: Uint8Array): Uint16Array => {
  const source = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice()
  return new Uint16Array(source.buffer, source.byteOffset, source.byteLength >>> 1)
}

/** Returns little-endian u32 values as bytes, for the small headers of metadata. */
export const u32Bytes = (...values: ReadonlyArray<number>): Uint8Array => {
  const out = new Uint8Array(4 * values.length)
  const view = new DataView(out.buffer)
  values.forEach((value, i) => view.setUint32(4 * i, value, true))
  return out
}

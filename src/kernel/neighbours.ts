/**
 * Computes the next and the previous value of each type of coordinates.
 */

const double = new Float64Array(1)
const doubleBits = new BigInt64Array(double.buffer)
const single = new Float32Array(1)
const singleBits = new Int32Array(single.buffer)

/** Returns the smallest number above, as a float of eight or of four bytes. Both zeros are treated as equal. */
export const nextFloat = (value: number, bytes: 4 | 8): number => {
  if (value === Infinity) return value
  if (bytes === 8) {
    double[0] = value === 0 ? 0 : value
    doubleBits[0] += value >= 0 ? 1n : -1n
    return double[0]
  }
  single[0] = value === 0 ? 0 : value
  singleBits[0] += value >= 0 ? 1 : -1
  return single[0]
}

/** Returns the greatest number below. */
export const previousFloat = (value: number, bytes: 4 | 8): number => -nextFloat(-value, bytes)

/** Returns the smallest byte string above. */
export const nextBytes = (value: Uint8Array): Uint8Array => {
  const out = new Uint8Array(value.length + 1)
  out.set(value)
  return out
}

/**
 * Returns a byte string shortly below, or `undefined` for the empty one. The greatest byte string below would be
 * infinitely long.
 */
export const bytesBelow = (value: Uint8Array): Uint8Array | undefined => {
  const last = value.length - 1
  if (last < 0) return undefined
  if (value[last] === 0) return value.slice(0, last)
  const out = new Uint8Array(value.length + 1)
  out.set(value)
  out[last]--
  out[last + 1] = 0xff
  return out
}

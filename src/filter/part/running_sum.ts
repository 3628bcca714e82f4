/**
 * Running sums over little-endian integers of 1, 2, 4 or 8 bytes, modulo 2^bits; signed and unsigned are the same.
 *
 * @module
 */
import { asUint16, asUint32 } from "./words.ts"

/**
 * Computes `output[i] = first + input[0] + … + input[i]`. Both buffers have the same size, a multiple of the value
 * size; `low` and `high` are the halves of the first summand (`high` for 8 bytes only).
 */
export const runningSum = (size: number, input: Uint8Array, output: Uint8Array, low: number, high: number): void => {
  if (output.byteOffset % Math.min(size, 4) !== 0) {
    const aligned = new Uint8Array(output.byteLength)
    runningSum(size, input, aligned, low, high)
    output.set(aligned)
    return
  }
  switch (size) {
    case 1:
      return sum(input, output, low)
    case 2:
      return sum(asUint16(input), asUint16(output), low)
    case 4:
      return sum(asUint32(input), asUint32(output), low)
    default:
      return sumPairs(asUint32(input), asUint32(output), low, high)
  }
}

type Words = Uint8Array | Uint16Array | Uint32Array

const sum = (input: Words, output: Words, first: number): void => {
  let value = first | 0
  for (let i = 0; i < input.length; i++) output[i] = value = (value + input[i]) | 0
}

/** Sums 64-bit values as two u32: ten times faster than BigInt. */
const sumPairs = (input: Uint32Array, output: Uint32Array, low: number, high: number): void => {
  let lo = low >>> 0
  let hi = high | 0
  for (let i = 0; i < input.length; i += 2) {
    const a = input[i]
    lo = (lo + a) >>> 0
    hi = (hi + input[i + 1] + (lo < a ? 1 : 0)) | 0
    output[i] = lo
    output[i + 1] = hi
  }
}

/** Returns the differences, the inverse of `runningSum` from zero: the first value, then the steps. */
export const differences = (size: number, input: Uint8Array, output: Uint8Array): void => {
  if (output.byteOffset % Math.min(size, 4) !== 0) {
    const aligned = new Uint8Array(output.byteLength)
    differences(size, input, aligned)
    output.set(aligned)
    return
  }
  switch (size) {
    case 1:
      return steps(input, output)
    case 2:
      return steps(asUint16(input), asUint16(output))
    case 4:
      return steps(asUint32(input), asUint32(output))
    default:
      return stepsOfPairs(asUint32(input), asUint32(output))
  }
}

const steps = (input: Words, output: Words): void => {
  let before = 0
  for (let i = 0; i < input.length; i++) {
    const value = input[i]
    output[i] = value - before
    before = value
  }
}

const stepsOfPairs = (input: Uint32Array, output: Uint32Array): void => {
  let beforeLo = 0
  let beforeHi = 0
  for (let i = 0; i < input.length; i += 2) {
    const lo = input[i]
    const hi = input[i + 1]
    output[i] = lo - beforeLo
    output[i + 1] = hi - beforeHi - (lo < beforeLo ? 1 : 0)
    beforeLo = lo
    beforeHi = hi
  }
}

/**
 * Order keys: the values of a column as unsigned 32-bit words that compare like the values. A 64-bit value has two
 * words, the more significant one first. Sorting, comparing and de-duplicating cells then needs one kind of loop for
 * all types, and no BigInt.
 */

import { finish, inParts, type Steps } from "../steps.ts"

/** The words of one or more columns, most significant first; each has one entry per cell. */
export type KeyWords = ReadonlyArray<Uint32Array>

const TOP = 0x80000000

/** The typed arrays of numeric columns. */
type Numbers =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array

/** Returns the key words of numbers. For floats, −0 equals 0, as in comparisons and ranges, and NaN is last. */
export const keyWords = (values: Numbers): KeyWords => finish(keyWordsSteps(values))

/** Returns key words like {@link keyWords}, in steps. */
export function* keyWordsSteps(values: Numbers): Steps<KeyWords> {
  const n = values.length
  if (values instanceof BigInt64Array || values instanceof BigUint64Array || values instanceof Float64Array) {
    const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * n)
    const high = new Uint32Array(n)
    const low = new Uint32Array(n)
    const flip = values instanceof BigInt64Array ? TOP : 0
    const words = values instanceof Float64Array
      ? (from: number, to: number) => floatWords64(halves, high, low, from, to)
      : (from: number, to: number) => wholeWords64(halves, flip, high, low, from, to)
    yield* inParts(n, words)
    return [high, low]
  }
  const out = new Uint32Array(n)
  if (values instanceof Float32Array) {
    const bits = new Uint32Array(values.buffer, values.byteOffset, n)
    yield* inParts(n, (from, to) => floatWords32(bits, out, from, to))
  } else if (values instanceof Int8Array || values instanceof Int16Array || values instanceof Int32Array) {
    yield* inParts(n, (from, to) => {
      for (let i = from; i < to; i++) out[i] = values[i] ^ TOP
    })
  } else yield* inParts(n, (from, to) => out.set(values.subarray(from, to), from))
  return [out]
}

const wholeWords64 = (
  halves: Uint32Array,
  flip: number,
  high: Uint32Array,
  low: Uint32Array,
  from: number,
  to: number,
): void => {
  for (let i = from; i < to; i++) {
    low[i] = halves[2 * i]
    high[i] = halves[2 * i + 1] ^ flip
  }
}

const floatWords32 = (bits: Uint32Array, out: Uint32Array, from: number, to: number): void => {
  for (let i = from; i < to; i++) {
    let w = bits[i]
    if (w === TOP) w = 0
    if ((w & 0x7fffffff) > 0x7f800000) out[i] = 0xffffffff
    else out[i] = w >>> 31 === 1 ? ~w : w ^ TOP
  }
}

const floatWords64 = (halves: Uint32Array, high: Uint32Array, low: Uint32Array, from: number, to: number): void => {
  for (let i = from; i < to; i++) {
    const l = halves[2 * i]
    let h = halves[2 * i + 1]
    if (h === TOP && l === 0) h = 0
    const magnitude = h & 0x7fffffff
    if (magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && l !== 0)) {
      high[i] = 0xffffffff
      low[i] = 0xffffffff
    } else if (h >>> 31 === 1) {
      high[i] = ~h
      low[i] = ~l
    } else {
      high[i] = h ^ TOP
      low[i] = l
    }
  }
}

/**
 * Compares names by their UTF-8 bytes, the order of listings in object stores. JavaScript's own string order differs
 * for characters beyond U+FFFF.
 *
 * @module
 */

/** Maps code units so that their order is the order of code points: surrogates follow U+E000 … U+FFFF. */
const rank = (unit: number): number => unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800

/**
 * Returns a negative number if the bytes of `a` come before those of `b`, a positive number if after, and zero if
 * equal.
 */
export const compareBytewise = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

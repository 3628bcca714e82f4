/**
 * Sizes in bytes as options: numbers, or text with a unit.
 */

/** The units of sizes: powers of 1024 (`KiB`, `MiB`, …) and of 1000 (`KB`, `MB`, …). */
export type ByteUnit = "B" | "KiB" | "MiB" | "GiB" | "TiB" | "KB" | "MB" | "GB" | "TB"

/** A size in bytes: a number, or text with a unit: `"256MiB"`, `"1.5 GB"`. */
export type ByteSize = number | `${number}` | `${number}${ByteUnit}` | `${number} ${ByteUnit}`

const units: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}

/** Returns the bytes of a size in text; `undefined` for invalid text and for less than one byte. */
export const parseByteSize = (text: string): number | undefined => {
  const [, number, unit] = /^(\d{1,15}(?:\.\d{1,6})?) ?([a-z]{0,3})$/i.exec(text) ?? []
  const factor = number !== undefined && Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : 0
  const bytes = Math.floor(Number(number) * factor)
  // NaN for invalid text
  return bytes >= 1 && bytes <= Number.MAX_SAFE_INTEGER ? bytes : undefined
}

/** Returns the bytes of an option; `undefined` for other values. */
export const byteCount = (size: unknown): number | undefined =>
  typeof size === "string" ? parseByteSize(size) : typeof size === "number" && size > 0 ? size : undefined

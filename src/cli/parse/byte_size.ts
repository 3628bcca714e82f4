/**
 * Sizes in bytes, as they are written and read: `64MiB`, `1GB`, `1048576`.
 */
import { UsageError } from "./usage_error.ts"

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

/** The bytes that an option says. Throws {@link UsageError}. */
export const parseSize = (option: string, text: string): number => {
  const [, number, unit] = /^(\d{1,15}(?:\.\d{1,6})?) ?([a-z]{0,3})$/i.exec(text) ?? []
  const factor = number !== undefined && Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : 0
  const bytes = Math.floor(Number(number) * factor)
  // NaN for invalid text
  if (bytes >= 1 && bytes <= Number.MAX_SAFE_INTEGER) return bytes
  throw new UsageError({ detail: `--${option}: give a size above 0, such as 256MiB, 1GB or 1048576` })
}

const names = ["bytes", "KiB", "MiB", "GiB", "TiB"]

/** Bytes, short enough to be read in passing. */
export const sizeText = (bytes: number): string => {
  let unit = 0
  let value = bytes
  while (value >= 1024 && unit < names.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${names[unit]}`
}

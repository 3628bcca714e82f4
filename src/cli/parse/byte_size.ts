/**
 * Parses and formats sizes in bytes: `64MiB`, `1GB`, `1048576`.
 */
import { parseByteSize } from "../../../platform/byte_size.ts"
import { UsageError } from "./usage_error.ts"

/** Parses the size in an option. Throws {@link UsageError}. */
export const parseSize = (option: string, text: string): number => {
  const bytes = parseByteSize(text)
  if (bytes !== undefined) return bytes
  throw new UsageError({ detail: `--${option}: give a size above 0, such as 256MiB, 1GB or 1048576` })
}

const names = ["bytes", "KiB", "MiB", "GiB", "TiB"]

/** Formats a size with a unit, rounded. */
export const sizeText = (bytes: number): string => {
  let unit = 0
  let value = bytes
  while (value >= 1024 && unit < names.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${names[unit]}`
}

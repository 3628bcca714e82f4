/**
 * Escaped HTML and SVG. Names come from files, so every text goes through {@link text}.
 */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Control characters and characters that change the direction of text. */
// deno-lint-ignore no-control-regex
const hidden = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Returns text for HTML, at most `max` characters of it. */
export const text = (value: string, max = 200): string => {
  const short = value.length > max ? `${value.slice(0, max)}…` : value
  return short.replace(hidden, "\ufffd").replace(/[&<>"']/g, (char) => entities[char])
}

/** Returns a coordinate of a drawing: two decimals are finer than a pixel. */
export const px = (value: number): string => String(Math.round(value * 100) / 100)

/** Returns a number with thousands separators. */
export const groupedCount = (value: number): string => value.toLocaleString("en-US")

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]

/** Returns a size in bytes with three digits. */
export const byteCountText = (bytes: number): string => {
  let [value, unit] = [bytes, 0]
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`
}

/** Times from 1973 on are dates; smaller ones are counters. */
const FIRST_DATE = 1e11

/** Returns a time in milliseconds as a date. */
export const utcText = (time: number): string =>
  time < FIRST_DATE || time > 8.64e15
    ? groupedCount(time)
    : new Date(time).toISOString().replace("T", " ").replace(/(:00)?\.000Z$/, "").replace(/Z$/, "")

/** Returns a table. Cells are HTML; columns in `numbers` are aligned to the right. */
export const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  numbers: ReadonlyArray<number> = [],
): string => {
  const cells = (row: ReadonlyArray<string>, tag: string): string =>
    row.map((cell, i) => `<${tag}${numbers.includes(i) ? ' class="n"' : ""}>${cell}</${tag}>`).join("")
  return `<div class="scroll"><table><thead><tr>${cells(head, "th")}</tr></thead><tbody>${
    rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n")
  }</tbody></table></div>`
}

/** Returns a bound of a range with at most seven digits of a fraction. */
export const shortBound = (bound: string): string =>
  /^-?\d+\.\d{6,}$/.test(bound) ? String(Number(Number(bound).toPrecision(7))) : bound

/** Returns a range as `low … high`. */
export const boundsText = ([low, high]: readonly [low: string, high: string], max?: number): string =>
  text(`${shortBound(low)} … ${shortBound(high)}`, max)
